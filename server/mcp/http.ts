import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { asCallerError } from '../call.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { After } from '../fanout/after.ts'
import type { Pump } from '../fanout/pump.ts'
import type { McpExchange, McpMount } from '../mcp-mount.ts'
import { takesEventStream } from './accepted.ts'
import { authInfoOf, callerOf } from './caller.ts'
import { answerDirectly, directCallOf } from './direct-call.ts'
import { createDoor, type Door, type DoorOptions } from './door.ts'
import { type ExtraRequest, extraRequestOf } from './extras.ts'
import { createLegacySessions, type LegacySessions } from './legacy.ts'
import { requireScopes } from './needed-scope.ts'
import { REFUSED } from './protocol-errors.ts'
import { refusals } from './refusals.ts'
import { faultInMeta } from './request-meta.ts'
import { echoableId, invalidParams, type MessageId, refusal, refusalOf } from './rpc-refusal.ts'
import { type Connection, serverFor } from './server.ts'
import { ENDED, type SharedSessions, sharedSessions } from './shared-sessions.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { UnsubscribableError } from './watch.ts'

/** Maximum size of a message (mcp, section 4). */
export const MESSAGE_MAX_BYTES = 4 * 1024 * 1024
const HEARTBEAT_MS = 15_000
const VERSION = '2026-07-28'
const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const HEADER_MISMATCH = -32020

export interface HttpMountOptions extends DoorOptions {
  readonly pump: Pump
  readonly after?: After
  /** Milliseconds of a monotonic clock; absent: the clock of the process. */
  clock?(): number
}

interface Parts {
  readonly door: Door
  readonly modern: McpHttpHandler
  readonly legacy: LegacySessions
  readonly subscriptions: Subscriptions
}

/** Serves MCP over Streamable HTTP at `/mcp` for all supported versions of the protocol. */
export function createHttpMount(options: HttpMountOptions): McpMount {
  const door = createDoor(options)
  const clock = options.clock ?? (() => performance.now())
  const stream = { pump: options.pump, ...(options.after && { after: options.after }) }
  const make = (connection: Connection) => serverFor(door, connection)
  const shared = async (): Promise<SharedSessions | undefined> => {
    const { database } = await options.boot
    return database && sharedSessions(database)
  }
  const legacy = createLegacySessions({ serverFor: make, stream, clock, shared })
  const hear = async (): Promise<void> => (await options.boot).database?.onHint(ENDED, legacy.mayHaveEnded)
  void hear().catch(() => undefined) // who serves says that the host did not start
  const parts: Parts = {
    door,
    modern: createMcpHandler(() => make({ era: 'modern', callerOf }), {
      legacy: 'reject',
      maxSubscriptions: 0,
      keepAliveMs: HEARTBEAT_MS,
      onerror: (error) => options.log.debug('mcp over http', { error }),
    }),
    legacy,
    subscriptions: createSubscriptions({ door, stream, clock }),
  }
  return {
    routes: [{ method: 'ALL', path: '/mcp' }],
    handle: (exchange) => answer(parts, exchange),
    refuse: (error) => refusalOf(error),
    endStreams(listener) {
      parts.subscriptions.endStreams(listener)
      parts.legacy.endStreams(listener)
    },
    async close() {
      parts.subscriptions.close()
      await Promise.all([parts.legacy.close(), parts.modern.close()])
    },
  }
}

async function answer(parts: Parts, exchange: McpExchange): Promise<Response> {
  const handle = HANDLERS[exchange.request.method]
  if (!handle) return refusalOf(refusals.method_not_allowed())
  let id: MessageId = null
  try {
    return await handle(parts, exchange, (body) => {
      id = echoableId(body)
    })
  } catch (thrown) {
    if (ProtocolError.isInstance(thrown)) return protocolRefusal(thrown, id)
    return refusalOf(asRefusal(thrown, parts.door, exchange.request), id)
  }
}

type Handle = (
  parts: Parts,
  exchange: McpExchange,
  bodyRead: (body: unknown) => void,
) => Promise<Response> | Response

const HANDLERS: Readonly<Record<string, Handle>> = {
  /** The order of the checks is part of the contract (mcp, section 4). */
  async POST(parts, exchange, bodyRead) {
    const principal = await exchange.authenticate()
    const body = await exchange.readBody(MESSAGE_MAX_BYTES)
    bodyRead(body)
    await requireScopes(parts.door, principal, body)
    const direct = directCallOf(exchange.incoming, body)
    const answered = direct && (await answerDirectly(parts.door, direct, principal, exchange.signal))
    if (answered) return answered
    const fault = faultInMeta(body)
    if (fault !== undefined) return invalidParams(fault, body)
    if (await isLegacyRequest(exchange.request, body)) return parts.legacy.post(exchange, principal, body)
    const extra = extraRequestOf(body)
    if (extra && namesInHeaders(exchange.request, extra)) {
      const refused = refuseName(exchange.request, extra)
      if (refused) return refused
      return parts.subscriptions.answer(exchange, principal, extra)
    }
    return parts.modern.fetch(exchange.request, { parsedBody: body, authInfo: authInfoOf(principal) })
  },
  async GET(parts, exchange) {
    const { headers } = exchange.request
    if (!takesEventStream(headers.get('accept') ?? '')) throw refusals.method_not_allowed()
    const sessionId = headers.get('mcp-session-id')
    const isModern = headers.get('mcp-protocol-version') === VERSION
    if (isModern || sessionId === null) {
      const refused = refuseVersion(headers.get('mcp-protocol-version'))
      if (refused) return refused
    }
    const principal = await exchange.authenticate()
    if (!isModern && sessionId !== null) return parts.legacy.get(exchange, principal, sessionId)
    return parts.subscriptions.get(exchange, principal)
  },
  async DELETE(parts, exchange) {
    const sessionId = exchange.request.headers.get('mcp-session-id')
    if (sessionId === null) throw refusals.method_not_allowed()
    return parts.legacy.delete(await exchange.authenticate(), sessionId)
  },
}

/** Reports whether the headers repeat the version and the method of the body, as a well-formed request must. */
function namesInHeaders({ headers }: Request, { method }: ExtraRequest): boolean {
  return headers.get('mcp-protocol-version') === VERSION && headers.get('mcp-method') === method
}

const ENCODED_NAME = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** Refuses a name in the headers that disagrees with the URI of the body. The SDK checks only its own methods. */
function refuseName({ headers }: Request, { id, params }: ExtraRequest): Response | undefined {
  const named = headers.get('mcp-name')
  const { uri } = params
  if (named === null || typeof uri !== 'string') return undefined
  const [, encoded] = ENCODED_NAME.exec(named) ?? []
  const header = encoded === undefined ? named : Buffer.from(encoded, 'base64').toString('utf8')
  if (header === uri) return undefined
  return refusal({
    status: 400,
    code: HEADER_MISMATCH,
    message: 'The header Mcp-Name disagrees with the URI of the body.',
    data: { mismatch: { header: header.slice(0, 200), body: uri.slice(0, 200) } },
    id,
  })
}

/** Converts a refused subscription to a response; only the refusal of a URI has status 200. */
function protocolRefusal(error: ProtocolError, id: MessageId): Response {
  const { code, message, data } = error
  const status = error instanceof UnsubscribableError ? 200 : 400
  return refusal({ status, code, message, ...(data !== undefined && { data }), id })
}

/** Refuses a GET without a session unless it names the version whose stream needs none. */
function refuseVersion(version: string | null): Response | undefined {
  if (version === VERSION) return undefined
  if (version === null) {
    return refusal({
      status: 400,
      code: HEADER_MISMATCH,
      message: 'The header MCP-Protocol-Version is missing.',
      data: { mismatch: { header: '(missing)', body: 'a GET names its protocol version in the header' } },
    })
  }
  if (LEGACY_VERSIONS.includes(version)) {
    return refusal({
      status: 400,
      code: REFUSED,
      message: 'Mcp-Session-Id is missing: send initialize first.',
    })
  }
  return refusal({
    status: 400,
    code: ProtocolErrorCode.UnsupportedProtocolVersion,
    message: 'Unsupported protocol version',
    data: { supported: [VERSION], requested: version.slice(0, 40) },
  })
}

function asRefusal(thrown: unknown, { log }: Door, { signal }: Request): SatchelError {
  return asCallerError(thrown, { log, signal }, 'mcp over http')
}
