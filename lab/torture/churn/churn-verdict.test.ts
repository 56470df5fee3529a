import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChurnRun, faultsOf } from './churn-verdict.ts'

function runOf(resident: readonly number[], more: Partial<ChurnRun> = {}): ChurnRun {
  const curve = resident.map((resident_mib, at) => ({
    at_s: at * 60,
    resident_mib,
    rows_mib: at,
    descriptors: 20,
  }))
  return { visits: 1, curve, before: 20, after: 20, ...more }
}

test('a warm-up, and memory that grows by the rows alone, are not a fault', () => {
  assert.deepEqual(faultsOf(runOf([60, 120, 152, 153, 154, 155, 156, 157, 158, 159])), [])
})

test('what a collection takes away again is not a fault, also when it took minutes to come', () => {
  assert.deepEqual(faultsOf(runOf([60, 120, 152, 153, 190, 191, 156, 193, 194, 159])), [])
})

test('memory that grows beside the rows is a fault, and so is what never came back', () => {
  const leaking = faultsOf(runOf([60, 120, 150, 155, 160, 165, 170, 175, 180, 185]))
  const open = faultsOf(runOf([100, 101, 102], { after: 21 }))

  assert.match(leaking[0] ?? '', /moved by 20.0 MiB from 148.0 MiB/)
  assert.deepEqual(open, ['1 descriptors did not come back'])
})
