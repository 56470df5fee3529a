import { isJsonObject, type RouteContext, SatchelError } from '../../../server/plugin.ts'
import { refusal } from '../domain/refusal.ts'
import { sessionIdOf } from '../house/credentials.ts'

/** A JSON answer that no cache keeps. */
export function json(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(data), {
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
  if (type !== 'application/json') {
    throw new SatchelError('invalid', 'media_type', 'Send the body as application/json.')
  }
  try {
    const value: unknown = JSON.parse(await request.text())
    if (isJsonObject(value)) {
      return value
    }
  } catch {
    // said below, as for every other wrong shape
  }
  throw refusal('invalid_request', 'The body must be a JSON object.')
}

/** A text field of a body. Errors: `invalid`/`invalid_request` when it is missing or no text. */
export function textField(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name]
  if (typeof value === 'string') return value
  throw refusal('invalid_request', `"${name}" must be a text.`, {
    details: { errors: [{ pointer: `/${name}`, message: 'must be a text' }] },
  })
}

/** The session behind a request. Errors: `unauthorized`/`unauthorized`. */
export function sessionOfRequest({ principal }: RouteContext): string {
  const sessionId = principal && sessionIdOf(principal)
  if (sessionId !== undefined) return sessionId
  throw refusal('unauthorized', 'This needs a workspace session: join the room first.')
}
