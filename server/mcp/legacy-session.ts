import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Principal } from '../contract/advanced/principal.ts'
import { cancelledId } from './admission.ts'
import { ID_IN_FLIGHT } from './batches.ts'
import { authInfoOf, callerOf } from './caller.ts'
import { updated } from './listen.ts'
import { messageFrame, type NotificationStream } from './notification-stream.ts'
import { echoableId, invalidRequest } from './rpc-refusal.ts'
import type { Connection } from './server.ts'
import type { SharedSession, SharedSessions } from './shared-sessions.ts'
import { createWatch, type Watch } from './watch.ts'
import { withLegacyCode, withoutValidatorText } from './wire.ts'

/** A session of a client before 2026-07-28, in this process. */
export interface LegacySession {
  readonly id: string
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly watch: Watch
  /** Newest last; messages without a request go to the newest stream. */
  readonly streams: NotificationStream[]
  /** For each request without an answer, the ids without one of the POST that it came with. */
  readonly unanswered: Map<string | number, Set<string | number>>
  /** Undefined for a session that only this process has. */
  shared: SharedState | undefined
}

/** When the database was last asked about a session, and told that it is in use, by the clock of the process. */
export interface SharedState {
  readonly principalId: string
  askedAt: number
  touchedAt: number
}

export interface SessionParts {
  readonly id: string
  /** Where other servers find it; absent: nowhere. */
  readonly shared: SharedSessions | undefined
  serverFor(connection: Connection): Server
  /** Is told of each message to the client. */
  touched(): void
}

/** Creates a session that is connected, and in no table. */
export async function createLegacySession(parts: SessionParts): Promise<LegacySession> {
  const { id, shared } = parts
  const streams: NotificationStream[] = []
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
  const own = createWatch((uri) => {
    streams.at(-1)?.notify(messageFrame(updated(uri)))
  })
  const watch = shared ? sharedWatch(own, id, shared) : own
  const server = parts.serverFor({ era: 'legacy', callerOf, watch })
  const unanswered: LegacySession['unanswered'] = new Map()
  const session: LegacySession = { id, server, transport, watch, streams, unanswered, shared: undefined }
  sendThroughStreams(session, parts.touched)
  await server.connect(transport)
  return session
}

/**
 * Takes a POST of the session, or refuses one with the id of a request in flight. Its stream ends when each of its
 * requests is answered or cancelled.
 */
export async function takePost(
  session: LegacySession,
  request: Request,
  handling: { readonly parsedBody: unknown; readonly authInfo: ReturnType<typeof authInfoOf> },
): Promise<Response> {
  const messages = [handling.parsedBody].flat()
  const ids = messages.map(echoableId).filter((id) => id !== null)
  const ofPost = new Set(ids)
  // A second request of an id in flight would take the answer of the first, whose stream would never end.
  if (ofPost.size < ids.length || ids.some((id) => session.unanswered.has(id)))
    return invalidRequest(ID_IN_FLIGHT, handling.parsedBody)
  for (const id of ids) session.unanswered.set(id, ofPost)
  const response = await session.transport.handleRequest(request, handling)
  const done = response.ok ? messages.map(cancelledId).filter((id) => id !== undefined) : ids
  for (const id of done) settle(session, id)
  return response
}

/** The SDK ends a stream with its last answer, and waits without end for that of a cancelled request. */
function settle({ unanswered, transport }: LegacySession, id: string | number): void {
  const ofPost = unanswered.get(id)
  unanswered.delete(id)
  ofPost?.delete(id)
  if (ofPost?.size === 0) transport.closeSSEStream(id)
}

/** A watch whose subscriptions other servers know before the client is answered. */
function sharedWatch(own: Watch, id: string, shared: SharedSessions): Watch {
  return {
    ...own,
    get uris() {
      return own.uris
    },
    async subscribe(catalog, ctx, uri) {
      await own.subscribe(catalog, ctx, uri)
      await shared.subscribe(id, uri)
    },
    async unsubscribe(uri) {
      await own.unsubscribe(uri)
      await shared.unsubscribe(id, uri)
    },
  }
}

/** Sends messages without a request to the newest GET stream, if any; the SDK's own stream has no limit. */
function sendThroughStreams(session: LegacySession, touched: () => void): void {
  const { transport, streams } = session
  const send = transport.send.bind(transport)
  transport.send = async (message, sendOptions) => {
    touched()
    const belongsToNoCall = 'method' in message && sendOptions?.relatedRequestId === undefined
    if (belongsToNoCall) streams.at(-1)?.notify(messageFrame(message))
    else await send(withLegacyCode(withoutValidatorText(message)), sendOptions)
    if (!('method' in message) && message.id !== undefined) settle(session, message.id)
  }
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** Repeats what the client said to the server that had the session. What it may not read any more, it does not watch. */
export async function repeatSession(
  { id, transport }: LegacySession,
  { initialize, uris }: SharedSession,
  principal: Principal,
): Promise<void> {
  const say = async (message: unknown, headers: Readonly<Record<string, string>>): Promise<void> => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
    })
    const answer = await transport.handleRequest(request, {
      parsedBody: message,
      authInfo: authInfoOf(principal),
    })
    await answer.text()
  }
  await say(JSON.parse(initialize), {})
  const known = { 'mcp-session-id': id }
  await say(INITIALIZED, known)
  for (const [n, uri] of uris.entries()) {
    await say({ jsonrpc: '2.0', id: `subscribe-${n}`, method: 'resources/subscribe', params: { uri } }, known)
  }
}
