import { entropy } from './secret-kinds.ts'

/** A span of a text, in UTF-16 units. */
export interface SecretSpan {
  readonly rule: string
  readonly start: number
  readonly end: number
  /** The public prefix of the secret's kind, such as `ghp_`; never more of it. */
  readonly prefix: string
}

/** True if a word of the text looks random. */
export function randomWords(text: string): boolean {
  for (const [word] of text.matchAll(/[A-Za-z0-9+/_=-]{32,}/g)) {
    if (isPublicHash(word) || word.split('/').length > 3) continue
    if (classes(word) >= 3 && entropy(word.slice(0, 200)) > 4.3) return true
  }
  return false
}

/** Hex of a commit or digest, `alg:hex`, or a uuid: never a secret. */
export function isPublicHash(text: string): boolean {
  return (
    isHex(text.charCodeAt(text.length - 1)) &&
    (/^(?:[a-z0-9-]{1,12}:)?[0-9a-f]{7,128}$/i.test(text) ||
      /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text))
  )
}

function isHex(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}

/** True if there are a digit and a letter. */
export const hasDigitAndLetter = (text: string) => /[0-9]/.test(text) && /[A-Za-z]/.test(text)

/** A beginning with three digits. */
export const THREE_DIGITS = /^(?:[^0-9]*[0-9]){3}/

/** A value of an explicitly named key that is too irregular for a word, a path or a name. */
export function isRandomKey(value: string): boolean {
  if (!THREE_DIGITS.test(value) || !/[a-z]/i.test(value) || /^(?:sha\d+|git)[-:]/.test(value)) return false
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) return false
  return !isWordy(value) && entropy(value) >= 3
}

/** True for what has two words or more between its signs: a path or a name. */
export function isWordy(value: string): boolean {
  WORD.lastIndex = 0
  return WORD.test(value) && WORD.test(value)
}

const WORD = /(?<![A-Za-z0-9])(?:[a-z]{3,}|[A-Z][a-z]{2,}|[A-Z]{3,})(?![A-Za-z0-9])/g

/** `user:password`, or a token in their place; the name of a user alone is none. */
export function isUserInfo(value: string): boolean {
  const colon = value.indexOf(':')
  if (colon >= 0) return colon < value.length - 1
  if (isWordy(value)) return false
  return isStrong(value) || (value.length >= 20 && hasDigitAndLetter(value) && entropy(value) >= 3)
}

/** Long, and of three classes of characters or more. */
export function isStrong(value: string): boolean {
  return value.length >= 12 && classes(value) >= 3 && !isPublicHash(value)
}

/** What follows the prefix of a token of PyPI looks random. */
export function mixed(value: string): boolean {
  return classes(value.slice(5)) >= 3 || /[A-Z]/.test(value)
}

/** The number of character classes: lower case, upper case, digits, others. */
export function classes(value: string): number {
  let seen = 0
  for (let at = 0; at < value.length && seen !== 0b1111; at++) seen |= classOf(value.charCodeAt(at))
  return (seen & 1) + ((seen >> 1) & 1) + ((seen >> 2) & 1) + ((seen >> 3) & 1)
}

/** All others than letters of ASCII and digits. */
export const OTHER_CLASS = 0b1000

/** The class of a character as a bit. */
export function classOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return 0b0001
  if (unit >= 0x41 && unit <= 0x5a) return 0b0010
  if (unit >= 0x30 && unit <= 0x39) return 0b0100
  return OTHER_CLASS
}
