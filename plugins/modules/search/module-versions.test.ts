import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyStates, LIVE } from '../segments/segment-set.ts'
import { versionFinder } from './module-versions.ts'
import type { RecordColumns } from './record-columns.ts'

test('versions of a module are found newest first, however often modules were asked for', () => {
  const modules = Float64Array.from({ length: 300 }, (_, row) => 2 ** 40 + (row % 100))
  const states = emptyStates(modules.length)
  for (const row of modules.keys()) {
    states.flags[row] = row % 7 === 0 ? 0 : LIVE
    states.places[row] = (row * 31) % 97
  }
  const set = { meta: {}, segments: [], records: modules.length, ...states }
  const columns = { modules: () => modules } as Partial<RecordColumns> as RecordColumns // the rest is not asked for
  const find = versionFinder(set, [columns])
  const right = (module: number): number[] =>
    [...modules.keys()]
      .filter((row) => modules[row] === module && row % 7 !== 0)
      .sort((a, b) => (states.places[a] ?? 0) - (states.places[b] ?? 0))

  for (let asked = 0; asked < 100; asked++)
    assert.deepEqual(find(2 ** 40 + asked), right(2 ** 40 + asked), `asked ${asked}`)
  assert.deepEqual(find(7), [])
})
