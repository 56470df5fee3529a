import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListRequest, listRecords } from '../domain/record-list.ts'
import { type RecordRow, rowOf, searchText } from '../domain/record-row.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { type Layer, withoutFiles, withSegment } from './layers.ts'
import { withFewSmall, withFewUnsaved } from './merged-layers.ts'
import { segmentOf } from './open-segment.ts'
import { tableOf } from './record-table.ts'
import { createSegmentBuilder } from './segment.ts'
import { fieldsOf, indexedFile } from './segment-columns.ts'

const STATUSES = ['draft', 'ready', 'resumed'] as const
const COUNT = 120

/** A version of a record; few times, so that many records have the same. */
function versionOf(n: number, round: number) {
  const updated_at = new Date(Date.UTC(2026, 0, 1 + ((n * 7 + round * 11) % 13))).toISOString()
  const harness = (n + round) % 5 === 0 ? ('codex' as const) : ('generic' as const)
  const sample = sampleRecord(n, 1300)
  return {
    ...sample,
    updated_at,
    status: STATUSES[(n + round) % 3] ?? 'draft',
    origin: { ...sample.origin, harness },
  }
}

/** A segment of these records, or of a damaged file beside them, with what the index must say of them. */
function segmentWith(numbers: readonly number[], round: number, rows: Map<string, RecordRow>) {
  const builder = createSegmentBuilder(numbers.length + 1)
  for (const n of numbers) {
    const record = versionOf(n, round)
    const name = `${sampleId(n)}.json`
    const row = rowOf(record, `.handoffs/records/${name}`, n)
    rows.set(record.id, row)
    builder.add(indexedFile({ name, mtimeMs: n, size: 1300, row, fields: fieldsOf(searchText(record)) }))
  }
  const problem = { path: 'x', reason: 'bad_json' as const, detail: 'x' }
  builder.add(indexedFile({ name: `broken-${round}.json`, mtimeMs: 1, size: 1, problem }))
  return segmentOf(Buffer.from(builder.bytes()))
}

const REQUESTS: readonly Omit<ListRequest, 'limit'>[] = [
  {},
  { status: ['ready'] },
  { status: ['draft', 'resumed'], harness: 'codex' },
  { since: '2026-01-04', until: '2026-01-09' },
  { harness: 'none' },
]

function wantedOf(
  rows: ReadonlyMap<string, RecordRow>,
  { status, harness, since, until }: (typeof REQUESTS)[number],
) {
  return [...rows.values()]
    .filter((row) => !status || status.includes(row.status))
    .filter((row) => !harness || row.harness === harness)
    .filter((row) => !since || row.updatedMs >= Date.parse(since))
    .filter((row) => !until || row.updatedMs <= Date.parse(until))
    .toSorted((a, b) => b.updatedMs - a.updatedMs || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}

async function pagesOf(layers: readonly Layer[], request: Omit<ListRequest, 'limit'>) {
  const table = tableOf(layers)
  const ids: string[] = []
  const totals = new Set<number>()
  let cursor: string | undefined
  do {
    const page = await listRecords(table, { ...request, limit: 7, cursor })
    ids.push(...page.items.map(({ id }) => id))
    totals.add(page.total)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { ids, totals: [...totals] }
}

test('lists while records change, merge and go are those of the records that there are, with their numbers', async () => {
  const rows = new Map<string, RecordRow>()
  let layers: readonly Layer[] = []
  for (let round = 0; round < 40; round++) {
    const numbers = Array.from({ length: 1 + ((round * 5) % 23) }, (_, at) => (round * 17 + at * 3) % COUNT)
    layers = withSegment(layers, segmentWith([...new Set(numbers)], round, rows))
    if (round % 6 === 5) {
      const removed = sampleId((round * 17) % COUNT)
      layers = withoutFiles(layers, [`${removed}.json`])
      rows.delete(removed)
    }
    if (round % 4 === 1) layers = withFewUnsaved(layers)
    if (round % 9 === 8) layers = withFewSmall(layers)

    for (const request of REQUESTS) {
      const wanted = wantedOf(rows, request)
      const { ids, totals } = await pagesOf(layers, request)
      assert.deepEqual(ids, wanted, JSON.stringify({ round, request }))
      assert.deepEqual(totals, [wanted.length])
    }
  }
})
