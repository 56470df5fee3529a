import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `isSo`, at most ten minutes: longer than anything takes that a test waits for, also on a busy machine. */
export async function until(isSo: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (const late = performance.now() + 600_000; !(await isSo()); await pause(5))
    assert.ok(performance.now() < late, `${what}: it never was so`)
}
