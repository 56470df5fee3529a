import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { createChance } from '../chance.ts'
import { killIngests } from './kills.ts'

const VICTIM = fileURLToPath(new URL('victim-main.ts', import.meta.url))

test('killed ingests leave whole files, and the next one ends like an undisturbed one', async (t) => {
  const dir = await temporaryFolder(t)

  const report = await killIngests(dir, process.env, {
    chance: createChance(1),
    kills: 2,
    victim: () => [process.execPath, '--import', 'tsx', VICTIM, dir],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.kills, 2)
})
