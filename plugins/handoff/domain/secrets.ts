import { atOnce, isJsonObject, type Pieces } from '../../../server/plugin.ts'
import { childPointer, pointerTokens } from './json-pointer.ts'
import { sha256 } from './record-id.ts'
import { isSecretValue, REPLACEMENT, secretSpans } from './secret-rules.ts'
import { SECRET_NAME } from './secret-table.ts'
import { isPublicHash, randomWords } from './secret-values.ts'

/** One secret in a record. `start` and `end` count UTF-16 units of the string at `pointer`. */
export interface SecretFinding {
  readonly pointer: string
  readonly rule: string
  readonly start: number
  readonly end: number
  /** At most the public prefix, such as `ghp_…`. */
  readonly preview: string
  /** The secret is in the member's name. */
  readonly inName?: true
}

/** Fields that hold commit ids and digests: their hex is never a secret. */
const HASH_FIELDS: ReadonlySet<string> = new Set([
  'head',
  'revision',
  'digest',
  'content_hash',
  'ref',
  'git_head_at_capture',
  'git_head_now',
])

/** Every secret in the strings and in the names of a JSON value. */
export function findSecrets(value: unknown): readonly SecretFinding[] {
  return atOnce(findingSecrets(value))
}

/** `findSecrets` in pieces: a large record has some ten thousand strings and names. */
export function* findingSecrets(value: unknown): Pieces<readonly SecretFinding[]> {
  const findings: SecretFinding[] = []
  yield* walk(value, {
    text: (pointer, name, text) => {
      for (const found of inText(pointer, name, text)) findings.push(found)
    },
    name: (pointer, name) => {
      for (const span of secretSpans(name)) findings.push({ ...finding(pointer, span), inName: true })
    },
  })
  return findings
}

/** Findings for display: a pointer may contain a name that is itself a secret. */
export function shownFindings(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  return findings.map((finding) => ({ ...finding, pointer: redactText(finding.pointer) }))
}

/** A path as git names it: what programs write has names that look random. A known kind of secret is found there too. */
const CAPTURED_PATH = /^\/project\/repository\/uncommitted\/\d+\/path$/

/** Pointers of strings that look random but match no rule. */
export function* findingRandomText(value: unknown): Pieces<readonly string[]> {
  const pointers: string[] = []
  yield* walk(value, {
    text: (pointer, name, text) => {
      if (!randomWords(text) || CAPTURED_PATH.test(pointer) || isExempt(pointer, name, text)) return
      if (inText(pointer, name, text).length === 0) pointers.push(pointer)
    },
  })
  return pointers
}

/** The text with every secret replaced. */
export function redactText(text: string): string {
  return replaceSpans(text, inText('', undefined, text))
}

/** Text of a caller for use in an error: without secrets, at most `chars` characters. */
export function quoted(text: string, chars: number): string {
  return redactText(text).slice(0, chars)
}

/** A name that is only compared: unchanged, or its digest if it holds a secret. */
export function comparableName(name: string): string {
  return redactText(name) === name ? name : sha256(name)
}

/** The text with the spans, which do not overlap, replaced. */
export function replaceSpans(text: string, spans: readonly { start: number; end: number }[]): string {
  const kept: string[] = []
  let from = 0
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    kept.push(text.slice(from, start))
    from = end
  }
  return [...kept, text.slice(from)].join(REPLACEMENT)
}

interface Visitor {
  /** A string, with the name of the member that holds it. */
  text(pointer: string, name: string | undefined, text: string): void
  name?(pointer: string, name: string): void
}

/** Visits every text and name, and may pause after each member. */
function* walk(value: unknown, visitor: Visitor, pointer = '', name?: string): Pieces<void> {
  if (typeof value === 'string') {
    visitor.text(pointer, name, value)
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      yield* walk(element, visitor, childPointer(pointer, index), name)
      yield
    }
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const at = childPointer(pointer, key)
      visitor.name?.(at, key)
      if (typeof member === 'string') visitor.text(at, key, member)
      else if (typeof member === 'object') yield* walk(member, visitor, at, key)
      yield
    }
  }
}

function inText(pointer: string, name: string | undefined, text: string): SecretFinding[] {
  if (isExempt(pointer, name, text)) return []
  const spans = secretSpans(text)
  if (name !== undefined && SECRET_NAME.test(name) && isSecretValue(unredacted(text, spans))) {
    return [{ pointer, rule: 'secret_member', start: 0, end: text.length, preview: '…' }]
  }
  return spans.map((span) => finding(pointer, span))
}

/** What the text keeps when the spans are replaced. */
function unredacted(text: string, spans: readonly { start: number; end: number }[]): string {
  return replaceSpans(text, spans).replaceAll(REPLACEMENT, '')
}

function finding(
  pointer: string,
  span: { rule: string; start: number; end: number; prefix: string },
): SecretFinding {
  const { rule, start, end, prefix } = span
  return { pointer, rule, start, end, preview: `${prefix}…` }
}

function isExempt(pointer: string, name: string | undefined, text: string): boolean {
  if (pointer === '/$schema' || isLedgerEntry(pointer, text)) return true
  const word = text.startsWith('git:') ? text.slice(4) : text
  return isPublicHash(word) && (name === undefined || HASH_FIELDS.has(name) || !/[A-Z]/.test(word))
}

/**
 * An entry of the ledger: the name of a rule, which speaks of tokens and keys, or a pointer whose names are clean each,
 * also if they look like a secret in a row.
 */
function isLedgerEntry(pointer: string, text: string): boolean {
  const member = /^\/redactions\/\d+\/(reason|field)$/.exec(pointer)?.[1]
  if (member === 'reason') return /^secret(?:_name)?:[a-z0-9_]{1,60}$/.test(text)
  if (member !== 'field') return false
  return pointerTokens(text)?.every((token) => secretSpans(token).length === 0) ?? false
}
