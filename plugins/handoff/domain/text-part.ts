import { refusals } from '../reasons.ts'

/** Part of a text: parts that follow one another are the text again, byte by byte. */
export interface TextPart {
  readonly part: string
  /** Bytes of the whole. */
  readonly bytes: number
  /** Where the next part begins; undefined: this is the last. */
  readonly next: number | undefined
}

/**
 * At most `maxBytes` (4 or more) of a text from byte `offset` on, cut between characters.
 * Errors: `invalid`/`invalid_arguments` for an offset behind the end or inside a character.
 */
export function partOf(text: string, offset: number, maxBytes: number): TextPart {
  const whole = Buffer.from(text)
  if (offset > whole.length || isInside(whole, offset)) {
    const errors = [{ pointer: '/offset', message: 'no part starts there' }]
    throw refusals.bad_offset({ bytes: whole.length }, { errors })
  }
  let end = Math.min(whole.length, offset + maxBytes)
  while (isInside(whole, end)) end--
  return {
    part: whole.toString('utf8', offset, end),
    bytes: whole.length,
    next: end < whole.length ? end : undefined,
  }
}

/** Whether a byte goes on with a character that began before it. */
function isInside(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80
}
