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
