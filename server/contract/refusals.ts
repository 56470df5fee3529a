import { type ErrorCode, type FieldError, type NextStep, SatchelError } from './errors.ts'

/** One thing that is refused, as a caller reads it. Words in braces are filled in where it is thrown. */
export interface RefusalRow {
  readonly code: ErrorCode
  /** Absent: the row's name. Set it where a reason has several rows. */
  readonly reason?: string
  /** What was wrong: `Version {base} is stale; the document is at {head}.` */
  readonly message: string
  /** The next safe step, added to the message. */
  readonly next?: string
  /** A tool without required input that is safe to call next, unless the caller names another. */
  readonly tool?: string
}

export interface RefusalOptions {
  readonly details?: Readonly<Record<string, unknown>>
  /** Added to the details as `errors`. */
  readonly errors?: readonly FieldError[]
  readonly next?: NextStep
  readonly cause?: unknown
}

type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never
type PlaceholderOf<Row extends RefusalRow> = Placeholder<Row['message']> | Placeholder<Row['next']>
type Values = Readonly<Record<string, string | number>>

/** Makes the error of one row; a row without placeholders takes the options only. */
export type Refusal<Row extends RefusalRow> = {
  readonly row: Row
} & ([PlaceholderOf<Row>] extends [never]
  ? (options?: RefusalOptions) => SatchelError
  : (values: Readonly<Record<PlaceholderOf<Row>, string | number>>, options?: RefusalOptions) => SatchelError)

/**
 * A table of refusals as functions: `throw refusals.stale_version({ base, head }, { cause })`. The documents are
 * generated from the rows. A value is inserted as it is: quote or shorten foreign text before.
 */
export function defineRefusals<const Rows extends Readonly<Record<string, RefusalRow>>>(
  rows: Rows,
): { readonly [Name in keyof Rows]: Refusal<Rows[Name]> } {
  const refusals = Object.entries(rows).map(([name, row]) => [name, refusalOf(name, row)])
  return Object.fromEntries(refusals) as unknown as { readonly [Name in keyof Rows]: Refusal<Rows[Name]> } // one per row
}

function refusalOf(name: string, row: RefusalRow) {
  const template = row.next === undefined ? row.message : `${row.message} ${row.next}`
  const make = (values: Values, { errors, details, next, cause }: RefusalOptions = {}): SatchelError => {
    const step = next ?? (row.tool === undefined ? undefined : { tool: row.tool, args: {} })
    return new SatchelError(row.code, row.reason ?? name, fill(template, values), {
      ...((details || errors) && { details: { ...details, ...(errors && { errors }) } }),
      ...(step && { next: step }),
      cause,
    })
  }
  const takesValues = template.includes('{')
  return Object.assign(takesValues ? make : (options?: RefusalOptions) => make({}, options), { row })
}

/** One pass: a value that holds braces is not filled in again. */
function fill(template: string, values: Values): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
