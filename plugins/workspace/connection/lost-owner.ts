import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { LinkSilent } from './link.ts'

/**
 * What a caller is told whose call got no answer: `unavailable`/`room_owner_lost`. A connection that broke tells that the
 * process ended; one that stays open and silent belongs to a process that may go on, with this call too. `key`: with which
 * the caller may repeat it.
 */
export function lostOwner(lost: unknown, key?: string): SatchelError {
  if (!(lost instanceof LinkSilent)) return refusals.room_owner_lost({ cause: lost })
  const { pid, isChange } = lost
  const owner = pid === undefined ? 'The owner of the room' : `The owner of the room (pid ${pid})`
  const more = { details: { ...(pid !== undefined && { pid }) }, cause: lost }
  if (!isChange) return refusals.owner_silent({ owner }, more)
  const again = key === undefined ? '' : ` A repeat with idempotency_key "${key}" happens once.`
  const details = { ...more.details, ...(key !== undefined && { idempotency_key: key }) }
  return refusals.owner_silent_change({ owner, again }, { ...more, details })
}
