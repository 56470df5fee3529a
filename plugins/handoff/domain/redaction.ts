import { grouped, isJsonObject, type Pieces } from '../../../server/plugin.ts'
import { childPointer } from './json-pointer.ts'
import type { Redaction } from './record.ts'
import { REPLACEMENT } from './secret-rules.ts'
import { findingSecrets, replaceSpans, type SecretFinding } from './secrets.ts'

export interface Redacted<T> {
  readonly value: T
  readonly ledger: readonly Redaction[]
}

/**
 * A copy of a JSON value without its secrets, and the ledger of what was replaced. Names that hold a secret become
 * `redacted_key_<n>`. Only the matched spans are replaced.
 */
export function* redactingValue<T>(value: T): Pieces<Redacted<T>> {
  const found = yield* findingSecrets(value)
  if (found.length === 0) return { value, ledger: [] }
  const findings = grouped(found, ({ pointer }) => pointer)
  const ledger: Redaction[] = []
  let nextKey = nextKeyNumber(value)
  // `from` and `to` are the pointers of the node in the value and in the copy.
  const rebuild = (node: unknown, from: string, to: string): unknown => {
    if (typeof node === 'string') {
      const spans = (findings.get(from) ?? []).filter((finding) => !finding.inName)
      ledger.push(...ledgerOf(spans.map((span) => ({ ...span, pointer: to }))))
      return spans.length === 0 ? node : replaceSpans(node, spans)
    }
    if (Array.isArray(node)) {
      return node.map((element, index) =>
        rebuild(element, childPointer(from, index), childPointer(to, index)),
      )
    }
    if (!isJsonObject(node)) return node
    const entries = Object.entries(node).map(([name, member]) => {
      const at = childPointer(from, name)
      const secretName = findings.get(at)?.find((finding) => finding.inName)
      const kept = secretName ? redactedKey(nextKey++) : name
      const target = childPointer(to, kept)
      if (secretName)
        ledger.push({ field: target, reason: `secret_name:${secretName.rule}`, replacement: kept })
      return [kept, rebuild(member, at, target)] as const
    })
    return Object.fromEntries(entries)
  }
  return { value: rebuild(value, '', '') as T, ledger } // a copy of the same shape
}

/** Ledger entries of findings in text, one per string and rule. */
export function ledgerOf(findings: readonly SecretFinding[]): Redaction[] {
  const seen = new Set<string>()
  const entries: Redaction[] = []
  for (const { pointer, rule, inName } of findings) {
    const key = `${pointer}\u0000${rule}`
    if (inName || seen.has(key)) continue
    seen.add(key)
    entries.push({ field: pointer, reason: `secret:${rule}`, replacement: REPLACEMENT })
  }
  return entries
}

/** The new name of a member whose name held a secret. */
export function redactedKey(number: number): string {
  return `redacted_key_${number}`
}

/** One above the highest number of a renamed member, so that names stay unique. */
export function nextKeyNumber(value: unknown): number {
  let highest = 0
  const look = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(look)
    else if (isJsonObject(node)) {
      for (const [name, member] of Object.entries(node)) {
        const number = /^redacted_key_([0-9]{1,9})$/.exec(name)?.[1]
        if (number !== undefined) highest = Math.max(highest, Number(number))
        look(member)
      }
    }
  }
  look(value)
  return highest + 1
}
