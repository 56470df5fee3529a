/** A JSON answer; no cache keeps it, unless it has an entity tag to ask again with. */
export function jsonAnswer(
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return new Response(JSON.stringify(data), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': headers['etag'] === undefined ? 'no-store' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** `"7"` or `W/"7"` as `7`; text that is no entity tag as it is. */
export function untagged(header: string): string {
  return /^(?:W\/)?"(.*)"$/s.exec(header.trim())?.[1] ?? header.trim()
}

/** Whether `If-None-Match` names the tag. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => each.trim() === '*' || untagged(each) === tag)
}
