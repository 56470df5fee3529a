import { keepYoungGeneration } from './platform/young-generation.ts'

/** Longer than a client takes to list everything; later calls get the young generation that V8 chooses. */
const SMALL_FOR_MS = 10_000

/**
 * Keeps V8's young generation at its initial size while a stdio server starts. Starting allocates much garbage, for which
 * V8 doubles that space repeatedly and never releases it: 8 to 13 MiB for each server that a client keeps open (measured
 * on Node 20; the start takes equally long either way).
 */
export function limitYoungGeneration(): void {
  setTimeout(keepYoungGeneration(), SMALL_FOR_MS).unref()
}
