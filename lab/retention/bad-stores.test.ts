import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sampleId, sampleRecord } from '../../plugins/handoff/testing/sample-record.ts'
import { measureRetention } from './measure.ts'
import { plant } from './planted.ts'
import type { Scenario } from './played.ts'
import type { Stage } from './stage.ts'

const RECORDS = '.handoffs/records'
const DAY_MINUTES = 24 * 60
const text = (value: unknown) => JSON.stringify(value)
const fileOf = (n: number) => `${RECORDS}/${sampleId(n)}.json`
const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })

/** A sample that is newer than everything that the session writes. */
const newest = (n: number, more: object = {}) => ({
  ...sampleRecord(n, 1300),
  updated_at: '2026-11-21T10:04:00.000Z',
  ...more,
})
const childOf = (n: number, parent: number) => {
  const record = newest(n)
  return { ...record, lineage: { ...record.lineage, relation: 'continue', parents: [sampleId(parent)] } }
}

/** What may be beside the record of a session. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  garbage: {
    [fileOf(1)]: '\u0000\u0001 not a record',
    [fileOf(2)]: '',
    [fileOf(3)]: '[[[[',
    [fileOf(4)]: text({ kind: 'handoff' }),
    [`${RECORDS}/notes.json`]: '{}',
    [`${RECORDS}/README`]: 'text',
  },
  'half of a record': { [fileOf(1)]: text(newest(1)).slice(0, 700) },
  'a cycle': {
    [fileOf(1)]: text(childOf(1, 2)),
    [fileOf(2)]: text(childOf(2, 1)),
    [fileOf(3)]: text(childOf(3, 3)),
  },
  'a record of more than 1 MiB': { [fileOf(1)]: text(newest(1, { filler: 'x'.repeat(1024 * 1024) })) },
  'a record of 41 levels': { [fileOf(1)]: text(newest(1, { own: nested(41) })) },
  'conflict markers': { [fileOf(1)]: `<<<<<<< a\n${text(newest(1))}\n=======\n{}\n>>>>>>> b\n` },
  'a record of next year': { [fileOf(1)]: text(newest(1, { updated_at: '2027-11-21T10:00:00.000Z' })) },
  'half of an index': {
    '.handoffs/.cache/index.json': '{"version":3,"sha256":"0"}\n{"folder_ms":1,"seg',
    '.handoffs/.cache/segment-0123456789abcdef.bin': 'satchel handoff segment 3 1',
    '.handoffs/.cache/changes': '{"name":"',
  },
  'an index of another version': {
    '.handoffs/.cache/index.json': '{"version":99,"sha256":"0"}\n{"segments":[]}',
  },
  'garbage in what belongs to this machine': {
    '.handoffs/.local/claims.json': '\u0000',
    '.handoffs/.local/sessions.json': '[{"session":7}]',
    '.handoffs/config.json': '{',
  },
}

/** A session that is compacted after something happened to its store. */
function compactedAfter(happen: (stage: Stage) => Promise<void>): Scenario {
  return async (stage) => {
    const planted = plant('one')
    const session = await stage.session('A')
    await session.hook('session-start', { source: 'startup' })
    await session.data('handoff_create', planted.input)
    await happen(stage)
    await session.hook('pre-compact', { trigger: 'auto' })
    await session.hook('stop')
    return { session, source: 'compact', facts: planted.facts }
  }
}

for (const [name, files] of Object.entries(BESIDE)) {
  test(`beside ${name} a session is given everything that must be kept, and its bytes stay`, async () => {
    let kept = true
    const scenario = compactedAfter((stage) => stage.write(files))
    const checked: Scenario = async (stage) => {
      const played = await scenario(stage)
      for (const [path, content] of Object.entries(files)) {
        if (path.startsWith(RECORDS)) kept &&= (await readFile(join(stage.root, path), 'utf8')) === content
      }
      return played
    }

    const { lost, must_keep } = await measureRetention(process.env, { [name]: checked })

    assert.deepEqual(lost, [])
    assert.ok(must_keep.of >= 40, `${must_keep.of} facts`)
    assert.ok(kept)
  })
}

for (const [name, days] of [
  ['back by a day', -1],
  ['back by two years', -730],
  ['ahead by a day', 1],
  ['ahead by two years', 730],
] as const) {
  test(`with the clock set ${name} a session is given everything that must be kept`, async () => {
    const set = compactedAfter(async (stage) => stage.advance(days * DAY_MINUTES))

    const { lost } = await measureRetention(process.env, { [name]: set })

    assert.deepEqual(lost, [])
  })
}
