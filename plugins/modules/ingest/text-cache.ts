/** The start of a text, and how long all of it is. */
export interface Text {
  readonly bytes: Uint8Array
  readonly size: number
}

/** README and licence texts by blob: the tags of a repository share most of them. */
export interface TextCache {
  find(oid: string): Text | undefined
  add(oid: string, text: Text): void
}

const MAX_BYTES = 16 * 1024 * 1024

/** Holds up to 16 MiB; what comes later is read again. */
export function createTextCache(): TextCache {
  const held = new Map<string, Text>()
  let bytesHeld = 0
  return {
    find: (oid) => held.get(oid),
    add(oid, text) {
      if (held.has(oid) || bytesHeld + text.bytes.length > MAX_BYTES) return
      bytesHeld += text.bytes.length
      held.set(oid, text)
    },
  }
}
