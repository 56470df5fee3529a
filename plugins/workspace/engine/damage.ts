import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** The refusal to open what was acknowledged and can no longer be read; nothing was written. */
export function storeDamaged(
  what: string,
  details: Readonly<Record<string, unknown>>,
  cause?: unknown,
): SatchelError {
  return refusals.store_damaged({ what }, { details, cause })
}

/** The refusal for a hole in a journal: its records are acknowledged in order. */
export function recordLost(place: {
  readonly file: string
  readonly offset?: number
  readonly seq: number
}): SatchelError {
  return storeDamaged(`Record ${place.seq} of the room's journal was acknowledged and cannot be read.`, place)
}
