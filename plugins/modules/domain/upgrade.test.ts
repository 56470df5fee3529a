import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import type { ModuleVersion } from './diff.ts'
import type { Variable } from './summary.ts'
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

function withInputs(
  inputs: Readonly<Record<string, string>>,
  mode: string,
  region = 'var.region',
): ModuleVersion {
  const variables = Object.entries(inputs).map(
    ([name, type]): Variable => ({ name, type, description: '', default: null, required: false }),
  )
  const blocks = [{ address: 'a_stream.this', attributes: { mode, region } }]
  return {
    summary: { ...EMPTY_SUMMARY, variables },
    code: { files: new Map(), uses: new Map(), nested: new Map(), blocks },
  }
}

test('an input that became an attribute of another is found where the code uses it in the same place', () => {
  const before = withInputs({ stream_mode: 'string', region: 'string' }, 'upper(var.stream_mode)')
  const stream = { stream: 'object({ mode = optional(string), name = string })', region: 'string' }
  const given = { name: 'stream_mode', line: 3, value: { kind: 'literal', value: 'async' } } as const
  const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }
  const said = (after: ModuleVersion) =>
    planUpgrade(call, before, after).changes.find(({ code }) => code === 'input_removed')?.message

  const removed = 'The input stream_mode was removed.'
  const nested = `${removed} Perhaps it is an attribute now, stream.mode (a guess: the code uses it in the same place).`
  assert.equal(said(withInputs(stream, 'upper(var.stream.mode)')), nested)
  assert.equal(said(withInputs(stream, 'lower(var.stream.mode)')), removed)
  assert.equal(said(withInputs(stream, 'upper(var.stream.other)')), removed)
  assert.equal(said(withInputs({ ...stream, stream: 'any' }, 'upper(var.stream.mode)')), removed)
  // Two places that disagree tell nothing.
  const twice = withInputs({ stream_mode: 'string' }, 'var.stream_mode', 'var.stream_mode')
  const after = withInputs(stream, 'var.stream.mode', 'var.stream.name')
  const [change] = planUpgrade(call, twice, after).changes
  assert.equal(change?.message, removed)
})
