import {
  isJsonObject,
  isLargeJson,
  jsonPieces,
  pacedBody,
  type RouteContext,
} from '../../../server/plugin.ts'
import { sessionIdOf } from '../domain/session.ts'
import { refusals } from '../reasons.ts'

/** A JSON response that is never cached. A large one is made while it is sent. */
export function json(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonBodied(isLargeJson(data) ? pacedBody(jsonPieces(data)) : JSON.stringify(data), headers)
}

/** The same of a body that is JSON already. */
export function jsonBodied(
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/**
 * The body of a JSON request as an object.
 * Errors: `invalid`/`media_type` (415), `invalid`/`invalid_request`.
 */
export async function jsonBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw refusals.media_type()
  try {
    const value: unknown = JSON.parse(await request.text())
    if (isJsonObject(value)) return value
  } catch {
    // refused below, like any other malformed body
  }
  throw refusals.body_not_object()
}

/** A string field of a body. Errors: `invalid`/`invalid_request` if it is missing or not a string. */
export function textField(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name]
  if (typeof value === 'string') return value
  throw refusals.field_not_text(
    { field: name },
    { errors: [{ pointer: `/${name}`, message: 'must be a string' }] },
  )
}

/** The session behind a request. Errors: `unauthorized`/`unauthorized`. */
export function sessionOfRequest({ principal }: RouteContext): string {
  const sessionId = principal && sessionIdOf(principal)
  if (sessionId !== undefined) return sessionId
  throw refusals.unauthorized()
}
