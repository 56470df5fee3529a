import { randomUUID } from 'node:crypto'
import { isInitializeRequest, type Server } from '@modelcontextprotocol/server'
import type { Principal } from '../contract/advanced/principal.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { McpExchange } from '../mcp-mount.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { authInfoOf } from './caller.ts'
import {
  createLegacySession,
  type LegacySession,
  repeatSession,
  type SharedState,
  takePost,
} from './legacy-session.ts'
import { updated } from './listen.ts'
import {
  endStreamsOf,
  messageFrame,
  type NotificationStreamOptions,
  openNotificationStream,
} from './notification-stream.ts'
import { INVALID_PARAMS, REFUSED } from './protocol-errors.ts'
import { refusals } from './refusals.ts'
import { echoableId, refusal, refusalOf, withIdOf } from './rpc-refusal.ts'
import type { Connection } from './server.ts'
import { createSessionTable, type SessionTable } from './session-table.ts'
import type { SharedSessions } from './shared-sessions.ts'

/** Maximum number of GET streams of one session or principal (mcp, section 5). */
export const MAX_STREAMS = 4
/** Between two questions about a session in use: so long it may go on here after it ended at another server. */
const ASK_EVERY_MS = 1_000
const TOUCH_EVERY_MS = 60_000
/** A larger first request is not shared: what a client says of itself takes a few hundred bytes. */
const MOST_SHARED_CHARS = 64 * 1024

export interface LegacyOptions {
  serverFor(connection: Connection): Server
  readonly stream: Pick<NotificationStreamOptions, 'pump' | 'after'>
  /** Milliseconds of a monotonic clock. */
  clock(): number
  /** The sessions of all servers of one database; undefined without one. */
  shared(): Promise<SharedSessions | undefined>
}

/**
 * Streamable HTTP for clients before 2026-07-28. Without a database, sessions are kept in memory and lost at a restart.
 * Errors: those of the database, for a session that this process does not have.
 */
export interface LegacySessions {
  post(exchange: McpExchange, principal: Principal, body: unknown): Promise<Response>
  /** Opens the stream of a session for messages that answer no request. */
  get(exchange: McpExchange, principal: Principal, sessionId: string): Promise<Response>
  /** Ends the streams of one listener and keeps the sessions. */
  endStreams(listener: string): void
  /** Ends a session. */
  delete(principal: Principal, sessionId: string): Promise<Response>
  /** Looks whether this session ended at another server, or at the next request of each whether it did. */
  mayHaveEnded(id: string | undefined): void
  /** Ends the sessions of this process; other servers of the database go on with them. */
  close(): Promise<void>
}

/** Creates the transport without sessions; the owner closes it. */
export function createLegacySessions(options: LegacyOptions): LegacySessions {
  const table = createSessionTable<LegacySession>({
    clock: options.clock,
    hasStream: ({ streams }) => streams.length > 0,
    end: (session) => endSession(session),
  })
  const parts: Parts = { ...options, table, restoring: new Map() }
  const touching = setInterval(() => void touchStreams(parts), TOUCH_EVERY_MS).unref()
  return {
    async post(exchange, principal, body) {
      const { request } = exchange
      const handling = { parsedBody: body, authInfo: authInfoOf(principal) }
      const sessionId = request.headers.get('mcp-session-id')
      if (sessionId !== null) {
        const session = await sessionOf(parts, principal, sessionId)
        if (!session) return sessionNotFound(body)
        return withIdOf(body, await takePost(session, request, handling))
      }
      if (!isInitializeRequest(body)) return needsSession(body)
      const session = await openSession(parts, principal)
      const response = await session.transport.handleRequest(request, handling)
      if (response.ok) await share(parts, session, principal, body)
      else await session.server.close()
      return withIdOf(body, response)
    },
    async get(exchange, principal, sessionId) {
      const session = await sessionOf(parts, principal, sessionId)
      if (!session) return sessionNotFound(undefined)
      if (session.streams.length >= MAX_STREAMS) return refusalOf(tooManyStreams())
      openStream(exchange, principal, session, options)
      return exchange.alreadySent()
    },
    async delete(principal, sessionId) {
      const isHere = table.find(sessionId, principal.id) !== undefined
      const wasShared = await (await options.shared())?.remove(sessionId, principal.id)
      if (!isHere && !wasShared) return sessionNotFound(undefined)
      await table.remove(sessionId)
      return new Response(null, { status: 200 })
    },
    endStreams(listener) {
      for (const { streams } of table.all()) endStreamsOf(streams, listener)
    },
    mayHaveEnded(id) {
      for (const session of table.all()) {
        if (!session.shared || (id !== undefined && session.id !== id)) continue
        session.shared.askedAt = Number.NEGATIVE_INFINITY
        // It may have a stream, and no request soon.
        if (id !== undefined) void isGoingOn(parts, session) // never rejects: it has a database
      }
    },
    async close() {
      clearInterval(touching)
      await table.close()
    },
  }
}

interface Parts extends LegacyOptions {
  readonly table: SessionTable<LegacySession>
  /** Sessions that are being taken over from another server. */
  readonly restoring: Map<string, Promise<LegacySession | undefined>>
}

async function openSession(parts: Parts, principal: Principal): Promise<LegacySession> {
  const { table, serverFor } = parts
  const id = randomUUID()
  const session = await createLegacySession({
    id,
    shared: await parts.shared(),
    serverFor,
    touched: () => table.touch(id),
  })
  await adopt(parts, session, principal)
  return session
}

/** Errors: `rate_limited`/`session_limit`; the session is closed then. */
async function adopt({ table }: Parts, session: LegacySession, principal: Principal): Promise<void> {
  const { id, server } = session
  server.onclose = () => void table.remove(id) // its clean-up never rejects
  try {
    await table.add(id, principal.id, session)
  } catch (thrown) {
    await endSession(session)
    throw thrown
  }
}

/** Other servers know a session before its client does. Errors: those of the database; the session is closed then. */
async function share(
  parts: Parts,
  session: LegacySession,
  principal: Principal,
  body: unknown,
): Promise<void> {
  const shared = await parts.shared()
  const initialize = JSON.stringify(body)
  if (!shared || initialize.length > MOST_SHARED_CHARS) return
  try {
    await shared.add({ id: session.id, principalId: principal.id, initialize })
    session.shared = sharedNow(parts, principal)
  } catch (thrown) {
    await session.server.close()
    throw thrown
  }
}

/** The session with this id, here or taken over from another server; undefined if there is none for this principal. */
async function sessionOf(parts: Parts, principal: Principal, id: string): Promise<LegacySession | undefined> {
  const { table, restoring } = parts
  const here = table.find(id, principal.id)
  if (here) return (await isGoingOn(parts, here)) ? here : undefined
  const shared = await parts.shared()
  if (!shared) return undefined
  const key = `${principal.id} ${id}`
  const restored =
    restoring.get(key) ?? restore(parts, shared, principal, id).finally(() => restoring.delete(key))
  restoring.set(key, restored)
  return restored
}

/** Whether a session of this process did not end at another server. A database that does not answer ends no session. */
async function isGoingOn(parts: Parts, { id, shared }: LegacySession): Promise<boolean> {
  const now = parts.clock()
  if (!shared || now - shared.askedAt < ASK_EVERY_MS) return true
  shared.askedAt = now
  const sessions = await parts.shared()
  try {
    if (!(await sessions?.find(id, shared.principalId))) {
      await parts.table.remove(id)
      return false
    }
    if (now - shared.touchedAt >= TOUCH_EVERY_MS) {
      shared.touchedAt = now
      await sessions?.touch([id])
    }
  } catch {
    return true
  }
  return true
}

async function restore(
  parts: Parts,
  shared: SharedSessions,
  principal: Principal,
  id: string,
): Promise<LegacySession | undefined> {
  const found = await shared.find(id, principal.id)
  if (!found) return undefined
  const { table, serverFor } = parts
  const session = await createLegacySession({ id, shared, serverFor, touched: () => table.touch(id) })
  await repeatSession(session, found, principal)
  await adopt(parts, session, principal)
  session.shared = sharedNow(parts, principal)
  return session
}

function sharedNow({ clock }: Parts, { id }: Principal): SharedState {
  return { principalId: id, askedAt: clock(), touchedAt: clock() }
}

/** A session with an open stream does not expire at other servers either. */
async function touchStreams({ table, shared }: Parts): Promise<void> {
  const ids = table.all().flatMap(({ id, streams }) => (streams.length > 0 ? [id] : []))
  if (ids.length === 0) return
  // The next time is not far, and a session expires after many of them.
  await (await shared().catch(() => undefined))?.touch(ids).catch(() => undefined)
}

function openStream(
  exchange: McpExchange,
  principal: Principal,
  session: LegacySession,
  options: LegacyOptions,
): void {
  const { streams } = session
  const stream = openNotificationStream(exchange, principal.id, {
    ...options.stream,
    onClose: () => {
      streams.splice(streams.indexOf(stream), 1)
    },
  })
  streams.push(stream)
  const hints = session.watch.uris.map((uri) => messageFrame(updated(uri)))
  stream.start(hints, { 'mcp-session-id': session.id })
}

async function endSession({ server, watch, streams }: LegacySession): Promise<void> {
  watch.close()
  for (const stream of [...streams]) stream.end()
  await server.close()
}

function needsSession(body: unknown): Response {
  if (isJsonObject(body) && body['method'] === 'initialize') {
    return refusal({
      status: 400,
      code: INVALID_PARAMS,
      message:
        'Invalid initialize: params are protocolVersion, capabilities and clientInfo with name and version.',
      id: echoableId(body),
    })
  }
  return refusal({
    status: 400,
    code: REFUSED,
    message: 'Mcp-Session-Id is missing: send initialize first.',
    id: echoableId(body),
  })
}

function sessionNotFound(body: unknown): Response {
  return refusal({ status: 404, code: -32001, message: 'Session not found', id: echoableId(body) })
}

/** Creates the refusal of a GET stream above the maximum. */
export function tooManyStreams(): SatchelError {
  return refusals.stream_limit({ count: MAX_STREAMS })
}
