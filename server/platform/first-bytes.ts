const MAX_BYTES_A_UNIT = 3

/** UTF-8 text of at most `maxBytes`, cut between characters. */
export function firstBytes(text: string, maxBytes: number): { readonly text: string; readonly cut: boolean } {
  if (text.length <= maxBytes / MAX_BYTES_A_UNIT) return { text, cut: false }
  // Each code unit takes a byte at least: the rest does not fit, and encoding a long one takes milliseconds.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1), 'utf8')
  if (bytes.length <= maxBytes) return { text, cut: false }
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { text: bytes.subarray(0, end).toString('utf8'), cut: true }
}
