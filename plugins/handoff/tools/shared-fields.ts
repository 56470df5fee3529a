import { z } from 'zod'
import { inWords, untrusted } from '../../../server/plugin.ts'

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
