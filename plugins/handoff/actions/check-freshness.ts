import { BYTES_PER_TOKEN, type Truncated, withinBytes } from '../domain/answer-budget.ts'
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

/** Longest lists of a freshness answer where nobody asked for more, in tokens of 4 bytes. */
export const FRESHNESS_TOKENS = 6000

/** The standing as tools answer it; of its lists what matters most within `maxTokens`, and how much of each was left out. */
export function freshnessAnswer(
  { drift: moved, claims, decisions, gate }: Standing,
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

/** The call that gives a freshness answer whole. */
export function wholeFreshness(id: string): Truncated['next'] {
  return { tool: 'handoff_freshness', args: { id, max_tokens: MAX_FRESHNESS_TOKENS } }
}

/** More than the answer to the largest record there can be. */
export const MAX_FRESHNESS_TOKENS = 1_000_000
