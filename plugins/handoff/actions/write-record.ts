import { inTurns, type SatchelError } from '../../../server/plugin.ts'
import { childTooLarge, mergeTooLarge } from '../domain/child-size.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import { artifactOf } from '../domain/new-items.ts'
import { type Authored, type Circumstances, composeRecord, type NewRecord } from '../domain/new-record.ts'
import { type Handoff, type Redaction, UNWRITTEN_PROJECT } from '../domain/record.ts'
import { newRecordId, sha256 } from '../domain/record-id.ts'
import { type SizeFault, sizeFault, tooLarge } from '../domain/record-size.ts'
import { redactingValue } from '../domain/redaction.ts'
import { validRecord } from '../domain/schema-verdict.ts'
import type { FileFact } from '../domain/world-facts.ts'
import { fileFacts } from '../files/file-facts.ts'
import { isCutOff } from '../git/linked-worktree.ts'
import { type CapturedRepository, type ChangedPath, captureRepository } from '../git/repository.ts'
import { reasonText } from '../git/run-git.ts'
import type { Project } from '../project.ts'
import { captureEvidence } from './capture-evidence.ts'
import { itemWarnings } from './item-warnings.ts'
import { misplacedPaths } from './misplaced-paths.ts'
import { projectIdOf } from './project-id.ts'
import { repositoryMember } from './repository-member.ts'

/** What to capture for a new record. */
export interface CaptureOptions {
  readonly captureGit: boolean
  readonly hashArtifacts: boolean
  readonly autoArtifacts: 'none' | 'changed'
  readonly dryRun: boolean
  /** Of the call that waits for the record. */
  readonly signal?: AbortSignal
}

/** Lineage and author of a new record. */
export interface Placement {
  readonly lineage: Circumstances['lineage']
  readonly inherited: Handoff | undefined
  readonly staleEvidence?: ReadonlySet<string>
  readonly origin: Handoff['origin']
  readonly automation: Circumstances['automation']
  readonly session: string | undefined
  readonly idempotencyKey: string | undefined
  readonly requestSha256?: string | undefined
  readonly skeleton?: true
  readonly notes?: true
  /** See `Circumstances.next`. */
  readonly next?: string
  readonly flags?: Handoff['flags']
  readonly unmapped?: string
}

export interface WrittenRecord {
  readonly id: string
  /** Relative to the root; null for a dry run. */
  readonly path: string | null
  readonly etag: string
  readonly record: Handoff
  readonly assigned: Readonly<Record<string, string>>
  readonly redactions: readonly Redaction[]
  readonly warnings: readonly string[]
}

/**
 * Captures, redacts, checks and stores a new draft. Nothing is written unless all of it is sound.
 * Errors: `invalid`/`schema_invalid` with pointers, `too_large`, `unavailable` of the store.
 */
export async function writeRecord(
  project: Project,
  authored: Authored,
  placement: Placement,
  options: CaptureOptions,
): Promise<WrittenRecord> {
  const { repository, warnings } = await captured(project, options.captureGit)
  const around = await circumstancesOf(project, placement, repository, options.dryRun)
  const composed = composeRecord(withChanged(authored, repository, options.autoArtifacts), around)
  const allWarnings = [
    ...warnings,
    ...composed.unknownCloses.map((id) => `closes: there is no inherited open item "${id}".`),
    ...composed.ignoredExtras.map(
      (name) => `extra.${name} was ignored: the record has its own member of that name.`,
    ),
  ]
  if (repository?.kind === 'repository') allWarnings.push(...(await misplacedPaths(project, authored)))
  const { inherited } = placement
  const items = composed.record['evidence'] as readonly GivenItem[] // composed above
  const evidence = options.captureGit ? await captureEvidence(project, items) : { items, warnings: [] }
  const written = await stored(
    project,
    { ...composed, record: { ...composed.record, evidence: evidence.items } },
    [...allWarnings, ...evidence.warnings],
    {
      ...options,
      refuse: (fault) =>
        inherited ? childTooLarge(fault, inherited, composeRecord({}, around).record) : tooLarge(fault),
    },
  )
  return { ...written, warnings: [...written.warnings, ...itemWarnings(authored, written.record)] }
}

/**
 * Writes a new record whose content `fill` puts into an empty draft. Captures git facts and hashes artifacts as
 * `writeRecord` does. Errors: those of `writeRecord`.
 */
export async function writeComposed(
  project: Project,
  placement: Placement,
  fill: (record: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): Promise<WrittenRecord> {
  const { repository, warnings } = await captured(project, true)
  const composed = composeRecord({}, await circumstancesOf(project, placement, repository, false))
  const { parents } = placement.lineage
  const refuse = (fault: SizeFault) => (parents.length > 1 ? mergeTooLarge(fault, parents) : tooLarge(fault))
  const options = { hashArtifacts: true, dryRun: false, refuse }
  return stored(project, { ...composed, record: fill(composed.record) }, warnings, options)
}

const KEPT_APART =
  'The repository of this linked work tree is not where it was: the record is kept here, not with those of the main work tree. git worktree repair joins them again.'

async function captured(project: Project, captureGit: boolean) {
  const repository = captureGit ? await captureRepository(project.git, project.storePrefix) : undefined
  const warnings =
    repository?.kind === 'none' ? [`No repository was captured: ${reasonText(repository.reason)}.`] : []
  return { repository, warnings: isCutOff(project.root) ? [...warnings, KEPT_APART] : warnings }
}

async function circumstancesOf(
  project: Project,
  placement: Placement,
  repository: CapturedRepository | undefined,
  dryRun: boolean,
): Promise<Circumstances> {
  const now = project.now()
  return {
    ...placement,
    id: newRecordId(now.getTime(), project.random),
    now: now.toISOString(),
    project: await projectFacts(project, await projectIdFor(project, dryRun), repository),
  }
}

async function stored(
  project: Project,
  { record: draft, assigned }: NewRecord,
  warnings: readonly string[],
  options: Pick<CaptureOptions, 'hashArtifacts' | 'dryRun' | 'signal'> & {
    refuse(fault: SizeFault): SatchelError
  },
): Promise<WrittenRecord> {
  const hashed = options.hashArtifacts ? await withHashes(project, draft) : draft
  const { value, ledger } = await inTurns(redactingValue(hashed), options.signal)
  const known = (value['redactions'] as Handoff['redactions'] | undefined) ?? [] // composed by ourselves
  const complete = { ...value, redactions: [...known, ...ledger] }
  const text = `${JSON.stringify(complete, null, 2)}\n`
  const fault = sizeFault(text, complete)
  if (fault) throw options.refuse(fault)
  const record = validRecord(complete)
  const written = options.dryRun
    ? { path: null, etag: sha256(text) }
    : await project.store.create(record.id, text)
  return { id: record.id, ...written, record, assigned, redactions: ledger, warnings }
}

async function projectIdFor(project: Project, dryRun: boolean): Promise<string> {
  if (dryRun) return (await projectIdOf(project)) ?? UNWRITTEN_PROJECT
  const written = await project.store.projectIdForWriting(project.rootCommit)
  return (written && (await projectIdOf(project, written))) ?? UNWRITTEN_PROJECT
}

async function projectFacts(
  project: Project,
  id: string,
  repository: CapturedRepository | undefined,
): Promise<Handoff['project']> {
  const known = repository?.kind === 'repository' ? await repositoryMember(project, repository) : null
  return { id, root_hint: '.', repository: known }
}

/** Adds an artifact for each changed file that the author does not name. */
function withChanged(
  authored: Authored,
  repository: CapturedRepository | undefined,
  auto: CaptureOptions['autoArtifacts'],
): Authored {
  if (auto === 'none' || repository?.kind !== 'repository') return authored
  const named = new Set((authored.artifacts ?? []).map((artifact) => artifact['path']))
  const changed = repository.changed
    .filter(({ path }) => !named.has(path) && !path.endsWith('/'))
    .map(changedArtifact)
  return { ...authored, artifacts: [...(authored.artifacts ?? []), ...changed] }
}

/** The artifact that a changed file is. */
export function changedArtifact({ path, state }: ChangedPath): Record<string, unknown> {
  const role = state === 'new' ? 'created' : 'modified'
  return artifactOf({ path, role, ...(state === 'deleted' && { deleted: true }) })
}

/** Hashes every artifact. One that names no readable file inside the project keeps its given hash. */
async function withHashes(
  project: Project,
  record: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const artifacts = (record['artifacts'] as readonly Record<string, unknown>[]) ?? [] // composed above
  const paths = artifacts.flatMap(({ path }) => (typeof path === 'string' && path !== '' ? path : []))
  const facts = await fileFacts(project.root, paths, project.clock)
  return {
    ...record,
    artifacts: artifacts.map((artifact) => withHash(artifact, facts.get(String(artifact['path'])))),
  }
}

/** An artifact with the digest of its file, if that was read. */
export function withHash<T extends Readonly<Record<string, unknown>>>(
  artifact: T,
  fact: FileFact | undefined,
) {
  return fact?.kind === 'file' && fact.sha256 ? { ...artifact, content_hash: fact.sha256 } : artifact
}
