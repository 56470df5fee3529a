import { z } from 'zod'
import { inWords, nearest, untrusted } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** Input and output fields that several handoff tools have. */

/** A list in an answer: the domain's lists are read-only, and zod's own type for one is not. */
export function list<T extends z.ZodType>(element: T) {
  // the same schema: only the type it is given and gives says `readonly`
  return z.array(element) as unknown as z.ZodType<readonly z.output<T>[], readonly z.input<T>[]>
}

/** The server's instructions name it, once for every tool. */
export const projectField = inWords(
  z.string().optional().describe('folder of the project; default: the one the server was started for'),
)

/** One record, as every tool takes it. */
export const ID_FORMS = 'id, its first or last digits, or latest'

/** Longest reason that a record's history keeps. */
export const MAX_REASON_CHARS = 2000

/** Said in every answer: where, and what to mind. */
export const answerFields = {
  root: z.string().describe('the project root that was used'),
  warnings: list(z.string()).describe('what to mind'),
}

/** Prose of whoever wrote a record. */
export const recordText = untrusted('handoff record')

/** The same where a list shows it: cut for a model. */
export const recordLine = untrusted('handoff record', { mcpMaxChars: 300 })

/** `validation` in the shape of the record's own member, with our pointers. */
export const validationShape = z.object({
  status: z.enum(['pass', 'warn', 'fail', 'not_run']),
  validated_at: z.string().nullable(),
  checks: list(
    z.object({
      name: z.string(),
      status: z.enum(['pass', 'warn', 'fail', 'skipped']),
      detail: z.string(),
      pointers: list(z.string()).optional(),
    }),
  ),
  freshness: z
    .looseObject({
      git_head_at_capture: z.string().nullable(),
      git_head_now: z.string().nullable(),
      stale: z.boolean(),
    })
    .nullable(),
})

export const redactionShape = z.object({ field: z.string(), reason: z.string(), replacement: z.string() })

/** Lines of a digest, at most ten. */
export function digestOf(lines: readonly (string | false | undefined)[]): string {
  return lines
    .filter((line) => typeof line === 'string' && line !== '')
    .slice(0, 10)
    .join('\n')
}

/** A file of the store that is no usable record. */
export const problemShape = z.object({
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
})

/** That an answer was cut: what was left out of it, and the call that reads on. */
export const truncatedShape = z.object({
  reason: z.string(),
  left_out: z.record(z.string(), z.number()).describe('part -> entries left out; a cut text counts as none'),
  next: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
})

/** A digest's line about it; undefined where nothing was cut. */
export function cutLine(truncated: z.output<typeof truncatedShape> | undefined): string | undefined {
  if (!truncated) return undefined
  const counts = Object.entries(truncated.left_out).map(([name, count]) => `${count} of ${name}`)
  const what = counts.length === 0 ? 'long texts' : counts.join(', ').slice(0, 200)
  return `Cut: ${what}. The rest: ${JSON.stringify(truncated.next)}`
}

/**
 * A text as one of the values it may have; listing them all in the input schema would cost every model tokens.
 * Errors: `invalid`/`invalid_arguments` with the values and the nearest one.
 */
export function oneOf<T extends string>(field: string, given: string, values: readonly T[]): T {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  const near = nearest(given, values)
  const hint = near ? ` Did you mean "${near}"?` : ''
  const allowed = values.join(', ')
  const errors = [{ pointer: `/${field}`, message: `one of ${allowed}` }]
  throw refusals.unknown_value({ field, values: allowed, hint }, { errors })
}
