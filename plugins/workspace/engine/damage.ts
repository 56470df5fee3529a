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
