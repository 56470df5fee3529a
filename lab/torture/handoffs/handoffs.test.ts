import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { createChance } from '../chance.ts'
import { cutEverywhere, cutPower } from '../power-cuts.ts'
import { DISK_BUGS } from '../testing/disk-bugs.ts'
import { killWriters } from './kills.ts'
import { longLife, shortLife } from './life.ts'

const FEW_POINTS = 400 // the long run is `satchel torture handoffs`
const BUG_POINTS = 2_000
const VICTIM = await bundled(join(import.meta.dirname, 'victim-main.ts'))

test('a power cut after any disk change of every kind of call loses no answered handoff', async (t) => {
  const report = await cutEverywhere({ seed: 1, live: shortLife })

  t.diagnostic(`${report.points} points, ${report.nested} more in a recovery`)
  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.points > 200)
  assert.ok(report.nested > 0)
})

test('a power cut beside concurrent calls and killed processes loses no answered handoff', async () => {
  const report = await cutPower({ seed: 7, points: FEW_POINTS, live: longLife })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
})

for (const bug of DISK_BUGS) {
  test(`power cuts of the handoff store find the planted bug: ${bug.name}`, async () => {
    const everywhere = await cutEverywhere({ seed: 1, live: (chance) => shortLife(chance, bug) })
    const random = await cutPower({ seed: 1, points: BUG_POINTS, live: (chance) => longLife(chance, bug) })

    assert.ok(everywhere.failure, `not found in ${everywhere.points} points`)
    assert.ok(random.failure, `not found in ${random.points} points`)
  })
}

test('killed writers of handoffs lose nothing that was answered', async (t) => {
  const directory = await temporaryFolder(t)

  const report = await killWriters(directory, {
    chance: createChance(1),
    kills: 3,
    victim: (n) => [process.execPath, VICTIM, directory, String(n)],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.kills, 3)
  assert.ok(report.acknowledged >= 3)
})
