import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Principal } from '../contract/advanced/principal.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { McpExchange } from '../mcp-mount.ts'
import { authInfoOf, callerOf } from './caller.ts'
import { updated } from './listen.ts'
import {
  endStreamsOf,
  messageFrame,
  type NotificationStream,
  type NotificationStreamOptions,
  openNotificationStream,
} from './notification-stream.ts'
import { REFUSED } from './protocol-errors.ts'
import { refusals } from './refusals.ts'
import { echoableId, refusal, refusalOf } from './rpc-refusal.ts'
import type { Connection } from './server.ts'
import { createSessionTable, type SessionTable } from './session-table.ts'
import { createWatch, type Watch } from './watch.ts'
import { withLegacyCode, withoutValidatorText } from './wire.ts'

/** Maximum number of GET streams of one session or principal (mcp, section 5). */
export const MAX_STREAMS = 4

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly watch: Watch
  /** Newest last; messages without a request go to the newest stream. */
  readonly streams: NotificationStream[]
}

export interface LegacyOptions {
  serverFor(connection: Connection): Server
  readonly stream: Pick<NotificationStreamOptions, 'pump' | 'after'>
  /** Milliseconds of a monotonic clock. */
  clock(): number
}

/** Streamable HTTP for clients before 2026-07-28. Sessions are kept in memory and lost at a restart. */
export interface LegacySessions {
  post(exchange: McpExchange, principal: Principal, body: unknown): Promise<Response>
  /** Opens the stream of a session for messages that answer no request. */
  get(exchange: McpExchange, principal: Principal, sessionId: string): Response
  /** Ends the streams of one listener and keeps the sessions. */
  endStreams(listener: string): void
  /** Ends a session. */
  delete(principal: Principal, sessionId: string): Promise<Response>
  close(): Promise<void>
}

/** Creates the transport without sessions; the owner closes it. */
export function createLegacySessions(options: LegacyOptions): LegacySessions {
  const sessions = createSessionTable<Session>({
    clock: options.clock,
    hasStream: ({ streams }) => streams.length > 0,
    end: (session) => endSession(session),
  })
  return {
    async post(exchange, principal, body) {
      const { request } = exchange
      const handling = { parsedBody: body, authInfo: authInfoOf(principal) }
      const sessionId = request.headers.get('mcp-session-id')
      if (sessionId !== null) {
        const session = sessions.find(sessionId, principal.id)
        return session ? session.transport.handleRequest(request, handling) : sessionNotFound(body)
      }
      if (!isInitializeRequest(body)) return needsSession(body)
      const opened = await openSession(options, sessions, principal)
      const response = await opened.transport.handleRequest(request, handling)
      if (!response.ok) await opened.server.close()
      return response
    },
    get(exchange, principal, sessionId) {
      const session = sessions.find(sessionId, principal.id)
      if (!session) return sessionNotFound(undefined)
      if (session.streams.length >= MAX_STREAMS) return refusalOf(tooManyStreams())
      openStream(exchange, principal, session, options)
      return exchange.alreadySent()
    },
    async delete(principal, sessionId) {
      const session = sessions.find(sessionId, principal.id)
      if (!session) return sessionNotFound(undefined)
      await sessions.remove(sessionId)
      return new Response(null, { status: 200 })
    },
    endStreams(listener) {
      for (const { streams } of sessions.all()) endStreamsOf(streams, listener)
    },
    close: () => sessions.close(),
  }
}

async function openSession(
  options: LegacyOptions,
  sessions: SessionTable<Session>,
  principal: Principal,
): Promise<Session> {
  const id = randomUUID()
  const streams: NotificationStream[] = []
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
  const watch = createWatch((uri) => {
    streams.at(-1)?.notify(messageFrame(updated(uri)))
  })
  const server = options.serverFor({ era: 'legacy', callerOf, watch })
  const session: Session = { server, transport, watch, streams }
  sendThroughStreams(session, () => sessions.touch(id))
  server.onclose = () => void sessions.remove(id) // its clean-up never rejects
  await sessions.add(id, principal.id, session)
  await server.connect(transport)
  return session
}

/** Sends messages without a request to the newest GET stream, if any; the SDK's own stream has no limit. */
function sendThroughStreams({ transport, streams }: Session, touched: () => void): void {
  const send = transport.send.bind(transport)
  transport.send = async (message, sendOptions) => {
    touched()
    const belongsToNoCall = 'method' in message && sendOptions?.relatedRequestId === undefined
    if (belongsToNoCall) streams.at(-1)?.notify(messageFrame(message))
    else await send(withLegacyCode(withoutValidatorText(message)), sendOptions)
  }
}

function openStream(
  exchange: McpExchange,
  principal: Principal,
  session: Session,
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
  stream.start(hints, { 'mcp-session-id': session.transport.sessionId ?? '' })
}

async function endSession({ server, watch, streams }: Session): Promise<void> {
  watch.close()
  for (const stream of [...streams]) stream.end()
  await server.close()
}

function needsSession(body: unknown): Response {
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
