import { isJsonObject } from '../../../server/plugin.ts'
import { childPointer } from './json-pointer.ts'
import { sha256 } from './record-id.ts'
import { isPublicHash, isSecretMember, randomWords, secretSpans } from './secret-rules.ts'

/** Replaces the span of a secret. */
export const REPLACEMENT = '[REDACTED]'

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
  const findings: SecretFinding[] = []
  walk(value, {
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

/** Pointers of strings that look random but match no rule. */
export function findRandomText(value: unknown): readonly string[] {
  const pointers: string[] = []
  walk(value, {
    text: (pointer, name, text) => {
      if (isExempt(pointer, name, text) || inText(pointer, name, text).length > 0) return
      if (randomWords(text)) pointers.push(pointer)
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

function walk(value: unknown, visitor: Visitor, pointer = '', name?: string): void {
  if (typeof value === 'string') {
    visitor.text(pointer, name, value)
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) walk(element, visitor, childPointer(pointer, index), name)
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const at = childPointer(pointer, key)
      visitor.name?.(at, key)
      walk(member, visitor, at, key)
    }
  }
}

function inText(pointer: string, name: string | undefined, text: string): SecretFinding[] {
  if (isExempt(pointer, name, text)) return []
  const spans = secretSpans(text)
  if (spans.length === 0 && name !== undefined && isSecretMember(name, text)) {
    return [{ pointer, rule: 'secret_member', start: 0, end: text.length, preview: '…' }]
  }
  return spans.map((span) => finding(pointer, span))
}

function finding(
  pointer: string,
  span: { rule: string; start: number; end: number; prefix: string },
): SecretFinding {
  const { rule, start, end, prefix } = span
  return { pointer, rule, start, end, preview: `${prefix}…` }
}

function isExempt(pointer: string, name: string | undefined, text: string): boolean {
  if (pointer === '/$schema' || text === REPLACEMENT) return true
  const word = text.startsWith('git:') ? text.slice(4) : text
  return isPublicHash(word) && (name === undefined || HASH_FIELDS.has(name) || !/[A-Z]/.test(word))
}
