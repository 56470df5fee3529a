import type { DoorOptions } from '../mcp/door.ts'
import type { Start } from './find-answers.ts'

/** A client has listed everything by then; what it waits for comes first. */
const KEEP_AFTER_MS = 1_500

/**
 * Keeps the first answers of this server in the background, so that the next one gives them before it loads its plugins.
 * Returns the function that no longer starts it.
 */
export function keepLater(start: Start, door: DoorOptions): () => void {
  const timer = setTimeout(() => {
    keep(start, door).catch((error: unknown) => door.log.debug('first answers not kept', { error }))
  }, KEEP_AFTER_MS)
  return () => clearTimeout(timer)
}

async function keep(start: Start, door: DoorOptions): Promise<void> {
  const { readIndex } = await import('./find-answers.ts')
  const found = readIndex()
  if (!found) return
  const { keepAnswers } = await import('./keep-answers.ts')
  await keepAnswers(start, found.index, door)
}
