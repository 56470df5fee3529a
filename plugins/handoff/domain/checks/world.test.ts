import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableRecord } from '../readable-record.ts'
import type { FileFact } from '../world-facts.ts'
import { WORLD_CHECKS } from './world.ts'

const HASH = `sha256:${'0'.repeat(64)}`

function artifactsCheck(files: Readonly<Record<string, FileFact>>) {
  const value = { artifacts: Object.keys(files).map((path) => ({ path, content_hash: HASH })) }
  return WORLD_CHECKS.find(({ name }) => name === 'artifacts')?.run({
    source: { kind: 'value' },
    value,
    faults: [],
    record: readableRecord(value),
    world: { files: new Map(Object.entries(files)) },
    now: new Date(0),
    transcripts: 'warn',
  })
}

test('files that were not hashed make the artifacts check skipped, with a count', () => {
  const same: FileFact = { kind: 'file', sha256: HASH }
  const late: FileFact = { kind: 'file', unhashed: 'out_of_time' }

  assert.deepEqual(artifactsCheck({ a: same, b: late, c: { kind: 'file', unhashed: 'too_many' } }), {
    skipped: '2 files were not hashed',
  })
  assert.deepEqual(artifactsCheck({ a: late }), { skipped: '1 file was not hashed' })
  assert.deepEqual(artifactsCheck({ a: same }), [])
})

test('a file that has changed is a warning even if others were not hashed', () => {
  const outcome = artifactsCheck({
    a: { kind: 'file', sha256: HASH.replace('0', '1') },
    b: { kind: 'file', unhashed: 'out_of_time' },
  })

  assert.ok(Array.isArray(outcome))
  assert.deepEqual(
    outcome.map(({ level, pointer }) => [level, pointer]),
    [['warn', '/artifacts/0/content_hash']],
  )
})
