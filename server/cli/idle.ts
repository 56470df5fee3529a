import { refusals } from './refusals.ts'
import type { World } from './world.ts'

/**
 * Resolves as `work` does. If nothing is left that could settle it, because the event loop is empty, it rejects instead of
 * ending the process in silence. `what` is named in the message: `tool greet`.
 * Errors: `internal`/`never_answered`.
 */
export async function orIdle<T>({ io }: World, what: string, work: () => Promise<T>): Promise<T> {
  let off = (): void => {}
  const idle = new Promise<never>((_, reject) => {
    off = io.onIdle(() => reject(refusals.never_answered({ what })))
  })
  try {
    return await Promise.race([work(), idle])
  } finally {
    off()
  }
}
