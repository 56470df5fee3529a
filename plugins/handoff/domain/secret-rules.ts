import { once } from '../../../server/plugin.ts'
import { isJwt } from './json-web-token.ts'
import { normalized, offsetsIn } from './normal-form.ts'
import { pemSpans } from './pem-keys.ts'
import { isPlaceholder, RESOURCE_NAME } from './placeholder.ts'
import { knownSecrets } from './secret-kinds.ts'
import {
  hasDigitAndLetter,
  isRandomKey,
  isStrong,
  isUserInfo,
  isWordy,
  mixed,
  type SecretSpan,
  THREE_DIGITS,
} from './secret-values.ts'
import { createWordSearch } from './word-search.ts'

/** Replaces the span of a secret. */
export const REPLACEMENT = '[REDACTED]'

/** Our rules for secrets in a text, beside the kinds of tokens in `secret-kinds.ts`. Every pattern runs in linear time: bounded prefixes, one greedy tail. */

interface Rule {
  readonly name: string
  /** Each match begins with one of these, in any case, or `lead` characters before it. */
  readonly words: readonly string[]
  readonly lead?: 1
  /** Sticky: it is asked only where one of the words is. */
  readonly pattern: RegExp
  /** The length of the public prefix that a preview may show. */
  readonly shown: number
  /** Judges a match: the secret, and all of it with its name. */
  accept?(secret: string, whole: string): boolean
}

/** A name of two words, in its three spellings. */
const named = (first: string, second: string) => ['', '_', '-'].map((sign) => first + sign + second)
const SECRET_WORDS = [
  ...['password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'credential'],
  ...['api', 'access', 'private'].flatMap((kind) => named(kind, 'key')),
]
const KEY_WORDS = [
  ...['api', 'account', 'secret', 'access', 'private'].flatMap((kind) => named(kind, 'key')),
  ...['api', 'client', 'app'].flatMap((kind) => named(kind, 'secret')),
  ...['access', 'auth'].flatMap((kind) => named(kind, 'token')),
  ...['password', 'passwd'],
]

// design handoff, section 11; each pattern ends with the secret, its group 1
const RULES: readonly Rule[] = [
  { name: 'aws_key', words: ['akia', 'asia'], pattern: /\b(A[KS]IA[A-Z0-9]{16})\b/y, shown: 4 },
  {
    name: 'github_token',
    words: ['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_'],
    pattern: /\b(gh[opsur]_[A-Za-z0-9]{20,})/y,
    shown: 4,
  },
  { name: 'github_token', words: ['github_pat_'], pattern: /\b(github_pat_[A-Za-z0-9_]{20,})/y, shown: 11 },
  { name: 'gitlab_token', words: ['glpat-'], pattern: /\b(glpat-[A-Za-z0-9_-]{16,})/y, shown: 6 },
  { name: 'slack_token', words: ['xox'], pattern: /\b(xox[a-z]-[A-Za-z0-9-]{10,})/y, shown: 5 },
  { name: 'anthropic_key', words: ['sk-ant-'], pattern: /\b(sk-ant-[A-Za-z0-9_-]{16,})/y, shown: 7 },
  {
    name: 'api_key',
    words: ['sk-'],
    pattern: /\b(sk-[A-Za-z0-9_-]{20,})/y,
    shown: 3,
    accept: hasDigitAndLetter,
  },
  { name: 'google_key', words: ['aiza'], pattern: /\b(AIza[0-9A-Za-z_-]{35})/y, shown: 4 },
  { name: 'atlassian_token', words: ['atatt3'], pattern: /\b(ATATT3[A-Za-z0-9_=-]{60,})/y, shown: 6 },
  {
    name: 'stripe_webhook',
    words: ['whsec_'],
    pattern: /\b(whsec_[A-Za-z0-9+/=]{24,})/y,
    shown: 6,
    accept: hasDigitAndLetter,
  },
  { name: 'npm_token', words: ['npm_'], pattern: /\b(npm_[A-Za-z0-9]{30,})/y, shown: 4 },
  { name: 'pypi_token', words: ['pypi-'], pattern: /\b(pypi-[A-Za-z0-9_-]{16,})/y, shown: 5, accept: mixed },
  { name: 'huggingface_token', words: ['hf_'], pattern: /\b(hf_[A-Za-z0-9]{20,})/y, shown: 3 },
  {
    name: 'telegram_token',
    words: [':aa'],
    // Before the colon is the number of the bot.
    pattern: /(?<=(?<![0-9])[0-9]{8,10}):(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])/y,
    shown: 2,
    accept: hasDigitAndLetter,
  },
  {
    name: 'jwt',
    words: ['eyj'],
    pattern: /\b(eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,20000}\.[A-Za-z0-9_-]*)/y,
    shown: 3,
    accept: isJwt,
  },
  {
    name: 'url_user_info',
    words: ['http://', 'https://', 'ws://', 'wss://', 'ftp://', 'git+https://'],
    pattern: /\b(?:https?|wss?|ftp|git\+https):\/\/([^\s/@?#"'<>]{3,300})(?=@)/iy,
    shown: 0,
    accept: isUserInfo,
  },
  {
    name: 'url_user_info',
    words: ['://'],
    // The user may be empty, as in the address of a cache.
    pattern: /:\/\/([^\s/@?#"'<>:]{0,100}:[^\s/@?#"'<>]{1,300})(?=@)/y,
    shown: 0,
  },
  {
    name: 'command_user',
    words: ['-u', '--user', '--proxy-user'],
    lead: 1,
    pattern: /\s(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'`/]{1,100}:([^\s"'`]{6,300})/y,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'authorization',
    words: ['authorization'],
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:bearer|basic|token|digest)[ \t]{1,4}([^\s"',;]{8,})/iy,
    shown: 0,
  },
  {
    name: 'authorization',
    words: ['authorization'],
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([^\s"',;]{12,})/iy,
    shown: 0,
    accept: isStrong,
  },
  {
    name: 'bearer',
    words: ['bearer'],
    pattern: /\bbearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/iy,
    shown: 0,
    accept: hasDigitAndLetter,
  },
  {
    name: 'assigned_secret',
    // A longer name is refused first: it would be walked back letter by letter.
    words: SECRET_WORDS,
    pattern:
      /(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)(?![A-Za-z0-9_-]{25})[A-Za-z0-9_-]{0,24}["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/iy,
    shown: 0,
    accept: isStrong,
  },
  {
    name: 'assigned_secret',
    words: ['pass', 'pw', 'auth'],
    pattern: /(?<![A-Za-z0-9])(?:pass|pw|auth)["']?[ \t]{0,4}[:=]>?[ \t]{0,4}["'`]?([^\s"'`,;<>{}]{12,})/iy,
    shown: 0,
    // `auth: OAuth2.0-PKCE` names a way, not a secret.
    accept: (secret, whole) =>
      isStrong(secret) && (THREE_DIGITS.test(secret) || !/^.?auth/i.test(whole)) && !isWordy(secret),
  },
  {
    name: 'assigned_key',
    words: KEY_WORDS,
    pattern:
      /(?:api[_-]?key|account[_-]?key|api[_-]?secret|secret[_-]?key|client[_-]?secret|access[_-]?key|access[_-]?token|auth[_-]?token|private[_-]?key|app[_-]?secret|password|passwd)["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["'`]?([A-Za-z0-9_+/=.-]{16,200})(?![A-Za-z0-9_(.[])/iy,
    shown: 0,
    accept: isRandomKey,
  },
]

/** The rules of each word, by their places in the table. */
const ruleWords = once(() => {
  const places = new Map<string, number[]>()
  for (const [place, { words }] of RULES.entries()) {
    for (const word of words) places.set(word, [...(places.get(word) ?? []), place])
  }
  return createWordSearch(places)
})

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
  const open = withoutNames(plain.replaceAll(REPLACEMENT, BORDER))
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
  const offsets = offsetsIn(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
  )
  return spans.map((span, at) => ({
    ...span,
    start: offsets[2 * at] ?? 0,
    end: offsets[2 * at + 1] ?? text.length,
  }))
}

function withoutNames(text: string): string {
  if (!text.includes('arn:aws')) return text
  return text.replace(RESOURCE_NAME, (name) => '\n'.repeat(name.length))
}

/** As long as a replacement, so that spans keep their places. No pattern of a rule crosses the end of a line. */
const BORDER = '\n'.repeat(REPLACEMENT.length)

/** The spans of one pass, in order, without overlaps. */
function scan(text: string): SecretSpan[] {
  const found: SecretSpan[] = pemSpans(text)
  let state: RuleState[] | undefined // most texts have no word of a rule
  ruleWords()(text, (places, at) => {
    state ??= RULES.map(() => ({ next: 0, misses: 0 }))
    for (const place of places) {
      const of = state[place]
      const rule = RULES[place]
      if (of === undefined || rule === undefined || at < of.next) continue
      const end = addMatch(rule, text, at, found)
      if (end > 0) of.next = end
      else if (++of.misses > MISSES_MAX) of.next = nextMatch(place, text, at)
    }
  })
  return withoutOverlaps(found)
}

/** Where the next match of a rule may begin, and at how many of its words none was. */
interface RuleState {
  next: number
  misses: number
}

/** From so many on, one search from match to match costs less than a look at each word. */
const MISSES_MAX = 10_000

/** The word of the rule's next match after the one at `wordAt`. */
function nextMatch(place: number, text: string, wordAt: number): number {
  const pattern = anywhere()[place]
  if (!pattern) return text.length
  pattern.lastIndex = wordAt
  const match = pattern.exec(text)
  return match ? match.index + (RULES[place]?.lead ?? 0) : text.length
}

const anywhere = once(() => RULES.map(({ pattern }) => new RegExp(pattern, pattern.flags.replace('y', 'g'))))

/** Adds what the rule finds at a word. Returns where the match ends, or 0. */
function addMatch(rule: Rule, text: string, wordAt: number, found: SecretSpan[]): number {
  const { name, pattern, shown, accept } = rule
  pattern.lastIndex = wordAt - (rule.lead ?? 0)
  const match = pattern.exec(text)
  if (!match) return 0
  const end = pattern.lastIndex
  const secret = match[1] ?? ''
  if (accept && !accept(secret, match[0])) return end
  if (shown === 0 && isPlaceholder(secret)) return end
  found.push({ rule: name, start: end - secret.length, end, prefix: secret.slice(0, shown) })
  return end
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

/** Merges overlapping spans. May sort its argument, or return it. */
function withoutOverlaps(spans: SecretSpan[]): SecretSpan[] {
  if (areApart(spans)) return spans
  const kept: SecretSpan[] = []
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b))) {
    const last = kept.at(-1)
    if (last && span.start < last.end) {
      if (span.end > last.end) kept[kept.length - 1] = { ...last, end: span.end }
    } else kept.push(span)
  }
  return kept
}

/** The place of the span's rule in the table: of rules that find the same secret the first is named. */
function rank({ rule }: SecretSpan): number {
  return RULES.findIndex(({ name }) => name === rule)
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
