import { BYTES_PER_TOKEN } from '../../../server/plugin.ts'
import { type Truncated, withinBytes } from '../domain/answer-budget.ts'
import {
  CLAIM_VERDICTS,
  type Gate,
  gateOf,
  type JudgedClaim,
  type JudgedDecision,
  judgeClaims,
  judgeDecisions,
} from '../domain/claim-verdicts.ts'
import { type Drift, drift } from '../domain/drift.ts'
import type { Handoff } from '../domain/record.ts'
import type { Project } from '../project.ts'
import { providedFindings } from './provided-findings.ts'
import { groundOf } from './world.ts'

/** Freshness of a record: drift, claims and gate. */
export interface Assessment {
  readonly drift: Drift
  readonly claims: readonly JudgedClaim[]
  readonly decisions: readonly JudgedDecision[]
  readonly gate: Gate
}

/** Assesses a record against the project; writes nothing. */
export async function assessRecord(project: Project, record: Handoff): Promise<Assessment> {
  const [around, provided] = await Promise.all([groundOf(project, record), providedFindings(project, record)])
  const ground = { ...around, provided }
  const moved = drift(record, ground)
  const claims = judgeClaims(record, ground, moved)
  return {
    drift: moved,
    claims,
    decisions: judgeDecisions(record, claims),
    gate: gateOf(record, claims, moved),
  }
}

/** Default budget for the lists of a freshness answer. */
export const FRESHNESS_TOKENS = 6000

/** The assessment as tools return it, with the most important entries of its lists within `maxTokens`, and the number of entries left out. */
export function freshnessAnswer(
  { drift: moved, claims, decisions, gate }: Assessment,
  maxTokens: number = FRESHNESS_TOKENS,
) {
  const { lists, leftOut } = withinBytes(
    {
      reasons: moved.reasons,
      claims,
      decisions,
      changed_in_scope: moved.changedInScope,
      artifacts: moved.artifacts,
    },
    maxTokens * BYTES_PER_TOKEN,
    {
      claims: (claim) => -CLAIM_VERDICTS.indexOf(claim.verdict),
      decisions: (decision) => -CLAIM_VERDICTS.indexOf(decision.verdict),
      artifacts: ({ status }) => (status === 'same' ? 1 : 0),
    },
  )
  const freshness = {
    state: moved.state,
    freshness: moved.freshness,
    commits_ahead: moved.commitsAhead,
    changed_in_scope: lists.changed_in_scope,
    artifacts: lists.artifacts,
    reasons: lists.reasons,
    relevant: moved.relevant,
    claims: lists.claims,
    decisions: lists.decisions,
    gate,
  }
  return { freshness, leftOut }
}

/** The call that returns the whole answer. */
export function wholeFreshness(id: string): Truncated['next'] {
  return { tool: 'handoff_freshness', args: { id, max_tokens: MAX_FRESHNESS_TOKENS } }
}

/** Larger than any answer. */
export const MAX_FRESHNESS_TOKENS = 1_000_000
