/** README and licence texts by blob: the tags of a repository share most of them. */
export interface TextCache {
  find(oid: string): Uint8Array | undefined
  add(oid: string, bytes: Uint8Array): void
}

const MAX_BYTES = 16 * 1024 * 1024

/** Holds up to 16 MiB; what comes later is read again. */
export function createTextCache(): TextCache {
  const held = new Map<string, Uint8Array>()
  let bytesHeld = 0
  return {
    find: (oid) => held.get(oid),
    add(oid, bytes) {
      if (held.has(oid) || bytesHeld + bytes.length > MAX_BYTES) return
      bytesHeld += bytes.length
      held.set(oid, bytes)
    },
  }
}
