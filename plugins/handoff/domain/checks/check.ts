import type { Pieces } from '../../../../server/plugin.ts'
import type { JsonDocument, JsonFault } from '../json-text.ts'
import type { Handoff } from '../record.ts'
import type { SchemaFault } from '../schema-verdict.ts'
import type { WorldFacts } from '../world-facts.ts'

/** What a check looks at. */
export interface Subject {
  readonly source: Source
  /** Any JSON value; `undefined` when the source is not JSON. */
  readonly value: unknown
  readonly faults: readonly SchemaFault[]
  /** The readable parts of the value, even if the schema refuses it. */
  readonly record: Handoff
  /** What the project says; absent parts make their checks `skipped`. */
  readonly world: WorldFacts
  readonly now: Date
  readonly transcripts: 'warn' | 'refuse'
}

/** How a record came to us. */
export type Source =
  | { readonly kind: 'value' }
  | { readonly kind: 'text'; readonly document: JsonDocument }
  | { readonly kind: 'broken'; readonly fault: JsonFault }
  | { readonly kind: 'not_utf8' }

export interface CheckFinding {
  readonly level: 'fail' | 'warn'
  readonly detail: string
  readonly pointer?: string
}

/** What a check found; `skipped` says why it could not look. */
export type CheckOutcome = readonly CheckFinding[] | { readonly skipped: string }

/** One row of the table of checks (design handoff, section 7). */
export interface CheckRule {
  readonly name: string
  /** `schema` runs always, `semantic` needs only the record, `repo` needs the store, files or git. */
  readonly level: 'schema' | 'semantic' | 'repo'
  /** Returns the outcome, or steps that produce it. */
  run(subject: Subject): CheckOutcome | Pieces<CheckOutcome>
}

export function fail(detail: string, pointer?: string): CheckFinding {
  return { level: 'fail', detail, ...(pointer !== undefined && { pointer }) }
}

export function warn(detail: string, pointer?: string): CheckFinding {
  return { level: 'warn', detail, ...(pointer !== undefined && { pointer }) }
}
