import type { TestContext } from 'node:test'
import { skipWithout } from './harness/skip-without.ts'

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
  const why = String(failure).split('\n')[0]
  skipWithout(t, 'REQUIRE_PEERS', `the optional package ${name} cannot be loaded: ${why}`)
  return true
}
