import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freshRoom, steps } from './workspace-steps.ts'

test('any sequence of calls gives the events and refusals of a plain model', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), async (commands) => {
      const { model, real } = await freshRoom(t)
      await fc.asyncModelRun(() => ({ model, real }), commands)
      assert.equal(await real.room.text(), model.text)
      await real.room.discard()
    }),
    { numRuns: 40, endOnFailure: true },
  )
})
