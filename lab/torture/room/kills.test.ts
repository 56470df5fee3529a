import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { killWorkers } from './kills.ts'

const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
const main = await bundled(join(import.meta.dirname, 'victim-main.ts'))

test('killed processes lose nothing they had acknowledged', async () => {
  const report = await killWorkers({
    seed: 3,
    kills: 4,
    wasm,
    victim: (file, seed) => [process.execPath, main, file, String(seed)],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.kills >= 4)
  assert.ok(report.acknowledged >= 4)
})
