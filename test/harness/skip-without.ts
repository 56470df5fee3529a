import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/**
 * Skips a test because this system lacks a part of it, said loudly. Where the variable of the environment is 1, as in CI,
 * that is a failure.
 */
export function skipWithout(t: TestContext, variable: string, lack: string): void {
  const told = `SKIPPED: ${lack}`
  if (process.env[variable] === '1') assert.fail(told)
  process.stderr.write(`${told}\n`)
  t.skip(told)
}
