import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCK_BUGS, raceStarters } from './starters.ts'
import { BUG_POINTS } from './testing/planted-bugs.ts'

test('of racing starters exactly one owns the room, and none answers after its successor', async () => {
  const report = await raceStarters({ seed: 1, rounds: 300 })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.ownerships > 300)
})

for (const bug of LOCK_BUGS) {
  test(`racing starters find the planted bug: ${bug.name}`, async () => {
    const report = await raceStarters({ seed: 1, rounds: BUG_POINTS, bug })

    assert.ok(report.failure)
  })
}
