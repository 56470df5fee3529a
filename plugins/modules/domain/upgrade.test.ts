import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import type { ModuleVersion } from './diff.ts'
import { planUpgrade } from './upgrade.ts'

function version(value: string): ModuleVersion {
  const blocks = Array.from({ length: 25 }, (_, at) => ({ address: `local.x${at}`, attributes: { value } }))
  return { summary: EMPTY_SUMMARY, code: { files: new Map(), uses: new Map(), nested: new Map(), blocks } }
}

test('of many blocks to be reviewed the first are named and the others counted', () => {
  const call = { block: { name: 'a', line: 1, inputs: [] }, outputs: [] }

  const plan = planUpgrade(call, version('f(1)'), version('g(2)'))
  const same = planUpgrade(call, version('f(1)'), version('f(1)'))

  assert.deepEqual([plan.verdict, plan.changes.length, plan.others], ['review', 10, 15])
  assert.deepEqual([same.verdict, same.changes.length, same.others], ['none', 0, 0])
})
