import * as z from 'zod'
import type { Database } from '../contract/advanced/database.ts'
import { SESSION_IDLE_MS, SESSIONS_OF_PRINCIPAL } from './session-limits.ts'

/** An MCP session of an older revision, as all servers of one database know it. */
export interface SharedSession {
  readonly id: string
  readonly principalId: string
  /** The request that opened it, as JSON. */
  readonly initialize: string
  /** The resources that it subscribed to. */
  readonly uris: readonly string[]
}

/**
 * The MCP sessions of the servers that share a database: a client that reaches another server than before, or the same one
 * after a restart, goes on. Errors: those of `Database`.
 */
export interface SharedSessions {
  /** Adds a session; above the maximum of its principal the longest idle one ends. */
  add(session: Omit<SharedSession, 'uris'>): Promise<void>
  /** Undefined for an id that is unknown, has ended or belongs to another principal. */
  find(id: string, principalId: string): Promise<SharedSession | undefined>
  /** Sessions that are in use do not expire. */
  touch(ids: readonly string[]): Promise<void>
  subscribe(id: string, uri: string): Promise<void>
  unsubscribe(id: string, uri: string): Promise<void>
  /** False for an id that `find` does not know. */
  remove(id: string, principalId: string): Promise<boolean>
}

/** The topic of the hint that a session ended, with its id. */
export const ENDED = 'mcp_session_ended'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const IDLE = `interval '${SESSION_IDLE_MS} milliseconds'`
const IN_USE = `used_at > now() - ${IDLE}`
const row = z.object({ initialize: z.string(), uris: z.array(z.string()) })

/** The sessions in this database. */
export function sharedSessions(database: Database): SharedSessions {
  return {
    async add({ id, principalId, initialize }) {
      await database.write(
        `ended as (delete from satchel.mcp_sessions where not (${IN_USE}) or id in (
           select id from satchel.mcp_sessions where principal = $3
           order by used_at desc offset ${SESSIONS_OF_PRINCIPAL - 1})),
         changed as (insert into satchel.mcp_sessions (id, principal, initialize) values ($2, $3, $4) returning id)`,
        [id, principalId, initialize],
      )
    },
    async find(id, principalId) {
      if (!UUID.test(id)) return undefined
      const [found] = await database.query(
        `select initialize, uris from satchel.mcp_sessions where id = $1 and principal = $2 and ${IN_USE}`,
        [id, principalId],
      )
      return found && { id, principalId, ...row.parse(found) }
    },
    async touch(ids) {
      await database.write(
        `changed as (update satchel.mcp_sessions set used_at = now() where id = any($2::uuid[]) returning id)`,
        [ids],
      )
    },
    async subscribe(id, uri) {
      await database.write(
        `changed as (update satchel.mcp_sessions set uris = array_append(array_remove(uris, $3), $3)
         where id = $2 returning id)`,
        [id, uri],
      )
    },
    async unsubscribe(id, uri) {
      await database.write(
        `changed as (update satchel.mcp_sessions set uris = array_remove(uris, $3) where id = $2 returning id)`,
        [id, uri],
      )
    },
    async remove(id, principalId) {
      if (!UUID.test(id)) return false
      const removed = await database.write(
        `changed as (delete from satchel.mcp_sessions where id = $2 and principal = $3 and ${IN_USE} returning id)`,
        [id, principalId],
        { topic: ENDED, about: id },
      )
      return removed > 0
    },
  }
}
