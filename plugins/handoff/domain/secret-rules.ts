import { once } from '../../../server/plugin.ts'
import { isJwt } from './json-web-token.ts'
import { normalized, offsetsIn } from './normal-form.ts'
import { isPlaceholder, RESOURCE_NAME } from './placeholder.ts'
import { entropy, knownSecrets } from './secret-kinds.ts'

/** Replaces the span of a secret. */
export const REPLACEMENT = '[REDACTED]'

/** Our rules for secrets in a text, beside the kinds of tokens in `secret-kinds.ts`. Every pattern runs in linear time: bounded prefixes, one greedy tail. */

/** A span of a text, in UTF-16 units. */
export interface SecretSpan {
  readonly rule: string
  readonly start: number
  readonly end: number
  /** The public prefix of the secret's kind, such as `ghp_`; never more of it. */
  readonly prefix: string
}

interface Rule {
  readonly name: string
  readonly pattern: RegExp
  /** The length of the public prefix that a preview may show. */
  readonly shown: number
  /** Judges a match: the secret, and all of it with its name. */
  accept?(secret: string, whole: string): boolean
}

const hasDigitAndLetter = (text: string) => /[0-9]/.test(text) && /[A-Za-z]/.test(text)

// design handoff, section 11; each pattern ends with the secret, its group 1
const RULES: readonly Rule[] = [
  { name: 'aws_key', pattern: /\b(A[KS]IA[A-Z0-9]{16})\b/g, shown: 4 },
  { name: 'github_token', pattern: /\b(gh[opsur]_[A-Za-z0-9]{20,})/g, shown: 4 },
  { name: 'github_token', pattern: /\b(github_pat_[A-Za-z0-9_]{20,})/g, shown: 11 },
  { name: 'gitlab_token', pattern: /\b(glpat-[A-Za-z0-9_-]{16,})/g, shown: 6 },
  { name: 'slack_token', pattern: /\b(xox[a-z]-[A-Za-z0-9-]{10,})/g, shown: 5 },
  { name: 'anthropic_key', pattern: /\b(sk-ant-[A-Za-z0-9_-]{16,})/g, shown: 7 },
  { name: 'api_key', pattern: /\b(sk-[A-Za-z0-9_-]{20,})/g, shown: 3, accept: hasDigitAndLetter },
  { name: 'google_key', pattern: /\b(AIza[0-9A-Za-z_-]{35})/g, shown: 4 },
  { name: 'atlassian_token', pattern: /\b(ATATT3[A-Za-z0-9_=-]{60,})/g, shown: 6 },
  { name: 'stripe_webhook', pattern: /\b(whsec_[A-Za-z0-9+/=]{24,})/g, shown: 6, accept: hasDigitAndLetter },
  { name: 'npm_token', pattern: /\b(npm_[A-Za-z0-9]{30,})/g, shown: 4 },
  { name: 'pypi_token', pattern: /\b(pypi-[A-Za-z0-9_-]{16,})/g, shown: 5, accept: mixed },
  { name: 'huggingface_token', pattern: /\b(hf_[A-Za-z0-9]{20,})/g, shown: 3 },
  {
    name: 'jwt',
    pattern: /\b(eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,20000}\.[A-Za-z0-9_-]*)/g,
    shown: 3,
    accept: isJwt,
  },
  {
    name: 'url_user_info',
    pattern: /\b(?:https?|wss?|ftp|git\+https):\/\/([^\s/@?#"'<>]{3,300})(?=@)/gi,
    shown: 0,
    accept: isUserInfo,
  },
  {
    name: 'url_user_info',
    pattern: /:\/\/([^\s/@?#"'<>:]{1,100}:[^\s/@?#"'<>]{1,300})(?=@)/g,
    shown: 0,
  },
  {
    name: 'command_user',
    pattern: /\s(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'`/]{1,100}:([^\s"'`]{6,300})/g,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'authorization',
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:bearer|basic|token|digest)[ \t]{1,4}([^\s"',;]{8,})/gi,
    shown: 0,
  },
  {
    name: 'authorization',
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([^\s"',;]{12,})/gi,
    shown: 0,
    accept: isStrong,
  },
  {
    name: 'bearer',
    pattern: /\bbearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/gi,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'assigned_secret',
    // A longer name is refused first: it would be walked back letter by letter.
    pattern:
      /(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)(?![A-Za-z0-9_-]{25})[A-Za-z0-9_-]{0,24}["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/gi,
    shown: 0,
    accept: isStrong,
  },
  {
    name: 'assigned_secret',
    pattern: /(?:[_-]|\b)(?:pass|pw|auth)["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/gi,
    shown: 0,
    // `auth: OAuth2.0-PKCE` names a way, not a secret.
    accept: (secret, whole) =>
      isStrong(secret) && (THREE_DIGITS.test(secret) || !/^.?auth/i.test(whole)) && !isWordy(secret),
  },
  {
    name: 'assigned_key',
    pattern:
      /(?:api[_-]?key|account[_-]?key|api[_-]?secret|secret[_-]?key|client[_-]?secret|access[_-]?key|access[_-]?token|auth[_-]?token|private[_-]?key|app[_-]?secret|password|passwd)["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["'`]?([A-Za-z0-9_+/=.-]{16,200})(?![A-Za-z0-9_(.[])/gi,
    shown: 0,
    accept: isRandomKey,
  },
]

/** Rules of the same flags, and one pattern for all of them: most texts match none, and one search costs less than many. */
const groups = once(() =>
  [...new Set(RULES.map(({ pattern }) => pattern.flags))].map((flags) => {
    const rules = RULES.filter(({ pattern }) => pattern.flags === flags)
    const sources = rules.map(({ pattern }) => pattern.source)
    return { rules, any: new RegExp(sources.join('|'), flags.replace('g', '')) }
  }),
)

const PEM_OPEN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** The name of a member that may hold a secret as its whole value: `{"password": "…"}`. */
export const SECRET_NAME =
  /pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|credential|authorization|(?:^|[_-])(?:pass|pw)$/i

/**
 * Every secret in the text, in order, without overlaps. A fixpoint: with these spans replaced, the text has none. What
 * is left between two replacements is scanned again, and a replacement itself is a border that no rule crosses.
 */
export function secretSpans(text: string): readonly SecretSpan[] {
  if (text.length < TEXT_CHARS_MIN) return []
  const plain = normalized(text)
  const open = plain
    .replaceAll(REPLACEMENT, BORDER)
    .replace(RESOURCE_NAME, (name) => '\n'.repeat(name.length))
  let spans: SecretSpan[] = []
  for (;;) {
    const rest = uncovered(open, spans)
    // Ours first: what they found the kinds need not look at.
    let more = scan(rest.text)
    if (more.length === 0) more = knownSpans(rest.text)
    if (more.length === 0) break
    spans = spans.length === 0 ? more : withoutOverlaps([...spans, ...more.map(rest.inText)])
  }
  if (spans.length === 0 || plain === text) return spans
  const offsets = offsetsIn(text, plain.length)
  return spans.map((span) => ({
    ...span,
    start: offsets[span.start] ?? 0,
    end: offsets[span.end] ?? text.length,
  }))
}

/** As long as a replacement, so that spans keep their places. No pattern of a rule crosses the end of a line. */
const BORDER = '\n'.repeat(REPLACEMENT.length)

/** The spans of one pass, in order, without overlaps. */
function scan(text: string): SecretSpan[] {
  const found: SecretSpan[] = pemSpans(text)
  for (const { rules, any } of groups()) {
    if (!any.test(text)) continue
    for (const rule of rules) addMatches(rule, text, found)
  }
  return withoutOverlaps(found)
}

function addMatches({ name, pattern, shown, accept }: Rule, text: string, found: SecretSpan[]): void {
  pattern.lastIndex = 0
  // Not matchAll: a text may hold fifty thousand secrets, and its iterator costs as much as a match.
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const secret = match[1] ?? ''
    if (accept && !accept(secret, match[0])) continue
    if (shown === 0 && isPlaceholder(secret)) continue
    const end = pattern.lastIndex
    found.push({ rule: name, start: end - secret.length, end, prefix: secret.slice(0, shown) })
  }
}

/** The lines between spans that are long enough for a secret, and the way back for spans in them, which come in order. */
function uncovered(text: string, spans: readonly SecretSpan[]) {
  if (spans.length === 0) return { text, inText: (span: SecretSpan) => span }
  const places: { readonly at: number; readonly from: number }[] = []
  const parts: string[] = []
  let at = 0
  let from = 0
  let lineEnd = -1
  const keep = (to: number): void => {
    for (; to - from >= SECRET_CHARS_MIN; from = lineEnd + 1) {
      if (lineEnd < from) lineEnd = endOfLine(text, from)
      const end = Math.min(lineEnd, to)
      if (end - from < SECRET_CHARS_MIN) continue
      places.push({ at, from })
      parts.push(text.slice(from, end), '\n')
      at += end - from + 1
    }
  }
  for (const { start, end } of spans) {
    keep(start)
    from = end
  }
  keep(text.length)
  let place = 0
  const original = (offset: number): number => {
    while ((places[place + 1]?.at ?? Number.POSITIVE_INFINITY) <= offset) place++
    const known = places[place]
    return known ? known.from + offset - known.at : offset
  }
  const inText = (span: SecretSpan): SecretSpan => {
    const start = original(span.start)
    return { ...span, start, end: original(span.end - 1) + 1 }
  }
  return { text: parts.join(''), inText }
}

/** The shortest text with a secret is `://a:b@`: a record of many names must not cost a scan for each. */
const TEXT_CHARS_MIN = 7
/** No rule finds a shorter secret. */
const SECRET_CHARS_MIN = 8

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** The tokens of known kinds, in order, without overlaps. */
function knownSpans(text: string): SecretSpan[] {
  const found = knownSecrets(text).filter(({ start, end }) => !isPlaceholder(text.slice(start, end)))
  return withoutOverlaps(found.map((known) => ({ ...known, prefix: '' })))
}

/** True when the value of a member with a name of a secret is one. */
export function isSecretValue(value: string): boolean {
  return !/\s/.test(value) && !isPlaceholder(value) && isStrong(value)
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
    /^(?:[a-z0-9-]{1,12}:)?[0-9a-f]{7,128}$/i.test(text) ||
    /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
  )
}

function pemSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  let from = 0
  for (const match of text.matchAll(PEM_OPEN)) {
    if (match.index < from) continue
    const bodyAt = match.index + match[0].length
    const close = text.indexOf('-----END ', bodyAt)
    const lineEnd = close < 0 ? -1 : text.indexOf('-----', close + 9)
    const end = lineEnd < 0 ? endOfKey(text, bodyAt) : lineEnd + 5
    if (end === undefined) {
      // Without an end and a body it is a mention; no later one has an end either.
      if (close < 0 && !hasBody(text, bodyAt, text.length)) break
      continue
    }
    spans.push({ rule: 'private_key', start: match.index, end, prefix: '-----BEGIN' })
    from = end
  }
  return spans
}

/** A line of a key's body is not shorter. */
const BODY_CHARS = 40

/** True if 40 letters, digits, `+`, `/` or `=` are in a row. From a unit that breaks the row the next 40 are due. */
function hasBody(text: string, from: number, to: number): boolean {
  const end = Math.min(to, text.length)
  for (let last = from + BODY_CHARS - 1; last < end; ) {
    let row = 0
    while (row < BODY_CHARS && isBodyUnit(text.charCodeAt(last - row))) row++
    if (row === BODY_CHARS) return true
    last += BODY_CHARS - row
  }
  return false
}

function isBodyUnit(unit: number): boolean {
  return classOf(unit) !== OTHER_CLASS || unit === 0x2b || unit === 0x2f || unit === 0x3d
}

/** Lines of a key and of its headers. */
const KEY_LINES = /(?:[A-Za-z0-9+/=:, ."'-]{0,100}(?:\r?\n|\\n|$))*/y

/** Where a key without an end line ends; undefined if it has no body: then the text only speaks of one. */
function endOfKey(text: string, bodyAt: number): number | undefined {
  if (!hasBody(text, bodyAt, bodyAt + 400)) return undefined
  KEY_LINES.lastIndex = bodyAt
  return Math.max(KEY_LINES.exec(text)?.[0].length ?? 0, 0) + bodyAt
}

/** Merges overlapping spans. May sort its argument, or return it. */
function withoutOverlaps(spans: SecretSpan[]): SecretSpan[] {
  if (areApart(spans)) return spans
  const kept: SecretSpan[] = []
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1)
    if (last && span.start < last.end) {
      if (span.end > last.end) kept[kept.length - 1] = { ...last, end: span.end }
    } else kept.push(span)
  }
  return kept
}

/** True if each span begins where the one before it ended, or later. */
function areApart(spans: readonly SecretSpan[]): boolean {
  let end = 0
  for (const span of spans) {
    if (span.start < end) return false
    end = span.end
  }
  return true
}

const THREE_DIGITS = /^(?:[^0-9]*[0-9]){3}/

/** A value of an explicitly named key that is too irregular for a word, a path or a name. */
function isRandomKey(value: string): boolean {
  if (!THREE_DIGITS.test(value) || !/[a-z]/i.test(value) || /^(?:sha\d+|git)[-:]/.test(value)) return false
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) return false
  return !isWordy(value) && entropy(value) >= 3
}

/** True for what has two words or more between its signs: a path or a name. */
function isWordy(value: string): boolean {
  WORD.lastIndex = 0
  return WORD.test(value) && WORD.test(value)
}

const WORD = /(?<![A-Za-z0-9])(?:[a-z]{3,}|[A-Z][a-z]{2,}|[A-Z]{3,})(?![A-Za-z0-9])/g

/** `user:password`, or a token in their place; the name of a user alone is none. */
function isUserInfo(value: string): boolean {
  const colon = value.indexOf(':')
  if (colon >= 0) return colon < value.length - 1
  if (isWordy(value)) return false
  return isStrong(value) || (value.length >= 20 && hasDigitAndLetter(value) && entropy(value) >= 3)
}

function isStrong(value: string): boolean {
  return value.length >= 12 && !isPublicHash(value) && classes(value) >= 3
}

function mixed(value: string): boolean {
  return classes(value.slice(5)) >= 3 || /[A-Z]/.test(value)
}

/** The number of character classes: lower case, upper case, digits, others. */
function classes(value: string): number {
  let seen = 0
  for (let at = 0; at < value.length && seen !== 0b1111; at++) seen |= classOf(value.charCodeAt(at))
  return (seen & 1) + ((seen >> 1) & 1) + ((seen >> 2) & 1) + ((seen >> 3) & 1)
}

const OTHER_CLASS = 0b1000

function classOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return 0b0001
  if (unit >= 0x41 && unit <= 0x5a) return 0b0010
  if (unit >= 0x30 && unit <= 0x39) return 0b0100
  return OTHER_CLASS
}
