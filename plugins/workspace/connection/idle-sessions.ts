import { MICROS_PER_MINUTE, type Micros } from '../domain/moment.ts'
import { dropLocalSession, liveSessions } from '../room/members.ts'
import type { Room } from '../room/room.ts'

/** Tracks which local sessions are in use. Owned by the owner of the room. */
export interface IdleSessions {
  /** Records a use of the session: a call, or the heartbeat of one of its streams. */
  touch(sessionId: string): void
  /** Exempts a session of this process, which lives as long as the process. */
  keep(sessionId: string): void
  /** Ends local sessions unused for two minutes: their process has ended. The first sweep starts the count of a session. */
  sweep(): Promise<void>
}

const LOCAL_IDLE_MICROS = 2 * MICROS_PER_MINUTE // design workspace, section 9

/** Starts without any session. */
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
      // Other sessions are touched too; forget those that have ended or are exempt.
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
