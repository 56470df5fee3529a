import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SatchelError } from '../../../server/plugin.ts'
import { createQueueFaults } from './queue-faults.ts'

function openFaults() {
  const waited: number[] = []
  const logged: unknown[] = []
  const add = (message: string, fields?: unknown): void => void logged.push([message, fields])
  const log = { debug: add, info: add, warn: add, error: add }
  const faults = createQueueFaults(log, new AbortController().signal, async (ms) => void waited.push(ms))
  return { faults, waited, logged }
}

const fault = (reason: string): SatchelError => new SatchelError('unavailable', reason, `It is ${reason}.`)

test('a worker waits longer each time, up to half a minute, and tells a fault that repeats once and without a stack', async () => {
  const { faults, waited, logged } = openFaults()

  for (let n = 0; n < 9; n++) await faults.wait(fault('storage_unreachable'))
  await faults.wait(fault('storage_busy'))
  const last = faults.last?.reason
  faults.over()
  await faults.wait(fault('storage_unreachable'))

  assert.deepEqual(waited, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000, 500])
  assert.equal(last, 'storage_busy')
  const told = (reason: string) => [
    'a worker could not read from its queue',
    { reason, problem: `It is ${reason}.` },
  ]
  assert.deepEqual(logged, [
    told('storage_unreachable'),
    told('storage_busy'),
    ['a worker reads from its queue again', undefined],
    told('storage_unreachable'),
  ])
})

test('a worker that never reached its queue ends with what has to be corrected, and one that did waits', async () => {
  const { faults } = openFaults()
  const wrong = fault('storage_password')

  await assert.rejects(faults.wait(wrong), wrong)
  await faults.wait(fault('storage_unreachable'))
  await assert.rejects(faults.wait(wrong), wrong)
  faults.over()
  await faults.wait(wrong)

  assert.equal(faults.last, wrong)
})
