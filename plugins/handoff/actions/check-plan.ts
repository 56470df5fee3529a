import { ancestorsOf, byId } from '../domain/lineage.ts'
import { checkPlan, type PastAttempt } from '../domain/plan-check.ts'
import { failedAttempts, type Handoff } from '../domain/record.ts'
import type { Project } from '../project.ts'
import { findRecord } from './find-record.ts'

const MAX_ANCESTORS = 200

/** Compares a plan with what failed in a record and its ancestors, nearest first. */
export async function checkPlanAgainst(project: Project, id: string, plan: string) {
  const found = await findRecord(project, id)
  const { rows } = await project.index.view()
  const attempts = attemptsOf(found.record)
  for (const ancestor of ancestorsOf(found.id, byId(rows)).slice(0, MAX_ANCESTORS)) {
    const stored = await project.store.read(ancestor.id)
    if (stored?.kind === 'record') attempts.push(...attemptsOf(stored.record))
  }
  return {
    root: project.root,
    id: found.id,
    ...checkPlan(plan, attempts),
    compared: attempts.length,
    warnings: [],
  }
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
