import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/** With a limit the slowest case and the delay of the event loop are judged too; only a quiet machine can tell. */
export const LIMIT_MS = Number(process.env['ATTACK_LIMIT_MS'] ?? Number.POSITIVE_INFINITY)

/** The slowest of what was timed, for the diagnostics. */
export function createSlowest() {
  let slowest = { name: '', ms: 0 }
  return {
    async timed<T>(name: string, work: () => Promise<T>): Promise<T> {
      const started = performance.now()
      const done = await work()
      const ms = performance.now() - started
      if (ms > slowest.ms) slowest = { name, ms }
      return done
    },
    judge(t: TestContext) {
      t.diagnostic(`slowest: ${slowest.name}, ${Math.round(slowest.ms)} ms`)
      assert.ok(slowest.ms <= LIMIT_MS, `${slowest.name} took ${slowest.ms} ms`)
    },
  }
}
