import { pathsOfReference } from '../domain/file-reference.ts'
import { looksLikePath, mayBePath } from '../domain/path-pattern.ts'
import type { Handoff } from '../domain/record.ts'
import { isSha256 } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { familyOf } from '../domain/record-table.ts'
import { restAtCapture, restDigest, restNow, uncommittedAtCapture } from '../domain/uncommitted.ts'
import type { FileFact, GitFacts, RelativeFacts, WorldFacts } from '../domain/world-facts.ts'
import { comparedFacts, fileFacts } from '../files/file-facts.ts'
import { topNames } from '../files/top-names.ts'
import { absentFiles } from '../git/absent-files.ts'
import { gitFactsFor } from '../git/git-facts.ts'
import type { Project } from '../project.ts'

/** Facts about a record's relatives, files and repository. Writes nothing. */
export async function worldOf(project: Project, record: Handoff): Promise<WorldFacts> {
  const [family, ground] = await Promise.all([
    project.index.ask((table) => familyOf(table, record.lineage.parents)),
    groundOf(project, record),
  ])
  return {
    ...ground,
    relatives: relativesOf(family),
  }
}

/** Facts about a record's files and repository. Reads no other record, writes nothing. */
export async function groundOf(
  project: Project,
  record: Handoff,
): Promise<Pick<WorldFacts, 'files' | 'topNames' | 'git' | 'isRestSame'>> {
  const hasBareName = record.work.scope.some((entry) => mayBePath(entry) && !looksLikePath(entry))
  const [files, names, git] = await Promise.all([
    comparedFacts(project.root, recordedFiles(record, runDigests(record)), project.clock),
    hasBareName ? topNames(project.root) : undefined,
    gitFactsFor(project.git, record, project.storePrefix),
  ])
  const isRepository = git.kind === 'repository'
  const seen = isRepository ? await withAbsent(project, record, { files, git }) : files
  const isRestSame = isRepository && (await isRestUnchanged(project, record, git))
  return { files: seen, git, isRestSame, ...(names && { topNames: names }) }
}

/** Whether the changed files that the record does not name are those of the capture, with what they held. */
async function isRestUnchanged(
  project: Project,
  record: Handoff,
  { uncommitted }: RepositoryFacts,
): Promise<boolean> {
  const captured = restAtCapture(record)
  const paths = captured === undefined ? [] : restNow(record, uncommitted)
  if (captured === undefined || paths.filter((path) => !path.endsWith('/')).length !== captured.count)
    return false
  const now = restDigest(paths, await fileFacts(project.root, paths, project.clock))
  return now?.sha256 === captured.sha256
}

/** Missing files as git knows them: left out of a sparse checkout, or renamed. */
async function withAbsent(
  project: Project,
  record: Handoff,
  { files, git }: { readonly files: ReadonlyMap<string, FileFact>; readonly git: RepositoryFacts },
): Promise<ReadonlyMap<string, FileFact>> {
  const isThere = (path: string) => files.get(path)?.kind !== 'missing'
  // `src/a.ts:12` means a line of `src/a.ts`.
  const missing = [...files.keys()].filter((path) => !pathsOfReference(path).some(isThere))
  if (missing.length === 0) return files
  const head = record.project.repository?.head ?? null
  const { leftOut, renamed } = await absentFiles(project.git, missing, head)
  const wanted = recordedFiles(record, [])
  const changed = [...(git.since?.changed ?? []), ...git.uncommitted].filter(
    (path) => wanted.get(path) === undefined,
  )
  const present = [...new Set([...renamed.values(), ...changed])].slice(0, MAX_CHANGED)
  const digests = new Map<string, string>()
  for (const [path, fact] of await fileFacts(project.root, present, project.clock, CHANGED_MS))
    if (fact.kind === 'file' && fact.sha256 !== undefined) digests.set(path, fact.sha256)
  const known = missing.flatMap((path): [string, FileFact][] => {
    if (leftOut.has(path)) return [[path, LEFT_OUT]]
    const named = renamed.get(path)
    const captured = wanted.get(path)
    // The captured commit does not have what was changed and not committed: it is known by its digest.
    const isSame = (to: string) => captured?.has(digests.get(to) ?? '') === true
    const movedTo = named !== undefined && isSame(named) ? named : (present.find(isSame) ?? named)
    const sha256 = movedTo === undefined ? undefined : digests.get(movedTo)
    if (movedTo === undefined || sha256 === undefined) return []
    return [[path, { kind: 'missing', movedTo, sha256 }]]
  })
  return new Map([...files, ...known])
}

/** Of so many changed files the digest is compared with those of missing ones, in so many milliseconds. */
const MAX_CHANGED = 100
const CHANGED_MS = 300

type RepositoryFacts = Extract<GitFacts, { kind: 'repository' }>

const LEFT_OUT: FileFact = { kind: 'outside', detail: 'it is not in this sparse checkout' }

/** A command's digest is of a file that it made: any that a record names. */
function runDigests({ evidence }: Handoff): Iterable<string> {
  const runs = new Set<string>()
  for (const { type, digest } of evidence) {
    if (type === 'test' || type === 'command') addDigest(runs, digest)
  }
  return runs
}

/** Each path that a record names, with digests that the file there may have, in lower case; `runs` are those of any. */
function recordedFiles(record: Handoff, runs: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const { artifacts, evidence } = record
  const files = new Map<string, Set<string>>()
  const add = (path: string, digest: string | null): void => {
    if (path === '') return
    const known = files.get(path) ?? new Set(runs)
    addDigest(known, digest)
    files.set(path, known)
  }
  for (const { path, content_hash } of artifacts) add(path, content_hash)
  for (const { type, ref, digest } of evidence) {
    if (type === 'file') for (const path of pathsOfReference(ref ?? '')) add(path, digest)
  }
  for (const { path, sha256 } of uncommittedAtCapture(record) ?? []) add(path, sha256 ?? null)
  return files
}

/** Two are as good as many: one of them is not that of the bytes. A record may have thousands for one path. */
function addDigest(digests: Set<string>, digest: string | null): void {
  if (digest !== null && isSha256(digest) && digests.size < 2) digests.add(digest.toLowerCase())
}

/** Other records by lower-case id, as the checks use them. */
export function relativesOf(rows: readonly RecordRow[]): ReadonlyMap<string, RelativeFacts> {
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]))
}
