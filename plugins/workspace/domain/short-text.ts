import { visibleLine, withoutHidden } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { outOfRange } from './refusal.ts'

/** Several lines as the room stores and shows them: no hidden characters, a tab as a blank, no blanks at their ends; `\n` between them. */
export function plainLines(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => withoutHidden(line.replaceAll('\t', ' ')).trimEnd())
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
  return required(visibleLine(text), what, max)
}

/** As `requiredLine`, for a text of several lines. */
export function requiredLines(text: string, what: string, max: number): string {
  return required(plainLines(text), what, max)
}

function required(text: string, what: string, max: number): string {
  if (text === '') throw refusals.text_empty({ what })
  return within(text, what, max)
}

/** A cleaned line, or undefined when absent or empty. Errors: `invalid`/`limit_exceeded` above `max` code points. */
export function optionalLine(text: string | undefined, what: string, max: number): string | undefined {
  const line = visibleLine(text ?? '')
  return line === '' ? undefined : within(line, what, max)
}

function within(text: string, what: string, max: number): string {
  if (countChars(text) > max) throw outOfRange(`length of the ${what} in characters`, max)
  return text
}
