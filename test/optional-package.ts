import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

/**
 * Whether a package that users may leave out cannot be loaded here; the test is then skipped with a loud line. Where
 * REQUIRE_PEERS=1, as in CI, its absence is a failure.
 */
export async function lacksPackage(
  t: TestContext,
  name: '@electric-sql/pglite' | '@huggingface/transformers' | 'chromadb' | 'dclint',
): Promise<boolean> {
  const failure = await import(name).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (failure === undefined) return false
  const told = `SKIPPED: the optional package ${name} cannot be loaded: ${String(failure).split('\n')[0]}`
  if (process.env['REQUIRE_PEERS'] === '1') assert.fail(told)
  process.stderr.write(`${told}\n`)
  t.skip(told)
  return true
}
