import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDoors, openHost } from '../../test/harness/index.ts'
import { plugin } from './index.ts'

/** Processor time of this process in seconds. */
async function seconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

test('300,000 lines are counted before they are read as records', async (t) => {
  const [door] = await openDoors(t, await openHost(t, { plugins: [plugin] }))
  assert.ok(door)
  const content = '{}\n'.repeat(300_000)

  const used = await seconds(async () => {
    const outcome = await door.call('handoff_import', { content })
    assert.equal(outcome.ok || outcome.error.reason, 'bundle_too_large')
  })

  assert.ok(used < 3, `${used} s`)
})

test('a record that is too large is judged by its size, and its members are not searched', async (t) => {
  const [door] = await openDoors(t, await openHost(t, { plugins: [plugin] }))
  assert.ok(door)
  const record = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`unknown_${at}`, at]))

  const outcome = await door.call('handoff_validate', { record, level: 'all' })

  assert.ok(outcome.ok)
  const { checks } = outcome.data['validation'] as {
    checks: { name: string; status: string; detail: string }[]
  }
  const of = (name: string) => checks.find((check) => check.name === name)
  assert.equal(of('size')?.status, 'fail')
  assert.deepEqual([of('secrets')?.status, of('secrets')?.detail], ['skipped', 'the record is too large'])
})
