import { isJsonObject } from '../../../server/plugin.ts'
import { agreement } from './line-ends.ts'
import type { Handoff } from './record.ts'
import { isSha256, sha256 } from './record-id.ts'
import type { FileFact, WorldFacts } from './world-facts.ts'

/** Paths whose content is recorded when a record is captured. Further ones have one digest together. */
export const MAX_UNCOMMITTED = 100

/** A path that differed from HEAD when the record was captured: a free member of `project.repository`. */
export interface UncommittedPath {
  /** Ends with `/` for a folder whose files are not named. */
  readonly path: string
  /** `sha256:<hex>`; absent for such a folder, a large file, and a deleted one. */
  readonly sha256?: string
  readonly deleted?: true
}

/** What a record says of its work tree at capture; undefined for a record that does not say. Malformed entries are left out. */
export function uncommittedAtCapture({ project }: Handoff): readonly UncommittedPath[] | undefined {
  const { repository } = project
  if (repository?.dirty === false) return []
  const known: unknown = repository
  const listed = isJsonObject(known) ? known['uncommitted'] : undefined
  if (!Array.isArray(listed)) return undefined
  return listed.slice(0, MAX_UNCOMMITTED).flatMap((entry: unknown) => {
    const { path, sha256, deleted } = isJsonObject(entry) ? entry : {}
    if (typeof path !== 'string' || path === '') return []
    const digest = typeof sha256 === 'string' && isSha256(sha256) ? { sha256: sha256.toLowerCase() } : {}
    return { path, ...digest, ...(deleted === true && { deleted }) }
  })
}

/** The further paths that differed from HEAD at capture, together: a free member of `project.repository`. */
export interface UncommittedRest {
  readonly count: number
  /** See `restDigest`. */
  readonly sha256: string
}

/** What a record says of the paths beyond those that it names. */
export function restAtCapture({ project }: Handoff): UncommittedRest | undefined {
  const repository: unknown = project.repository
  const rest = isJsonObject(repository) ? repository['uncommitted_rest'] : undefined
  const { count, sha256 } = isJsonObject(rest) ? rest : {}
  return typeof count === 'number' && typeof sha256 === 'string' ? { count, sha256 } : undefined
}

/** One digest of the paths and what each holds; undefined where that is not known of one. Folders are left out. */
export function restDigest(
  paths: readonly string[],
  files: WorldFacts['files'],
): UncommittedRest | undefined {
  const entries: [path: string, sha256: string | null][] = []
  for (const path of paths.filter((one) => !one.endsWith('/')).toSorted()) {
    const fact = files?.get(path)
    const isKnown = fact?.kind === 'missing' || (fact?.kind === 'file' && fact.sha256 !== undefined)
    if (!isKnown) return undefined
    entries.push([path, fact.kind === 'file' ? (fact.sha256 ?? null) : null])
  }
  return { count: entries.length, sha256: sha256(JSON.stringify(entries)) }
}

/** The paths that differ from HEAD now and that the record does not name. */
export function restNow(record: Handoff, uncommitted: readonly string[]): string[] {
  const named = new Set(uncommittedAtCapture(record)?.map(({ path }) => path))
  return uncommitted.filter((path) => !named.has(path))
}

/** The paths that differ from the work tree as it was at capture, as far as the record and git can tell. */
export interface WorkTreeChanges {
  readonly paths: readonly string[]
  /** Of these the former and present names of files that hold what they held. */
  readonly renamed: ReadonlySet<string>
  /** Uncommitted changes now of which nothing tells whether they were there at capture; a folder ends with `/`. */
  readonly uncertain: readonly string[]
}

/** Compares the work tree with that of the capture: commits and uncommitted changes, each by what the files hold now. */
export function workTreeChanges(record: Handoff, { git, files, isRestSame }: WorldFacts): WorkTreeChanges {
  if (git?.kind !== 'repository') return { paths: [], renamed: new Set(), uncertain: [] }
  const captured = uncommittedAtCapture(record)
  const known = new Map(captured?.map((entry) => [entry.path, entry]))
  const isWhole = captured !== undefined && captured.length < MAX_UNCOMMITTED
  const committed = new Set(git.since?.changed ?? [])
  const uncommitted = new Set(git.uncommitted)
  const folders = (captured ?? []).map(({ path }) => path).filter((path) => path.endsWith('/'))
  // Its files are named now and were not at capture, or the other way round.
  const isUnnamed = (path: string): boolean =>
    folders.some((folder) => path.startsWith(folder)) ||
    (path.endsWith('/') && captured?.some((entry) => entry.path.startsWith(path)) === true)
  const uncertain: string[] = []
  const isChanged = (path: string): boolean => {
    const entry = known.get(path)
    const compared = entry && hasChanged(entry, files?.get(path))
    if (compared !== undefined) return compared
    if (committed.has(path)) return true
    if (!uncommitted.has(path)) return false
    if (entry === undefined && isRestSame && !path.endsWith('/')) return false
    if (entry === undefined && isWhole && !isUnnamed(path)) return true
    uncertain.push(path)
    return false
  }
  const paths = [...new Set([...committed, ...uncommitted, ...known.keys()])].filter(isChanged).sort()
  return { paths, renamed: renamedIn(files, known), uncertain }
}

function renamedIn(
  files: WorldFacts['files'],
  known: ReadonlyMap<string, UncommittedPath>,
): ReadonlySet<string> {
  const renamed = new Set<string>()
  for (const [path, fact] of files ?? []) {
    if (fact.kind !== 'missing' || fact.movedTo === undefined) continue
    const captured = known.get(path)?.sha256 ?? fact.sha256
    if (captured === fact.sha256) renamed.add(path).add(fact.movedTo)
  }
  return renamed
}

/** Whether a path holds what it held at capture; undefined where its content was not recorded or cannot be read now. */
function hasChanged({ sha256, deleted }: UncommittedPath, fact: FileFact | undefined): boolean | undefined {
  if (deleted) return fact && fact.kind !== 'missing'
  if (fact?.kind === 'missing') return true
  if (sha256 === undefined) return undefined
  return fact?.kind === 'file' && fact.sha256 !== undefined
    ? agreement(fact, sha256) === undefined
    : undefined
}
