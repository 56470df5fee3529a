import { counted, EVIDENCE_VERDICTS, type EvidenceVerdict } from '../../../server/plugin.ts'
import { commitOf } from './commit-id.ts'
import { concernsOf, type Drift } from './drift.ts'
import { groundOf } from './evidence-ground.ts'
import { fileOfReference } from './file-reference.ts'
import { agreement } from './line-ends.ts'
import { type Evidence, extension, type Handoff } from './record.ts'
import type { CommitFact, FileFact, WorldFacts } from './world-facts.ts'

/** The verdicts of evidence, from best to worst. */
export const CLAIM_VERDICTS = EVIDENCE_VERDICTS
export type ClaimVerdict = EvidenceVerdict

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

/** What changed under a record's evidence. */
interface Basis {
  readonly drift: Drift
  /** Paths that commits changed since an item was captured; null: git could not list them. */
  changedSince(item: Evidence): readonly string[] | null
  /** Whether a changed path is one that the record is about. */
  concerns(path: string): boolean
  /** True if the item was captured on another commit than the record, after the record was written. */
  isLater(item: Evidence): boolean
}

function basisOf(record: Handoff, world: WorldFacts, drift: Drift): Basis {
  const { git } = world
  const since = git?.kind === 'repository' ? git.since : undefined
  const captured = record.project.repository?.head ?? undefined
  const ownHead = (item: Evidence): string | undefined => {
    const { head } = groundOf(item)
    return head === captured ? undefined : head
  }
  return {
    drift,
    changedSince(item) {
      if (git?.kind !== 'repository') return []
      const head = ownHead(item)
      if (head !== undefined) return git.changedSince.get(head) ?? null
      return since?.changed?.filter((path) => drift.changed.has(path)) ?? (since === undefined ? [] : null)
    },
    concerns: concernsOf(record, world),
    isLater: (item) => ownHead(item) !== undefined && !(item.captured_at < record.created_at),
  }
}

/** Re-derives every piece of evidence from files and git; nothing is run or fetched (design handoff, section 8a). */
export function judgeClaims(record: Handoff, world: WorldFacts, drift: Drift): readonly JudgedClaim[] {
  const basis = basisOf(record, world, drift)
  return record.evidence.map((item) => {
    const [verdict, reason] = judge(item, world, basis)
    return { evidence_id: item.id, verdict, reason }
  })
}

function judge(item: Evidence, world: WorldFacts, basis: Basis): Finding {
  switch (item.type) {
    case 'commit':
      return judgeCommit(item, world)
    case 'file':
      return judgeFile(item, world, basis)
    case 'test':
    case 'command':
      return judgeRun(item, world, basis)
    default:
      return judgeOther(item, world)
  }
}

function judgeOther(item: Evidence, { provided }: WorldFacts): Finding {
  const found = provided?.get(item.id)
  return found
    ? [found.verdict, found.reason]
    : ['unverifiable', `a ${item.type} cannot be checked on this machine`]
}

const COMMIT_FINDINGS: Readonly<Record<Extract<CommitFact, string>, Finding>> = {
  ancestor: ['holds', 'the commit is part of HEAD'],
  other_branch: ['stale', 'the commit exists, but not in the history of HEAD'],
  unreachable: ['stale', 'no branch or tag contains the commit, and HEAD has no equal change'],
  absent: ['contradicted', 'the commit is not in the repository'],
  removed: ['stale', 'the commit is no longer in the repository, and HEAD has no equal change'],
  untraced: ['unverifiable', 'HEAD lacks the commit, and nothing tells whether it has the change'],
  beyond_shallow: ['unverifiable', 'this shallow clone may lack the commit'],
  unchecked: ['unverifiable', 'git could not tell'],
}

function judgeCommit(item: Evidence, { git }: WorldFacts): Finding {
  const commit = commitOf(item.ref ?? '')
  if (commit === undefined) return ['unverifiable', 'the reference is not a commit id']
  if (git?.kind !== 'repository') return ['unverifiable', git?.reason ?? 'git was not run']
  const fact = git.commits.get(commit) ?? 'unchecked'
  if (typeof fact === 'string') return COMMIT_FINDINGS[fact]
  if ('moved' in fact) return ['moved', `history was rewritten: the change is in ${fact.moved.slice(0, 12)}`]
  return ['stale', `the change was reverted by ${fact.reverted.slice(0, 12)}`]
}

const UNLISTED: Finding = ['unverifiable', 'git could not list what changed']

function judgeFile(item: Evidence, { files }: WorldFacts, { changedSince }: Basis): Finding {
  const file = files && fileOfReference(item.ref ?? '', files)
  if (!file) return ['unverifiable', 'the reference is not a file']
  const { path, fact } = file
  if (fact.kind === 'missing') return judgeAbsent(item, fact)
  if (fact.kind === 'outside') return ['unverifiable', fact.detail]
  if (item.digest === null) {
    const changed = changedSince(item)
    if (changed === null) return UNLISTED
    return changed.includes(path) ? ['stale', 'the file changed since'] : ['holds', 'the file exists']
  }
  if (fact.kind !== 'file' || fact.sha256 === undefined || !item.digest.toLowerCase().startsWith('sha256:')) {
    return ['unverifiable', 'the digest cannot be compared']
  }
  const agreed = agreement(fact, item.digest.toLowerCase())
  if (!agreed) return ['stale', 'the file was replaced since']
  return ['holds', agreed === 'bytes' ? 'the digest is equal' : 'the digest is equal but for line ends']
}

/** A renamed file is where the claim says no longer, but what it holds is. */
function judgeAbsent({ digest }: Evidence, { movedTo, sha256 }: AbsentFile): Finding {
  const isSame = digest === null || digest.toLowerCase() === sha256
  return movedTo !== undefined && isSame
    ? ['moved', `the file is now ${movedTo}`]
    : ['contradicted', 'the file is missing']
}

type AbsentFile = Extract<FileFact, { kind: 'missing' }>

/** Commands are never repeated. Their scope may have changed, or a file they made may still have its digest. */
function judgeRun(
  item: Evidence,
  { files }: WorldFacts,
  { drift, changedSince, concerns, isLater }: Basis,
): Finding {
  if (groundOf(item).isInheritedStale)
    return ['stale', 'files in scope had changed when this record inherited it']
  const changed = changedSince(item)
  // A run may rest on the name of a file.
  const hasDrifted = drift.relevant || drift.isRenamedInScope
  if (changed?.some(concerns) || (hasDrifted && !isLater(item))) {
    return ['stale', 'files in scope changed since']
  }
  const digest = item.digest?.toLowerCase()
  for (const [path, fact] of files ?? []) {
    if (digest && agreement(fact, digest)) return ['holds', `${path} still has its digest`]
  }
  return changed === null ? UNLISTED : ['unverifiable', 'commands are not run again']
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
 * flagged; `care` if anything relevant changed, or it cannot be told what did; else `go`. It never refuses anything.
 */
export function gateOf(record: Handoff, claims: readonly JudgedClaim[], drift: Drift): Gate {
  if (isRefuted(record, claims) || record.flags.length > 0) return 'stop'
  const moved = claims.some(({ verdict }) => verdict === 'contradicted' || verdict === 'stale')
  return moved || drift.relevant || drift.untold !== undefined || drift.isOtherProject ? 'care' : 'go'
}

/** What a `stop` rests on and the way out, in fixed words: it is outside the fence of a brief. */
export function stopReason(record: Handoff, claims: readonly JudgedClaim[]): string {
  const conflicts = extension(record).conflicts.length
  const isConflicted = record.flags.includes('conflicted')
  const reasons = [
    isConflicted &&
      (conflicts > 0
        ? `${counted(conflicts, 'open conflict')}, decide with handoff_merge (child) or satchel handoff merge --child`
        : 'flagged conflicted, compare with handoff_lineage or satchel handoff lineage, then clear the flag'),
    record.flags.includes('invalid') && 'flagged invalid, see handoff_validate',
    isRefuted(record, claims) && 'evidence it rests on is contradicted',
  ]
  return reasons.filter((reason) => reason).join('; ')
}

function isRefuted(record: Handoff, claims: readonly JudgedClaim[]): boolean {
  const foundations = foundationIds(record)
  return claims.some(({ verdict, evidence_id }) => verdict === 'contradicted' && foundations.has(evidence_id))
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
