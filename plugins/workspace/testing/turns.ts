import type { TestContext } from 'node:test'

/** Counts the turns of the event loop until the test ends. */
export function turnsOf(t: TestContext): { passed(): number } {
  let passed = 0
  let next = setImmediate(count)
  function count(): void {
    passed += 1
    next = setImmediate(count)
  }
  t.after(() => clearImmediate(next))
  return { passed: () => passed }
}
