import { isLargeJson, jsonPieces } from '../platform/json-pieces.ts'
import { pacedBody } from '../platform/paced-body.ts'

/** Creates a JSON answer, not cacheable unless it has an entity tag for revalidation. A large one is made while it is sent. */
export function jsonAnswer(
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  const body = isLargeJson(data) ? pacedBody(jsonPieces(data)) : JSON.stringify(data)
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      // Stated for HEAD, whose answer has no body that could be measured.
      ...(typeof body === 'string' && { 'content-length': String(Buffer.byteLength(body)) }),
      'cache-control': headers['etag'] === undefined ? 'no-store' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** Returns `7` for `"7"` or `W/"7"`, and any other text unchanged. */
export function untagged(header: string): string {
  return /^(?:W\/)?"(.*)"$/s.exec(header.trim())?.[1] ?? header.trim()
}

/** Reports whether `If-None-Match` names the tag. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => each.trim() === '*' || untagged(each) === tag)
}
