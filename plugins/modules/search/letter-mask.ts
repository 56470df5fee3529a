/** Which letters a word has, as bits: words that share few of them need not be compared letter by letter. */
export function letterMask(word: string): number {
  let mask = 0
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31)
  return mask
}

/** Whether words of these masks may be `edits` edits apart: one edit takes at most one letter away and brings one. */
export function mayBeNear(a: number, b: number, edits: number): boolean {
  let different = a ^ b
  for (let left = 2 * edits; different !== 0; left--) {
    if (left === 0) return false
    different &= different - 1
  }
  return true
}

/** `mayBeNear` of a word as bytes, before it is decoded; any that is not of ASCII may be. */
export function nearBytes(mask: number, edits: number): (bytes: Uint8Array, length: number) => boolean {
  return (bytes, length) => {
    let own = 0
    for (let at = 0; at < length; at++) {
      const byte = bytes[at] ?? 0
      if (byte > 0x7f) return true
      own |= 1 << (byte & 31)
    }
    return mayBeNear(mask, own, edits)
  }
}
