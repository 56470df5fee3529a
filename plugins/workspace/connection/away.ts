import { isSatchelError } from '../../../server/plugin.ts'

const AWAY: ReadonlySet<string> = new Set([
  'room_owner_lost',
  'room_not_running',
  'room_starting',
  'stopping',
  'transport_unavailable',
])
/** Between two attempts of a caller that waits in a room. */
export const AWAY_PAUSE_MS = 250

/** True where the process that had the room open has ended: another one may open it. */
export function isAway(thrown: unknown): boolean {
  return isSatchelError(thrown) && thrown.code === 'unavailable' && AWAY.has(thrown.reason)
}

/** True where the process that has the room open ended or was silent during a call. */
export function isOwnerLost(thrown: unknown): boolean {
  return isAway(thrown) && isSatchelError(thrown) && thrown.reason === 'room_owner_lost'
}
