import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { challengeOf } from '../challenge.ts'
import type { SatchelError } from '../contract/errors.ts'
import { ERROR_TABLE, transportStatus } from '../error-table.ts'
import { retryAfterOf } from '../retry-after.ts'
import { INVALID_PARAMS, REFUSED } from './protocol-errors.ts'

export type MessageId = string | number | null

interface RefusalShape {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly id?: MessageId
  readonly headers?: Readonly<Record<string, string>>
}

/** The value of `Allow` for other methods (mcp, section 4). */
const ALLOW = { allow: 'POST, GET' }
const BY_REASON: Readonly<Record<string, number>> = {
  body_not_json: ProtocolErrorCode.ParseError,
  not_utf8: ProtocolErrorCode.ParseError,
  too_deep: ProtocolErrorCode.InvalidRequest,
}

/** Creates a refusal with a JSON-RPC body. */
export function refusal({ status, code, message, data, id = null, headers }: RefusalShape): Response {
  const error = { code, message, ...(data !== undefined && { data }) }
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** Gives a refusal of the SDK's transport, whose id is null, the id of the request that it answers. */
export async function withIdOf(body: unknown, response: Response): Promise<Response> {
  const id = echoableId(body)
  if (response.ok || id === null) return response
  const { status, headers } = response
  return new Response(JSON.stringify({ ...Object(await response.json()), id }), { status, headers })
}

/** Creates the refusal of a message that breaks the rules of JSON-RPC. */
export function invalidRequest(message: string, body: unknown): Response {
  return refusal({ status: 400, code: ProtocolErrorCode.InvalidRequest, message, id: echoableId(body) })
}

/** Creates the refusal of a request whose params no method takes. */
export function invalidParams(message: string, body: unknown): Response {
  return refusal({ status: 400, code: INVALID_PARAMS, message, id: echoableId(body) })
}

/** Creates a refusal of the transport with the status of its code or reason (mcp, section 4, "Statuses and errors"). */
export function refusalOf(error: SatchelError, id: MessageId = null): Response {
  const status = transportStatus(error.reason) ?? ERROR_TABLE[error.code].http
  const code =
    error.code === 'internal' ? ProtocolErrorCode.InternalError : (BY_REASON[error.reason] ?? REFUSED)
  const internal = error.code === 'internal'
  return refusal({
    status,
    code,
    message: internal ? 'Internal error' : error.message,
    data: internal ? error.details : { code: error.code, reason: error.reason },
    id,
    headers: headersFor(status, error),
  })
}

function headersFor(status: number, error: SatchelError): Record<string, string> {
  const challenge = challengeOf(error)
  if (challenge !== undefined) return { 'www-authenticate': challenge }
  if (status === 405) return ALLOW
  if (status === 408 || status === 413) return { connection: 'close' }
  return status === 429 || status === 503 ? { 'retry-after': retryAfterOf(error) } : {}
}

/** Returns the id for a refusal: that of a single request, otherwise null. */
export function echoableId(body: unknown): MessageId {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('id' in body)) return null
  const { id } = body
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
