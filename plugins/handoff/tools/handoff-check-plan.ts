import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { findRecord } from '../actions/find-record.ts'
import { ancestorsOf, byId } from '../domain/lineage.ts'
import { checkPlan, MAX_PLAN_CHARS, type PastAttempt, PLAN_VERDICTS } from '../domain/plan-check.ts'
import { failedAttempts, type Handoff, isEditable } from '../domain/record.ts'
import { childRows, familyOf } from '../domain/record-table.ts'
import { folded } from '../domain/words.ts'
import type { Handoffs, Project } from '../project.ts'
import { answerFields, ID_FORMS, list, projectField, recordText } from './shared-fields.ts'

/** `handoff_check_plan`: compares a plan with the failed attempts of a lineage. */
export function checkPlanTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_check_plan',
    title: 'Check plan against failures',
    description:
      'Call before trying something: returns failed attempts of this record and its ancestors that resemble your plan, with reason and evidence. verdict repeat: do not; similar: read first; clear: nothing similar failed.',
    profile: 'standard',
    input: () =>
      z.object({
        id: z.string().default('latest').describe(ID_FORMS),
        plan: z.string().min(1).max(MAX_PLAN_CHARS).describe('what you are about to try'),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        matches: list(
          z.object({
            record: z.string(),
            id: z.string(),
            approach: recordText,
            reason: recordText.nullable(),
            avoid_repeating: z.boolean(),
            evidence: list(
              z.object({
                id: z.string(),
                type: z.string(),
                claim: recordText,
                result: recordText.nullable(),
              }),
            ),
            score: z.number(),
            matched_terms: list(z.string()),
          }),
        ),
        verdict: z.enum(PLAN_VERDICTS),
        compared: z.number().describe('failed attempts compared'),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/handoffs/{id}/check-plan' },
    cli: { verb: 'handoff check-plan', positional: ['plan'] },
    example: { plan: 'Store the state in a cookie' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return checkPlanAgainst(project, input.id, input.plan)
    },
    headline: ({ verdict, matches, compared }) =>
      `${verdict}: ${matches.length} of ${counted(compared, 'failed attempt')} ${matches.length === 1 ? 'resembles' : 'resemble'} the plan`,
  })
}

const MAX_ANCESTORS = 200
/** Records of the lineage, nearest first, whose forks are read too, and how many forks. */
const MAX_FORKED = 10
const MAX_FORKS = 50

/** A fork repeats the attempts that it inherited. */
function keyOf({ id, approach }: PastAttempt): string {
  return `${id} ${approach}`
}

/** Compares a plan with what failed in a record, its ancestors and their forks, nearest first. */
async function checkPlanAgainst(project: Project, id: string, plan: string) {
  const found = await findRecord(project, id)
  const rows = await project.index.ask((table) => familyOf(table, [found.id]))
  const attempts = attemptsOf(found.record)
  const ancestors = ancestorsOf(found.id, byId(rows)).slice(0, MAX_ANCESTORS)
  const line = [found.id, ...ancestors.map(({ id: ancestor }) => ancestor)]
  // What another way of the same work found out, such as one that a review rejected, and what was noted since.
  const forks = await project.index.ask((table) =>
    Promise.all(line.slice(0, MAX_FORKED).map((ancestor) => childRows(table, ancestor))),
  )
  const others = forks
    .flat()
    .filter((row) => (row.relation === 'fork' || isEditable(row)) && !line.includes(row.id))
  const known = new Set(attempts.map(keyOf))
  for (const id of [...line.slice(1), ...others.slice(0, MAX_FORKS).map((fork) => fork.id)]) {
    const stored = await project.store.read(id)
    if (stored?.kind !== 'record') continue
    const inherited = others.some((fork) => fork.id === id)
    attempts.push(...attemptsOf(stored.record).filter((one) => !inherited || !known.has(keyOf(one))))
  }
  return {
    root: project.root,
    id: found.id,
    ...checkPlan(plan, attempts),
    compared: new Set(attempts.map(({ approach }) => sameText(approach))).size,
    warnings: [],
  }
}

/** Each record of a lineage repeats the attempts of its parent: they are compared, and counted, once. */
function sameText(approach: string): string {
  return folded(approach).replace(/\s+/g, ' ').trim()
}

function attemptsOf(record: Handoff): PastAttempt[] {
  const evidence = new Map(record.evidence.map((item) => [item.id, item]))
  return failedAttempts(record).map(({ id, approach, reason, avoid_repeating, evidence_ids }) => ({
    record: record.id,
    id,
    approach,
    reason,
    avoid_repeating,
    evidence: evidence_ids.flatMap((cited) => {
      const item = evidence.get(cited)
      return item ? [{ id: item.id, type: item.type, claim: item.claim, result: item.result }] : []
    }),
  }))
}
