import { randomUUID } from 'node:crypto'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { asCallerError } from '../call.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { McpExchange, McpMount } from '../mcp-mount.ts'
import { cancelledId, isRequest } from './admission.ts'
import { ID_IN_FLIGHT } from './batches.ts'
import { authInfoOf, callerOf } from './caller.ts'
import { createDoor, type Door } from './door.ts'
import { type HttpMountOptions, MESSAGE_MAX_BYTES } from './http.ts'
import { updated } from './listen.ts'
import { requireScopes } from './needed-scope.ts'
import { messageFrame, type NotificationStream, openNotificationStream } from './notification-stream.ts'
import { refusals } from './refusals.ts'
import { faultInMeta } from './request-meta.ts'
import { echoableId, invalidParams, invalidRequest, refusal, refusalOf } from './rpc-refusal.ts'
import { serverFor } from './server.ts'
import { createSessionTable, type SessionTable } from './session-table.ts'
import { createWatch } from './watch.ts'
import { validMessage, withLegacyCode, withoutValidatorText } from './wire.ts'

/** Maximum number of queued bytes; the stream also carries answers, which may be large (mcp, section 5). */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

interface SseSession {
  readonly server: Server
  /** Unanswered requests; the stream ends after their answers. */
  readonly pending: Set<string | number>
  isEnding: boolean
  readonly transport: Transport
  readonly stream: NotificationStream
}

/**
 * Creates the HTTP+SSE transport of 2024-11-05: `GET /sse` opens a session and carries all messages of the server,
 * `POST /messages` takes those of the client. It does not serve `/mcp`.
 */
export function createSseMount(options: HttpMountOptions): McpMount {
  const door = createDoor(options)
  const sessions = createSessionTable<SseSession>({
    clock: options.clock ?? (() => performance.now()),
    hasStream: ({ stream }) => !stream.closed,
    async end({ server, stream }) {
      stream.end()
      await server.close()
    },
  })
  const open = (exchange: McpExchange): Promise<Response> => openSession(exchange, sessions, options, door)
  const take = (exchange: McpExchange): Promise<Response> => takeMessage(exchange, sessions, door)
  return {
    routes: [
      { method: 'ALL', path: '/sse' },
      { method: 'ALL', path: '/messages' },
      { method: 'ALL', path: '/messages/' },
    ],
    async handle(exchange) {
      const { method, url } = exchange.request
      const isStream = new URL(url).pathname === '/sse'
      if (method !== (isStream ? 'GET' : 'POST')) return refusalOf(wrongMethod(isStream))
      try {
        return await (isStream ? open : take)(exchange)
      } catch (thrown) {
        return refusalOf(asCallerError(thrown, { log: options.log, signal: exchange.request.signal }, 'sse'))
      }
    },
    refuse: (error) => refusalOf(error),
    endStreams(listener) {
      for (const session of sessions.all()) {
        if (session.stream.listener !== listener) continue
        session.isEnding = true
        endWhenAnswered(session)
      }
    },
    close: () => sessions.close(),
  }
}

function endWhenAnswered({ isEnding, pending, stream }: SseSession): void {
  if (isEnding && pending.size === 0) stream.end()
}

async function openSession(
  exchange: McpExchange,
  sessions: SessionTable<SseSession>,
  options: HttpMountOptions,
  door: Door,
): Promise<Response> {
  const principal = await exchange.authenticate()
  const id = randomUUID()
  const stream = openNotificationStream(exchange, principal.id, {
    pump: options.pump,
    maxBytes: MAX_WAITING_BYTES,
    ...(options.after && { after: options.after }),
    onClose: () => void sessions.remove(id), // the end of a session never rejects
  })
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      stream.notify(messageFrame(withLegacyCode(withoutValidatorText(message))))
      if ('id' in message && !('method' in message) && message.id !== undefined) {
        session.pending.delete(message.id)
        endWhenAnswered(session)
      }
    },
    close: async () => transport.onclose?.(),
  }
  const watch = createWatch((uri) => stream.notify(messageFrame(updated(uri))))
  const server = serverFor(door, { era: 'legacy', callerOf, watch })
  server.onclose = () => watch.close()
  const session: SseSession = { server, transport, stream, pending: new Set(), isEnding: false }
  await sessions.add(id, principal.id, session)
  await server.connect(transport)
  stream.start([Buffer.from(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`)])
  return exchange.alreadySent()
}

async function takeMessage(
  exchange: McpExchange,
  sessions: SessionTable<SseSession>,
  door: Door,
): Promise<Response> {
  const principal = await exchange.authenticate()
  const body = await exchange.readBody(MESSAGE_MAX_BYTES)
  await requireScopes(door, principal, body)
  const session = sessions.find(exchange.parameter('sessionId') ?? '', principal.id)
  if (!session) {
    return refusal({ status: 404, code: -32001, message: 'Session not found', id: echoableId(body) })
  }
  const fault = faultInMeta(body)
  if (fault !== undefined) return invalidParams(fault, body)
  const message = validMessage(body)
  if (!message) return invalidRequest('Not a JSON-RPC message', body)
  if (isRequest(message)) {
    if (session.pending.has(message.id)) return invalidRequest(ID_IN_FLIGHT, body)
    session.pending.add(message.id)
  }
  const cancelled = cancelledId(message)
  if (cancelled !== undefined) session.pending.delete(cancelled) // a cancelled request gets no answer
  session.transport.onmessage?.(message, { authInfo: authInfoOf(principal), request: exchange.request })
  return new Response(null, { status: 202 })
}

function wrongMethod(isStream: boolean): SatchelError {
  return isStream ? refusals.stream_method() : refusals.message_method()
}
