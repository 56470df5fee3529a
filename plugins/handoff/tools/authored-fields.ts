import * as z from 'zod'
import { inWords } from '../../../server/plugin.ts'
import type { Authored } from '../domain/new-record.ts'

/** A list of texts. One text is taken as the only one. */
const texts = (what: string) =>
  forgiving((given) => [given], z.array(z.string()))
    .optional()
    .describe(what)
const text = z.string().optional()
const level = z.enum(['high', 'medium', 'low']).optional()

/**
 * A list of items; a mere text is taken as the member `main` of one. The description names the members, which costs a
 * third of the tokens of a full schema.
 */
function items<T extends z.ZodRawShape>(main: string, members: T, what: string) {
  const item = z.looseObject({}).pipe(z.looseObject(members))
  return z
    .array(forgiving((given) => ({ [main]: given }), item))
    .optional()
    .describe(what)
}

/** The schema, which also takes a text by `from`. JSON text is left to the host, which reads it. */
function forgiving<T extends z.ZodType>(from: (given: string) => unknown, schema: T): T {
  const read = (given: unknown) =>
    typeof given === 'string' && !/^\s*[[{]/.test(given) ? from(given) : given
  return z.preprocess(read, schema) as unknown as T // what it publishes and gives is that of `schema`
}

/**
 * The fields of a record that an author fills in, besides title, objective and state. Other members of the record's
 * schema (`id`, `outcome`, `made_at`, …) pass through unchanged. A record is checked against its schema before it is
 * written, so these fields do not repeat those rules.
 */
export const authoredFields = {
  scope: texts('paths and patterns of the work'),
  constraints: texts('what must stay true'),
  definition_of_done: texts('criteria for done'),
  completed: texts('finished work'),
  in_progress: texts('started work'),
  discoveries: texts('what was learned'),
  why_it_matters: inWords(text.describe('why the objective matters')),
  decisions: items(
    'decision',
    { decision: text, rationale: text, evidence_ids: z.array(z.string()).optional() },
    '{decision, rationale, evidence_ids[]}',
  ),
  evidence: items(
    'claim',
    { type: text, claim: text, ref: text, result: text },
    '{id, type: command|test|file|commit|url|human|observation, claim, ref, result}',
  ),
  failed_attempts: items('approach', { approach: text, reason: text }, '{approach, reason, avoid_repeating}'),
  open_items: items(
    'description',
    { priority: level, description: text, suggested_action: text, acceptance_check: text },
    '{priority: high|medium|low, description, suggested_action, acceptance_check}',
  ),
  artifacts: items('path', { path: text }, '{path, role: modified|created|read|generated}'),
  risks: items('description', { description: text }, '{description, severity: high|medium|low, mitigation}'),
  closes: inWords(texts("ids of the parent's open items that are done")),
}

/** The authored part of a tool's input. */
export function authoredOf(input: Authored): Authored {
  const { title, objective, current_state, trigger, extra } = input
  const fields = Object.keys(authoredFields) as (keyof typeof authoredFields)[] // the keys of the literal above
  const said = Object.fromEntries(fields.map((name) => [name, input[name]]))
  return { title, objective, current_state, trigger, extra, ...said }
}
