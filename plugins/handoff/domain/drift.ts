import { counted } from '../../../server/plugin.ts'
import { sameCommit } from './commit-id.ts'
import { agreement } from './line-ends.ts'
import { inScope, looksLikePath, mayBePath, withSlashes } from './path-pattern.ts'
import type { Artifact, Freshness, Handoff } from './record.ts'
import { isSha256 } from './record-id.ts'
import { type WorkTreeChanges, workTreeChanges } from './uncommitted.ts'
import type { CommitLine, FileFact, GitFacts, SinceCapture, WorldFacts } from './world-facts.ts'

export const DRIFT_STATES = [
  'fresh',
  'ahead',
  'behind',
  'diverged',
  'unrelated_history',
  'dirty',
  'unknown',
] as const
export type DriftState = (typeof DRIFT_STATES)[number]

export const ARTIFACT_STATES = ['same', 'moved', 'changed', 'missing', 'unhashed', 'outside'] as const

export interface ArtifactState {
  readonly path: string
  readonly status: (typeof ARTIFACT_STATES)[number]
}

/** How far the project moved since a record was captured (design handoff, section 8). */
export interface Drift {
  readonly state: DriftState
  readonly freshness: Freshness
  readonly commitsAhead: number | null
  /** Paths in the record's scope that changed since, committed or not. A file that only has another name did not. */
  readonly changedInScope: readonly string[]
  /** A file in scope has another name since. */
  readonly isRenamedInScope: boolean
  /** Every path that changed since, in scope or not. */
  readonly changed: ReadonlySet<string>
  readonly artifacts: readonly ArtifactState[]
  readonly reasons: readonly string[]
  /** Something in scope or among the artifacts changed. */
  readonly relevant: boolean
  /** Why it cannot be told whether something in scope changed; absent where it can. */
  readonly untold?: string
  /** The record names the first commit of a repository, and this one has another. */
  readonly isOtherProject: boolean
  /** The newest commits since, newest first. */
  readonly commits: readonly CommitLine[]
}

/** Compares a record with the current state of the project. */
export function drift(record: Handoff, world: WorldFacts): Drift {
  const captured = record.project.repository?.head ?? null
  const git = world.git ?? { kind: 'none' as const, reason: 'git was not run' }
  const artifacts = record.artifacts.map((artifact) => artifactState(artifact, world.files))
  const moved = artifacts.filter(
    ({ status }, index) =>
      (status === 'changed' || status === 'missing') && countsAsDrift(record.artifacts[index]),
  )
  const changes = workTreeChanges(record, world)
  const scoped = changes.paths.filter(scopeOf(record, world))
  const changedInScope = scoped.filter((path) => !changes.renamed.has(path))
  const head = git.kind === 'repository' ? git.head : null
  const { state, reasons, untold } = stateOf(git, captured, { record, world, changes, artifacts })
  const since = git.kind === 'repository' ? git.since : undefined
  const isOtherProject = since?.root !== undefined && isOfOther(record.project.id, since.root)
  const headMoved =
    captured !== null && head !== null && !sameCommit(captured, head) && !(since && isRecordCommitted(since))
  return {
    state,
    freshness: {
      git_head_at_capture: captured,
      git_head_now: head,
      stale: headMoved || moved.length > 0,
    },
    commitsAhead: git.kind === 'repository' ? (git.since?.commitsAhead ?? null) : null,
    changedInScope,
    isRenamedInScope: changedInScope.length < scoped.length,
    changed: new Set(changes.paths),
    artifacts,
    reasons: [
      ...reasons,
      ...(isOtherProject ? [`the record is of another project (${record.project.id})`] : []),
      ...moved.map(({ path, status }) => `${path} ${status === 'missing' ? 'is missing' : 'changed'}`),
    ],
    relevant: changedInScope.length > 0 || moved.length > 0,
    ...(untold && { untold }),
    isOtherProject,
    commits: since?.commits ?? [],
  }
}

/** The parts of a comparison. */
interface Compared {
  readonly record: Handoff
  readonly world: WorldFacts
  readonly changes: WorkTreeChanges
  readonly artifacts: readonly ArtifactState[]
}

interface State {
  readonly state: DriftState
  readonly reasons: readonly string[]
}

/** The state with its reasons, what cannot be told first. */
function stateOf(git: GitFacts, captured: string | null, compared: Compared): State & Pick<Drift, 'untold'> {
  const { state, reasons } = movementOf(git, captured, compared.changes)
  const untold = untoldOf(compared, reasons)
  if (untold === undefined) return { state, reasons }
  return {
    state: state === 'fresh' ? 'unknown' : state,
    reasons: [...new Set([untold, ...reasons])],
    untold,
  }
}

function untoldOf(
  { record, world, changes, artifacts }: Compared,
  reasons: readonly string[],
): string | undefined {
  if (!record.project.repository?.head || isComparedByDigest(record, world, artifacts)) return undefined
  const { git } = world
  const since = git?.kind === 'repository' ? git.since : undefined
  if ((since?.changed ?? null) === null) return reasons[0] ?? UNLISTED
  if (git?.kind === 'repository' && git.unlisted !== undefined) return `${UNLISTED}: ${git.unlisted}`
  const isNamed = isInEntries(record)
  const isInScope = scopeOf(record, world)
  // A large folder that git does not track is in most projects: it counts where the record is about that place.
  const isUntold = (path: string) => (path.endsWith('/') ? isNamed(path) : isInScope(path))
  return changes.uncertain.some(isUntold) ? UNCERTAIN : undefined
}

const UNLISTED = 'git could not list what changed'

/** The record is about files alone, and each of them still has its digest. */
function isComparedByDigest(
  record: Handoff,
  world: WorldFacts,
  artifacts: readonly ArtifactState[],
): boolean {
  const namesMore = record.work.scope.some((entry) => mayBePath(entry) && namesPlace(entry, world))
  return !namesMore && artifacts.length > 0 && artifacts.every(({ status }) => status === 'same')
}

function isOfOther(projectId: string, root: string): boolean {
  return projectId.startsWith('git:') && projectId !== `git:${root}`
}

function countsAsDrift(artifact: Artifact | undefined): boolean {
  return artifact !== undefined && artifact.role !== 'read' && !isDeleted(artifact)
}

/** The session of the record took the file away. */
export function isDeleted(artifact: Artifact): boolean {
  return 'deleted' in artifact && artifact.deleted === true
}

function artifactState(artifact: Artifact, files: ReadonlyMap<string, FileFact> | undefined): ArtifactState {
  return { path: artifact.path, status: statusOf(artifact, files?.get(artifact.path)) }
}

function statusOf(artifact: Artifact, fact: FileFact | undefined): ArtifactState['status'] {
  if (fact?.kind === 'outside') return 'outside'
  if (fact?.kind === 'missing') {
    if (isDeleted(artifact)) return 'same'
    const isMoved = fact.movedTo !== undefined && fact.sha256 === artifact.content_hash?.toLowerCase()
    if (isMoved) return 'moved'
    return artifact.role === 'generated' ? 'unhashed' : 'missing'
  }
  if (fact?.kind !== 'file' || fact.sha256 === undefined) return 'unhashed'
  if (artifact.content_hash === null || !isSha256(artifact.content_hash)) return 'unhashed'
  return agreement(fact, artifact.content_hash.toLowerCase()) ? 'same' : 'changed'
}

/** Whether a path is one that the record is about: in its scope or among its artifacts. */
export function concernsOf(record: Handoff, world: WorldFacts): (path: string) => boolean {
  const isInScope = scopeOf(record, world)
  const artifacts = new Set(record.artifacts.filter(countsAsDrift).map(({ path }) => withSlashes(path)))
  return (path) => isInScope(path) || artifacts.has(path)
}

/** A record that names no place is about the whole project. */
function scopeOf(record: Handoff, world: WorldFacts): (path: string) => boolean {
  const entries = record.work.scope.filter(mayBePath)
  const isAnywhere = record.artifacts.length === 0 && !entries.some((entry) => namesPlace(entry, world))
  return isAnywhere ? () => true : isInEntries(record)
}

/** Whether an entry of the scope names a path. */
function isInEntries({ work }: Handoff): (path: string) => boolean {
  const entries = work.scope.filter(mayBePath)
  return (path) => entries.some((entry) => inScope(entry, path))
}

/** A bare word, such as `src` or `auth`, is a name only if something here has it, or had it before a change. */
function namesPlace(entry: string, { topNames, git }: WorldFacts): boolean {
  if (looksLikePath(entry) || topNames?.has(entry)) return true
  if (git?.kind !== 'repository') return false
  const changed = [git.uncommitted, git.since?.changed, ...git.changedSince.values()]
  return changed.some((paths) => paths?.some((path) => inScope(entry, path)))
}

function movementOf(git: GitFacts, captured: string | null, { paths, uncertain }: WorkTreeChanges): State {
  if (git.kind === 'none') return { state: 'unknown', reasons: [git.reason] }
  if (captured === null) return { state: 'unknown', reasons: ['the record captured no commit'] }
  if (git.head === null) return { state: 'unknown', reasons: ['the repository has no commits'] }
  const since = git.since
  if (!since || since.relation === 'unknown') {
    return { state: 'unknown', reasons: [since?.reason ?? 'the captured commit cannot be compared'] }
  }
  if (since.changed === null && since.relation !== 'unrelated_history')
    return { state: 'unknown', reasons: [since.reason ?? UNLISTED] }
  if (since.relation !== 'same' && !isRecordCommitted(since))
    return { state: since.relation, reasons: [movement(since, since.relation)] }
  if (paths.length > 0) return { state: 'dirty', reasons: ['modified since the capture'] }
  return { state: 'fresh', reasons: uncertain.length > 0 ? [UNCERTAIN] : [] }
}

const UNCERTAIN =
  'what was changed before the capture cannot be told from later changes that are not committed'

/** True if the only new commits are those of the store itself: nothing moved under the record. */
function isRecordCommitted({ relation, isOwnOnly }: SinceCapture): boolean {
  return relation === 'ahead' && isOwnOnly
}

function movement(
  { commitsAhead: ahead, squashed }: SinceCapture,
  relation: Exclude<DriftState, 'fresh' | 'dirty' | 'unknown'>,
): string {
  if (squashed !== undefined) return `the captured branch was squashed into ${squashed.slice(0, 12)}`
  if (relation === 'ahead')
    return `${ahead === null ? 'some commits' : counted(ahead, 'commit')} since the capture`
  if (relation === 'behind') return 'HEAD is older than the captured commit'
  if (relation === 'diverged') return 'HEAD and the captured commit have diverged'
  return 'the captured commit is not part of this history'
}
