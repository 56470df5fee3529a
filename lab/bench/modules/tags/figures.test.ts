import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import { buildRemote } from '../../../../plugins/modules/testing/build-remote.ts'
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { keeps } from '../../figure.ts'
import { pairTable, tagFigures } from './figures.ts'
import { readTagPairs, type TagPair } from './tag-pairs.ts'

const PAIR: TagPair = {
  repository: 'file:///a.git',
  from: 'v1.0.0',
  to: 'v2.0.0',
  bump: 'major',
  changed: true,
  verdict: 'breaking',
  changes: [],
}

/** Names of the figures that miss their goal. */
function missed(pairs: readonly TagPair[]): string[] {
  return tagFigures(pairs)
    .filter((figure) => !keeps(figure, 'goal'))
    .map(({ name }) => name)
}

test('every planted wrong verdict misses its figure', () => {
  assert.deepEqual(missed([PAIR]), [])
  assert.deepEqual(missed([{ ...PAIR, bump: 'minor', verdict: 'none' }]), ['modules.diff_changed'])
  assert.deepEqual(missed([{ ...PAIR, verdict: 'patch' }]), ['modules.diff_major'])
  assert.deepEqual(missed([PAIR, { ...PAIR, verdict: 'review' }]), ['modules.diff_review'])
})

test('the tags of a repository are paired in order, and git says whether code changed', async (t) => {
  const dir = await temporaryFolder(t)
  const path = join(dir, 'a.git')
  await buildRemote(path, [
    { files: { 'main.tf': 'output "a" {\n  value = 1\n}\n' }, tags: ['v1.9.0'] },
    { files: { 'NOTES.txt': 'x' }, tags: ['v1.10.0'] },
    { files: { 'main.tf': 'output "b" {\n  value = 1\n}\n' }, tags: ['v2.0.0'] },
  ])
  const reader = await openModuleReader()
  t.after(() => reader.close())
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const signal = new AbortController().signal

  const pairs = await readTagPairs(path, reader, {
    env: process.env,
    signal,
    log,
    note() {},
    program: ['node'],
  })

  assert.deepEqual(
    pairs.map(({ from, to, bump, changed, verdict }) => [from, to, bump, changed, verdict]),
    [
      ['v1.9.0', 'v1.10.0', 'minor', false, 'none'],
      ['v1.10.0', 'v2.0.0', 'major', true, 'breaking'],
    ],
  )
  assert.match(pairTable(pairs), /^breaking\s+1\s+0\s+0$/m)
})
