import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { createChance } from '../chance.ts'
import { killIngests } from './kills.ts'

/** `SATCHEL_KILLS=200` for the long run. */
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 4)
const VICTIM = await bundled(join(import.meta.dirname, 'victim-main.ts'))

test('killed ingests leave whole files, and the next one ends like an undisturbed one', async (t) => {
  const dir = await temporaryFolder(t)

  const report = await killIngests(dir, process.env, {
    chance: createChance(1),
    kills: KILLS,
    victim: () => [process.execPath, VICTIM, dir],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.kills, KILLS)
})
