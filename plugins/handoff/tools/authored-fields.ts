import { z } from 'zod'
import type { Authored } from '../domain/new-record.ts'

const texts = (what: string) => z.array(z.string()).optional().describe(what)
const text = z.string().optional()
const level = z.enum(['high', 'medium', 'low']).optional()

/**
 * What an author may say of a record beside its title, objective and state. The members named here are those a
 * model should fill; every other one of the record's schema (`id`, `outcome`, `made_at`, …) goes through as it is. A
 * record is checked against its schema before it is written, so nothing here repeats those rules.
 */
export const authoredFields = {
  scope: texts('paths'),
  constraints: texts('limits'),
  definition_of_done: texts('criteria'),
  completed: texts('done'),
  in_progress: texts('doing'),
  discoveries: texts('learned'),
  why_it_matters: text.describe('why'),
  decisions: z
    .array(z.looseObject({ decision: text, rationale: text, evidence_ids: z.array(z.string()).optional() }))
    .optional()
    .describe('choices'),
  evidence: z
    .array(z.looseObject({ type: text, claim: text, ref: text, result: text }))
    .optional()
    .describe('type: command test file commit url human observation'),
  failed_attempts: z
    .array(z.looseObject({ approach: text, reason: text }))
    .optional()
    .describe('dead ends'),
  open_items: z
    .array(
      z.looseObject({ priority: level, description: text, suggested_action: text, acceptance_check: text }),
    )
    .optional()
    .describe('left to do'),
  artifacts: z
    .array(z.looseObject({ path: text }))
    .optional()
    .describe('files'),
  risks: z
    .array(z.looseObject({ description: text }))
    .optional()
    .describe('risks'),
  closes: texts('open items done'),
}

/** The authored part of a tool's input. */
export function authoredOf(input: Authored): Authored {
  const { title, objective, current_state, trigger, extra } = input
  const fields = Object.keys(authoredFields) as (keyof typeof authoredFields)[] // the keys of the literal above
  const said = Object.fromEntries(fields.map((name) => [name, input[name]]))
  return { title, objective, current_state, trigger, extra, ...said }
}
