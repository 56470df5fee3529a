import { once } from '../../../server/plugin.ts'
import { normalized, offsetsIn } from './normal-form.ts'
import { pemSpans } from './pem-keys.ts'
import { isPlaceholder, RESOURCE_NAME } from './placeholder.ts'
import { createKindScan, type KindScan, type KindWord, type KnownSecret, kindWords } from './secret-kinds.ts'
import { RULES, type Rule } from './secret-table.ts'
import { isStrong, type SecretSpan } from './secret-values.ts'
import { createWordSearch } from './word-search.ts'

/** Replaces the span of a secret. */
export const REPLACEMENT = '[REDACTED]'

/** What a word tells: rules, by their places in the table, and kinds of tokens. */
interface KnownWord {
  readonly rules: number[]
  readonly kind: KindWord | undefined
}

/** One search for the words of all rules and kinds. */
const knownWords = once(() => {
  const words = new Map<string, KnownWord>()
  for (const [word, kind] of kindWords()) words.set(word, { rules: [], kind })
  for (const [place, rule] of RULES.entries()) {
    for (const word of rule.words) {
      const known = words.get(word) ?? { rules: [], kind: undefined }
      known.rules.push(place)
      words.set(word, known)
    }
  }
  return createWordSearch(words)
})

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
    const more = scan(rest.text)
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

/** The spans of one pass, in order, without overlaps: what rules find or, if that is nothing, tokens of known kinds. */
function scan(text: string): SecretSpan[] {
  const found: SecretSpan[] = pemSpans(text)
  // Most texts have no word of either.
  let rules: RuleScan | undefined
  let kinds: KindScan | undefined
  knownWords()(text, (word, at) => {
    if (word.kind && found.length === 0) {
      kinds ??= createKindScan(text)
      kinds.visit(word.kind, at)
    }
    if (word.rules.length > 0) {
      rules ??= createRuleScan(text, found)
      rules(word.rules, at)
    }
  })
  return withoutOverlaps(found.length > 0 || !kinds ? found : spansOf(kinds.found, text))
}

/** Asks rules at a word. */
type RuleScan = (places: readonly number[], at: number) => void

function createRuleScan(text: string, found: SecretSpan[]): RuleScan {
  const states: readonly RuleState[] = RULES.map(() => ({ next: 0, misses: 0 }))
  return (places, at) => {
    for (const place of places) {
      const state = states[place]
      const rule = RULES[place]
      if (state === undefined || rule === undefined || at < state.next) continue
      const end = addMatch(rule, text, at, found)
      if (end > 0) state.next = end
      else if (++state.misses > MISSES_MAX) state.next = nextMatch(place, text, at)
    }
  }
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

/** The parts between spans that are long enough for a secret, and the way back for spans in them, which come in order. */
function uncovered(text: string, spans: readonly SecretSpan[]) {
  if (spans.length === 0) return { text, inText: (span: SecretSpan) => span }
  const places: { readonly at: number; readonly from: number }[] = []
  const parts: string[] = []
  let at = 0
  let from = 0
  const keep = (to: number): void => {
    if (to - from < SECRET_CHARS_MIN) return
    places.push({ at, from })
    parts.push(text.slice(from, to), '\n')
    at += to - from + 1
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

function spansOf(known: readonly KnownSecret[], text: string): SecretSpan[] {
  return known
    .filter(({ start, end }) => !isPlaceholder(text.slice(start, end)))
    .map((secret) => ({ ...secret, prefix: '' }))
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
