import { type ErrorCode, type FieldError, type NextStep, SatchelError } from './errors.ts'

/** One refusal as callers read it. The call that creates the error fills in the words in braces. */
export interface RefusalRow {
  readonly code: ErrorCode
  /** Absent: the name of the row. Set it if a reason has several rows. */
  readonly reason?: string
  /** The problem: `Version {base} is stale; the document is at {head}.` */
  readonly message: string
  /** The next safe step, appended to the message. */
  readonly next?: string
  /** A tool without required input that is safe to call next, unless the options name another. */
  readonly tool?: string
  /** Members of the details that hold text of other authors. */
  readonly untrusted?: readonly string[]
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

/** Creates the error of one row; a row without placeholders takes only the options. */
export type Refusal<Row extends RefusalRow> = {
  readonly row: Row
} & ([PlaceholderOf<Row>] extends [never]
  ? (options?: RefusalOptions) => SatchelError
  : (values: Readonly<Record<PlaceholderOf<Row>, string | number>>, options?: RefusalOptions) => SatchelError)

/**
 * Turns a table of refusals into functions: `throw refusals.stale_version({ base, head }, { cause })`. The documents
 * are generated from the rows. Values are inserted unchanged: quote or shorten text of other authors first.
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
      ...(row.untrusted && { untrusted: row.untrusted }),
      cause,
    })
  }
  const takesValues = template.includes('{')
  return Object.assign(takesValues ? make : (options?: RefusalOptions) => make({}, options), { row })
}

/** Fills in placeholders in one pass, so that braces in a value stay as they are. */
function fill(template: string, values: Values): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
