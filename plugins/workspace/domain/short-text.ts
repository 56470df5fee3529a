import { outOfRange, refusal } from './refusal.ts'

/** What a reader cannot see or that reorders what is seen: controls, bidi, zero-width, tag characters, lone surrogates. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu

/** One line of text as the room stores and shows it: no invisible characters, single spaces, trimmed. */
export function oneLine(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(UNSEEN, '')
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** Joiners, which emoji and some scripts cannot do without. */
const JOINERS = /[\u200c\u200d]/

/** Text without what reorders or hides it: as `oneLine`, but characters stay joined and blanks stay. */
export function plainName(text: string): string {
  return text.replace(UNSEEN, (unseen) => (JOINERS.test(unseen) ? unseen : ''))
}

/** Several lines as the room stores and shows them: each as `plainName`, a tab as a blank, no blanks at their ends; `\n` between them. */
export function plainLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => plainName(line.replaceAll('\t', ' ')).trimEnd())
  return lines.join('\n').trim()
}

/** The first `max` code points; a character of two code units is never split. */
export function firstChars(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** How many code points a text has. */
export function countChars(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/**
 * A cleaned line of 1 to `max` code points.
 * Errors: `invalid`/`invalid_request` when nothing is left, `invalid`/`limit_exceeded` when it is longer.
 */
export function requiredLine(text: string, what: string, max: number): string {
  return required(oneLine(text), what, max)
}

/** As `requiredLine`, for a text of several lines. */
export function requiredLines(text: string, what: string, max: number): string {
  return required(plainLines(text), what, max)
}

function required(text: string, what: string, max: number): string {
  if (text === '') throw refusal('invalid_request', `The ${what} is empty.`)
  return within(text, what, max)
}

/** A cleaned line, or undefined where none is given or nothing is left of it. Errors: `invalid`/`limit_exceeded` above `max` code points. */
export function optionalLine(text: string | undefined, what: string, max: number): string | undefined {
  const line = oneLine(text ?? '')
  return line === '' ? undefined : within(line, what, max)
}

function within(text: string, what: string, max: number): string {
  if (countChars(text) > max) throw outOfRange(`length of the ${what} in characters`, max)
  return text
}

/** UTF-8 text of at most `maxBytes`, cut between characters. */
export function firstBytes(text: string, maxBytes: number): { readonly text: string; readonly cut: boolean } {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return { text, cut: false }
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { text: bytes.subarray(0, end).toString('utf8'), cut: true }
}
