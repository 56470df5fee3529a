import * as z from 'zod'
import { inWords, nearest, untrusted } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** Input and output fields that several handoff tools share. */

/** A list in an answer, typed as read-only like the lists of the domain. */
export function list<T extends z.ZodType>(element: T) {
  // the same schema; only its types say `readonly`
  return z.array(element) as unknown as z.ZodType<readonly z.output<T>[], readonly z.input<T>[]>
}

/** Not listed per tool: the server's instructions name it once. */
export const projectField = inWords(
  z.string().optional().describe('folder of the project; default: that of the server'),
)

/** The forms of an id that every tool accepts. */
export const ID_FORMS = 'id, its first or last digits, or latest'

/** Longest reason that a record's history keeps. */
export const MAX_REASON_CHARS = 2000

/** Part of every answer. */
export const answerFields = {
  root: z.string().describe('the project root used'),
  warnings: list(z.string()).describe('warnings'),
}

/** Text from a record, marked as untrusted. */
export const recordText = untrusted('handoff record')

/** Text of a record that a caller may send back. */
export const exactText = untrusted('handoff record', { exact: true })

/** A record or a part of it, as data. */
export const anyRecord = z.unknown().meta(exactText.meta() ?? {})

/** The same on one line of a list, shortened for models. */
export const recordLine = untrusted('handoff record', { mcpMaxChars: 300 })

/** The record's `validation` member, with pointers added to its checks. */
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

/** A file of the store that holds no usable record. */
export const problemShape = z.object({
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
})

/** The call to make next. */
export const nextShape = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) })

/** Tells what was left out of an answer, and which call reads on. */
export const truncatedShape = z.object({
  reason: z.string(),
  left_out: z
    .record(z.string(), z.number())
    .describe('part -> entries left out; a shortened text does not count'),
  next: nextShape,
})

/**
 * The text as one of its allowed values. They are not listed in the input schema, which would cost tokens.
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

/** A shell completes an argument that is a record with the ids of those that exist. */
export const RECORD_IDS = { resource: 'handoff://{id}', variable: 'id' } as const
