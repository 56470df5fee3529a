import { commitOf } from './commit-id.ts'
import type { Drift } from './drift.ts'
import type { Evidence, Handoff } from './record.ts'
import type { CommitFact, WorldFacts } from './world-facts.ts'

/** From best to worst. `stale`: its basis changed since. `contradicted`: its basis shows otherwise. */
export const CLAIM_VERDICTS = ['holds', 'unverifiable', 'stale', 'contradicted'] as const
export type ClaimVerdict = (typeof CLAIM_VERDICTS)[number]

export interface JudgedClaim {
  readonly evidence_id: string
  readonly verdict: ClaimVerdict
  readonly reason: string
}

export interface JudgedDecision {
  readonly decision_id: string
  readonly verdict: ClaimVerdict
}

export const GATES = ['go', 'care', 'stop'] as const
export type Gate = (typeof GATES)[number]

type Finding = readonly [ClaimVerdict, string]

/** Re-derives every piece of evidence from files and git; nothing is run or fetched (design handoff, section 8a). */
export function judgeClaims(record: Handoff, world: WorldFacts, drift: Drift): readonly JudgedClaim[] {
  return record.evidence.map((item) => {
    const [verdict, reason] = judge(item, world, drift)
    return { evidence_id: item.id, verdict, reason }
  })
}

function judge(item: Evidence, world: WorldFacts, drift: Drift): Finding {
  switch (item.type) {
    case 'commit':
      return judgeCommit(item, world)
    case 'file':
      return judgeFile(item, world)
    case 'test':
    case 'command':
      return judgeRun(item, world, drift)
    default:
      return ['unverifiable', `a ${item.type} cannot be checked on this machine`]
  }
}

const COMMIT_FINDINGS: Readonly<Record<CommitFact, Finding>> = {
  ancestor: ['holds', 'the commit is part of HEAD'],
  other_branch: ['stale', 'the commit exists, but not in the history of HEAD'],
  unreachable: ['contradicted', 'no branch or tag contains the commit'],
  absent: ['contradicted', 'the commit is not in the repository'],
  unchecked: ['unverifiable', 'git could not tell'],
}

function judgeCommit(item: Evidence, { git }: WorldFacts): Finding {
  const commit = commitOf(item.ref ?? '')
  if (commit === undefined) return ['unverifiable', 'the reference is not a commit id']
  if (git?.kind !== 'repository') return ['unverifiable', git?.reason ?? 'git was not run']
  return COMMIT_FINDINGS[git.commits.get(commit) ?? 'unchecked']
}

function judgeFile(item: Evidence, { files }: WorldFacts): Finding {
  const fact = files?.get(item.ref ?? '')
  if (!fact) return ['unverifiable', 'the reference is not a file']
  if (fact.kind === 'missing') return ['contradicted', 'the file is missing']
  if (fact.kind === 'outside') return ['unverifiable', fact.detail]
  if (item.digest === null) return ['holds', 'the file exists']
  if (fact.kind !== 'file' || fact.sha256 === undefined || !item.digest.toLowerCase().startsWith('sha256:')) {
    return ['unverifiable', 'the digest cannot be compared']
  }
  if (fact.sha256 === item.digest.toLowerCase()) return ['holds', 'the digest is equal']
  return ['contradicted', 'the digest differs']
}

/** Commands are never repeated. Their scope may have changed, or a file they made may still have its digest. */
function judgeRun(item: Evidence, { files }: WorldFacts, drift: Drift): Finding {
  if (drift.relevant) return ['stale', 'files in scope changed since']
  const digest = item.digest?.toLowerCase()
  for (const [path, fact] of files ?? []) {
    if (digest && fact.kind === 'file' && fact.sha256 === digest)
      return ['holds', `${path} still has its digest`]
  }
  return ['unverifiable', 'commands are not run again']
}

/** Each decision with the worst verdict of its evidence; without evidence it is unverifiable. */
export function judgeDecisions(record: Handoff, claims: readonly JudgedClaim[]): readonly JudgedDecision[] {
  return record.decisions.map(({ id, evidence_ids }) => ({
    decision_id: id,
    verdict: worst(claims.filter((claim) => evidence_ids.includes(claim.evidence_id))),
  }))
}

function worst(claims: readonly JudgedClaim[]): ClaimVerdict {
  if (claims.length === 0) return 'unverifiable'
  const ranks = claims.map(({ verdict }) => CLAIM_VERDICTS.indexOf(verdict))
  return CLAIM_VERDICTS[Math.max(...ranks)] ?? 'unverifiable'
}

/**
 * Advice before continuing: `stop` if evidence of a decision or a high open item is contradicted, or the record is
 * flagged; `care` if anything relevant changed; else `go`. It never refuses anything.
 */
export function gateOf(record: Handoff, claims: readonly JudgedClaim[], drift: Drift): Gate {
  const foundations = foundationIds(record)
  const isRefuted = claims.some(
    ({ verdict, evidence_id }) => verdict === 'contradicted' && foundations.has(evidence_id),
  )
  if (isRefuted || record.flags.length > 0) return 'stop'
  const moved = claims.some(({ verdict }) => verdict === 'contradicted' || verdict === 'stale')
  return moved || drift.relevant ? 'care' : 'go'
}

/** Ids of evidence that decisions cite or high open items mention. */
function foundationIds(record: Handoff): ReadonlySet<string> {
  const named = record.open_items
    .filter((item) => item.priority === 'high')
    .flatMap((item) => [
      item.description,
      item.suggested_action ?? '',
      item.acceptance_check ?? '',
      ...item.blocked_by,
    ])
    .flatMap((text) => text.match(/\b[A-Z]-[0-9]{3}\b/g) ?? [])
  return new Set([...record.decisions.flatMap(({ evidence_ids }) => evidence_ids), ...named])
}
