import {
  type Gate,
  gateOf,
  type JudgedClaim,
  type JudgedDecision,
  judgeClaims,
  judgeDecisions,
} from '../domain/claim-verdicts.ts'
import { type Drift, drift } from '../domain/drift.ts'
import type { Handoff } from '../domain/record.ts'
import type { Handoffs, Project } from '../project.ts'
import { groundOf } from './world.ts'

/** How a record stands against the project now. */
export interface Standing {
  readonly drift: Drift
  readonly claims: readonly JudgedClaim[]
  readonly decisions: readonly JudgedDecision[]
  readonly gate: Gate
}

/** Re-derives freshness, claims and gate of a record; writes nothing. */
export async function standingOf(handoffs: Handoffs, project: Project, record: Handoff): Promise<Standing> {
  const ground = await groundOf(handoffs, project, record)
  const moved = drift(record, ground)
  const claims = judgeClaims(record, ground, moved)
  return {
    drift: moved,
    claims,
    decisions: judgeDecisions(record, claims),
    gate: gateOf(record, claims, moved),
  }
}

/** The standing as tools answer it. */
export function freshnessAnswer({ drift: moved, claims, decisions, gate }: Standing) {
  return {
    state: moved.state,
    freshness: moved.freshness,
    commits_ahead: moved.commitsAhead,
    changed_in_scope: moved.changedInScope.slice(0, 200),
    artifacts: moved.artifacts,
    reasons: moved.reasons.slice(0, 50),
    relevant: moved.relevant,
    claims,
    decisions,
    gate,
  }
}
