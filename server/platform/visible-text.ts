/**
 * What a reader sees of a text: one definition for names, titles, summaries and quoted text.
 *
 * Hidden are control, format, private-use and unassigned characters, lone surrogates, line and paragraph separators,
 * everything Unicode calls default-ignorable (variation selectors, tags, fillers) and the blank Braille pattern. A
 * joiner or selector that changes how its neighbours look stays: emoji sequences, Persian and Indic words, Mongolian
 * letters. Tab and LF are not hidden.
 */

import { once } from './once.ts'

/** Format characters that have a shape of their own (Prepended_Concatenation_Mark, which JavaScript cannot name). */
const VISIBLE_FORMAT = '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]'
const HIDDEN = `(?!${VISIBLE_FORMAT}|\\p{Extended_Pictographic})[\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`

/** Arabic letters that do not join the next one, so that a non-joiner after them changes nothing. */
const ENDS_JOINING =
  '[\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef]'
const VIRAMA = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]'
const EMOJI = '\\p{Extended_Pictographic}(?:[\\ufe0e\\ufe0f]|\\p{Emoji_Modifier})?'

/** Where a character of the hidden class is part of what is seen. Each names the character first, then its neighbours. */
const NEEDED = [
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}', // flags of England, Scotland, Wales
  `${EMOJI}(?:\\u200d${EMOJI})*`,
  '[0-9#*]\\ufe0f\\u20e3',
  `\\u200c(?<=(?!${ENDS_JOINING})(?=\\p{L})\\p{Script=Arabic}\\p{M}{0,4}\\u200c)(?=\\p{Script=Arabic})`,
  `[\\u200c\\u200d](?<=${VIRAMA}[\\u200c\\u200d])`,
  `\\u200d(?<=[\\u0900-\\u0dff]\\u200d)(?=${VIRAMA})`, // Bengali ra before ya
  '[\\u180b-\\u180f](?<=[\\u1820-\\u18aa][\\u180b-\\u180f])',
].join('|')

/** Classes of Unicode take milliseconds to make, and most texts are without any. */
const anyHidden = once(() => new RegExp(HIDDEN, 'u'))
const neededOrHidden = once(() => new RegExp(`(${NEEDED})|(?:${HIDDEN})+`, 'gu'))
/** Up to this length a loop is faster than a regular expression. */
const LOOP_MAX_CHARS = 40
const [TAB, LF, BLANK, TILDE] = [0x09, 0x0a, 0x20, 0x7e]
const PRINTABLE_ASCII = /^[\t\n\x20-\x7e]*$/

/** Text without its hidden characters. Idempotent. */
export function withoutHidden(text: string): string {
  return hasUnseen(text) ? text.replace(neededOrHidden(), '$1') : text
}

/** Text with each hidden character written as `\u{200b}`. */
export function showHidden(text: string): string {
  if (!hasUnseen(text)) return text
  return text.replace(neededOrHidden(), (run, needed?: string) => needed ?? escaped(run))
}

/** True where a character is of the hidden class, needed or not. */
function hasUnseen(text: string): boolean {
  return !isPrintableAscii(text) && anyHidden().test(text)
}

/** True for a text of ASCII alone, without control characters but tab and LF. */
export function isPrintableAscii(text: string): boolean {
  if (text.length > LOOP_MAX_CHARS) return PRINTABLE_ASCII.test(text)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > TILDE || (code < BLANK && code !== TAB && code !== LF)) return false
  }
  return true
}

function escaped(run: string): string {
  return Array.from(run, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`).join('')
}

/** True when a text has a hidden character. */
export function hasHidden(text: string): boolean {
  return withoutHidden(text) !== text
}

/**
 * A text on one line, as names, titles and summaries are stored: without hidden characters, each run of white space
 * one blank, trimmed. Empty when no character is left that has a shape of its own.
 */
export function visibleLine(text: string): string {
  const line = withoutHidden(text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' '))
    .replace(/\s+/gu, ' ')
    .trim()
  return /[^\p{M}\s]/u.test(line) ? line : ''
}

/** Scripts that modern languages are written in (UAX 31, table 5), with those whose letters look like Latin ones. */
const SCRIPTS =
  'Latin Cyrillic Greek Armenian Arabic Bengali Bopomofo Cherokee Coptic Devanagari Ethiopic Georgian Glagolitic Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Lisu Malayalam Myanmar Oriya Runic Sinhala Tamil Telugu Thaana Thai Tibetan'.split(
    ' ',
  )
/** Scripts that one word mixes in Japanese, Chinese and Korean (UTS 39, highly restrictive). */
const TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul']
let patterns: { readonly known: RegExp; readonly writings: readonly RegExp[] } | undefined

/**
 * True when one word has letters of scripts that no language mixes, such as a Cyrillic letter in a Latin name: it may
 * pass for another word. Words of different scripts beside each other are not a mix. Follows UTS 39, section 5.
 */
export function mixesScripts(text: string): boolean {
  if (/^[\u0000-\u007f]*$/.test(text)) return false
  patterns ??= scriptPatterns()
  const { known, writings } = patterns
  const words = text.match(/[\p{L}\p{M}\p{N}\u200c\u200d_'\u2019]+/gu) ?? []
  return words.some((word) => known.test(word) && !writings.some((writing) => writing.test(word)))
}

/** Made at the first use: 40 properties take 10 ms to look up. */
function scriptPatterns() {
  const known = new RegExp(`[${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u')
  const writings = [...SCRIPTS, ...TOGETHER].map((scripts) => {
    const allowed = [...scripts.split(' '), 'Common', 'Inherited']
    return new RegExp(`^[${allowed.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]*$`, 'u')
  })
  return { known, writings }
}
