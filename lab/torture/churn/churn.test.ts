import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetPath } from '../../../server/assets.ts'
import { BUILT } from '../../../test/workspace-process.ts'
import { churn } from './churn.ts'

/** Memory needs minutes to be judged: `satchel torture churn`. */
test('visitors who come and go, politely or cut off, get answers or refusals, and every descriptor comes back', async (t) => {
  const report = await churn({
    program: [process.execPath, ...BUILT],
    directory: undefined,
    wasm: assetPath('sql-wasm.wasm'),
    seed: 7,
    minutes: 0.1,
    longestPauseMs: 50,
    stopped: () => false,
    note: (line) => t.diagnostic(line),
  })

  assert.deepEqual(
    report.faults.filter((fault) => !fault.startsWith('memory')),
    [],
  )
  assert.ok(report.visits > 0)
})
