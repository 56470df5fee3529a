/** The start of a text, and the length of the whole text. */
export interface Text {
  readonly bytes: Uint8Array
  readonly size: number
}

/** README and licence texts by blob and how much of it was wanted: the tags of a repository share most of them. */
export interface TextCache {
  find(oid: string, limit: number): Text | undefined
  add(oid: string, limit: number, text: Text): void
}

const MAX_BYTES = 16 * 1024 * 1024

/** Holds up to 16 MiB; later texts are read again. */
export function createTextCache(): TextCache {
  const held = new Map<string, Text>()
  let bytesHeld = 0
  return {
    find: (oid, limit) => held.get(`${oid}:${limit}`),
    add(oid, limit, text) {
      const key = `${oid}:${limit}`
      if (held.has(key) || bytesHeld + text.bytes.length > MAX_BYTES) return
      bytesHeld += text.bytes.length
      held.set(key, text)
    },
  }
}
