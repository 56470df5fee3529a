import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { killWorkers } from './kills.ts'

const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
const main = fileURLToPath(new URL('victim-main.ts', import.meta.url))

test('killed processes lose nothing they had acknowledged', async () => {
  const report = await killWorkers({
    seed: 3,
    kills: 4,
    wasm,
    victim: (file, seed) => [process.execPath, '--import', 'tsx', main, file, String(seed)],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.kills >= 4)
  assert.ok(report.acknowledged >= 4)
})
