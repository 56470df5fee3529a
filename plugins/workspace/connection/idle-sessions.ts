import { MICROS_PER_MINUTE, type Micros } from '../domain/moment.ts'
import { dropLocalSession, liveSessions } from '../room/members.ts'
import type { Room } from '../room/room.ts'

/** Which local sessions are still used. Owned by the owner of the room. */
export interface IdleSessions {
  /** Notes that a session was used just now: a call of it, or the heartbeat of a stream it holds. */
  touch(sessionId: string): void
  /** A session of this process: it lives as long as the process does. */
  keep(sessionId: string): void
  /** Ends local sessions that nobody used for two minutes: their process is gone. A session is first seen by the first sweep. */
  sweep(): Promise<void>
}

const LOCAL_IDLE_MICROS = 2 * MICROS_PER_MINUTE // design workspace, section 9

/** None seen yet. */
export function createIdleSessions(room: Room, nowMicros: () => Micros): IdleSessions {
  const used = new Map<string, Micros>()
  const kept = new Set<string>()
  return {
    touch: (sessionId) => void used.set(sessionId, nowMicros()),
    keep: (sessionId) => void kept.add(sessionId),
    sweep: async () => {
      const now = nowMicros()
      const local = await room.readAsSystem((rows, moment) =>
        liveSessions(rows, moment)
          .filter(({ audience, session_id }) => audience === 'local' && !kept.has(session_id))
          .map(({ session_id }) => session_id),
      )
      // Others are touched too: what has ended, or never ends by itself, is not remembered.
      for (const sessionId of used.keys()) if (!local.includes(sessionId)) used.delete(sessionId)
      for (const sessionId of local) {
        const last = used.get(sessionId) ?? now
        used.set(sessionId, last)
        if (now - last < LOCAL_IDLE_MICROS) continue
        used.delete(sessionId)
        await room.changeAsSystem((change) => dropLocalSession(change, sessionId))
      }
    },
  }
}
