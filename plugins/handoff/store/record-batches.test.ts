import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordToContinue } from '../domain/latest.ts'
import { parseQuery } from '../domain/query.ts'
import type { Handoff } from '../domain/record.ts'
import { rowOf, searchText } from '../domain/record-row.ts'
import { searchRecords } from '../domain/record-search.ts'
import { newestAmong } from '../domain/record-table.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { segmentOf } from './open-segment.ts'
import { tableOf } from './record-table.ts'
import { createSegmentBuilder } from './segment.ts'
import { fieldsOf, type IndexedFile, indexedFile } from './segment-columns.ts'

const PER_SEGMENT = 150
const COUNT = 3 * PER_SEGMENT

const TITLES = [
  'The Callback STATE was lost',
  'State callback',
  'Café Noir of the callback state',
  'cafe noir',
  'ЖУРНАЛ событий',
  'callback, state',
  'getCallbackState.now',
]

function recordAt(n: number, change: (record: Handoff) => Partial<Handoff>): Handoff {
  const sample = sampleRecord(n, 1300)
  return { ...sample, ...change(sample) }
}

const titled = (n: number) =>
  recordAt(n, ({ work }) => ({ work: { ...work, title: TITLES[n % 20] ?? work.title } }))

function fileOf(record: Handoff): IndexedFile {
  const name = `${record.id}.json`
  const row = rowOf(record, `.handoffs/records/${name}`, 1)
  return indexedFile({ name, mtimeMs: 1, size: 1, row, fields: fieldsOf(searchText(record)) })
}

/** A table of three segments; the n-th record is in the one that `segmentOfRecord` says. */
function tableWith(records: readonly Handoff[], segmentOfRecord: (n: number) => number) {
  const layers = [0, 1, 2].map((segment) => {
    const builder = createSegmentBuilder()
    for (const [n, record] of records.entries())
      if (segmentOfRecord(n) === segment) builder.add(fileOf(record))
    return { segment: segmentOf(Buffer.from(builder.bytes())), replaced: undefined }
  })
  return tableOf(layers)
}

const plain = (text: string) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')

test('searches of several segments find what a look at every text finds, in any case and with accents', () => {
  const records = Array.from({ length: COUNT }, (_, n) => titled(n))
  const table = tableWith(records, (n) => Math.floor(n / PER_SEGMENT))
  const texts = records.map((record) => Object.values(searchText(record)).map((text) => plain(text)))
  const hasWord = (fields: readonly string[], word: RegExp) => fields.some((text) => word.test(text))

  const expected: Readonly<Record<string, (fields: readonly string[]) => boolean>> = {
    '"callback state"': (fields) => hasWord(fields, /(?<!\w)callback state(?!\w)/),
    '"CAFÉ noir"': (fields) => hasWord(fields, /(?<!\w)cafe noir(?!\w)/),
    '"журнал событий"': (fields) => hasWord(fields, /журнал событии/),
    'title:"callback state"': ([title = '']) => /(?<!\w)callback state(?!\w)/.test(title),
    'term1*': (fields) => hasWord(fields, /(?<!\w)term1/),
    'token -callback': (fields) => hasWord(fields, /\btoken\b/) && !hasWord(fields, /callback/),
    'cafe noir': (fields) => hasWord(fields, /\bcafe\b/) && hasWord(fields, /\bnoir\b/),
    nothinghere: () => false,
  }
  for (const [query, test] of Object.entries(expected)) {
    const { records: found } = searchRecords(parseQuery(query), table, undefined)
    const ids = records.filter((_, n) => test(texts[n] ?? [])).map(({ id }) => id)
    assert.deepEqual([...found].map(table.id).sort(), ids.sort(), query)
    assert.equal(ids.length > 0, query !== 'nothinghere', query)
  }
})

test('a search among some records finds no others and scores them by these', () => {
  const records = Array.from({ length: COUNT }, (_, n) => titled(n))
  const table = tableWith(records, (n) => n % 3)
  const some = table.records.filter((record) => table.updatedMs(record) % 120_000 === 0)

  const { records: found, scores } = searchRecords(parseQuery('callback'), table, some)

  assert.ok(found.length > 0 && found.length === scores?.length)
  assert.ok(found.every((record) => some.includes(record)))
})

test('the newest records are found in any order of the segments', () => {
  const records = Array.from({ length: COUNT }, (_, n) => sampleRecord(n, 1300))
  for (const place of [(n: number) => n % 3, (n: number) => 2 - Math.floor(n / PER_SEGMENT)]) {
    const table = tableWith(records, place)

    const newest = newestAmong(table, 40).map(table.id)

    assert.deepEqual(
      newest,
      Array.from({ length: 40 }, (_, n) => sampleId(COUNT - 1 - n)),
    )
  }
})

test('a record of the branch is continued though newer ones of other branches are in other segments', () => {
  const nowMs = Date.parse('2026-06-01T00:00:00Z')
  const onBranch = (branch: string | null): Handoff['project'] => {
    const known = { vcs: 'git', remote_hint: null, head: null, dirty: null }
    const repository = branch === null ? null : { ...known, branch }
    return { id: 'p-sample', root_hint: '.', repository }
  }
  const records = Array.from({ length: COUNT }, (_, n) =>
    recordAt(n, () => ({ project: onBranch(n === 3 || n === 9 ? 'topic' : n % 2 === 0 ? 'main' : null) })),
  )
  const table = tableWith(records, (n) => Math.floor(n / PER_SEGMENT))
  const who = { names: [], claimed: new Set<number>(), branch: 'topic', projectId: 'p-sample', nowMs }
  const idFor = (change: Partial<typeof who>) => {
    const found = recordToContinue(table, { ...who, ...change })
    return found === undefined ? undefined : table.id(found)
  }

  assert.equal(idFor({}), sampleId(9))
  assert.equal(idFor({ branch: 'absent' }), sampleId(COUNT - 1))
  assert.equal(idFor({ projectId: 'p-other' }), sampleId(COUNT - 1))
  assert.equal(idFor({ claimed: new Set([table.find(sampleId(5)) ?? -1]) }), sampleId(5))
  assert.equal(idFor({ nowMs: Date.parse('2025-06-01T00:00:00Z') }), undefined)
})
