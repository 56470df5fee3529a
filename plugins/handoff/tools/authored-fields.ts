import { z } from 'zod'
import type { Authored } from '../domain/new-record.ts'

const texts = (what: string) => z.array(z.string()).optional().describe(what)
const text = z.string().optional()

/**
 * What an author may say of a record beside its title, objective and state. Items take more members than these
 * (`id`, all of the record's schema, any other): they go through as they are and are checked against the schema.
 */
export const authoredFields = {
  scope: texts('paths'),
  constraints: texts('limits'),
  definition_of_done: texts('done when'),
  completed: texts('done'),
  in_progress: texts('under way'),
  discoveries: texts('learned'),
  why_it_matters: text.describe('why'),
  decisions: z
    .array(
      z.looseObject({ decision: z.string(), rationale: text, evidence_ids: z.array(z.string()).optional() }),
    )
    .optional()
    .describe('choices made'),
  evidence: z
    .array(
      z.looseObject({
        id: text,
        type: z.enum(['command', 'test', 'file', 'commit', 'url', 'human', 'observation']).optional(),
        claim: z.string(),
        ref: text,
        result: text,
      }),
    )
    .optional()
    .describe('what was run or seen'),
  failed_attempts: z
    .array(
      z.looseObject({
        approach: z.string(),
        outcome: z.enum(['failed', 'regressed', 'abandoned']).optional(),
        reason: text,
        avoid_repeating: z.boolean().optional(),
      }),
    )
    .optional()
    .describe('what did not work'),
  open_items: z
    .array(
      z.looseObject({
        priority: z.enum(['high', 'medium', 'low']).optional(),
        description: z.string(),
        suggested_action: text,
        acceptance_check: text,
      }),
    )
    .optional()
    .describe('what is left'),
  artifacts: z
    .array(
      z.looseObject({
        path: z.string(),
        role: z.enum(['modified', 'created', 'read', 'generated']).optional(),
      }),
    )
    .optional()
    .describe('files'),
  risks: z
    .array(z.looseObject({ description: z.string(), severity: z.enum(['high', 'medium', 'low']).optional() }))
    .optional()
    .describe('risks'),
  closes: texts('open item ids now done'),
}

/** The authored part of a tool's input. */
export function authoredOf(input: Authored): Authored {
  const { title, objective, current_state, trigger, extra } = input
  const fields = Object.keys(authoredFields) as (keyof typeof authoredFields)[] // the keys of the literal above
  const said = Object.fromEntries(fields.map((name) => [name, input[name]]))
  return { title, objective, current_state, trigger, extra, ...said }
}
