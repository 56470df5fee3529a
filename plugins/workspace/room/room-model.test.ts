import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freshRoom, steps } from '../testing/room-model.ts'

const RUNS = 40
const SEED = Number(process.env['SEED'] ?? 20_261_122)

test('any sequence of calls gives the events and refusals of a plain model', async (t) => {
  t.diagnostic(`seed ${SEED}, ${RUNS} sequences`)
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), async (commands) => {
      const { model, real } = await freshRoom(t)
      await fc.asyncModelRun(() => ({ model, real }), commands)
      assert.equal(await real.room.text(), model.text)
      await real.room.discard()
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
})
