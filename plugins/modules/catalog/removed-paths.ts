/** Finds module directories that the newest release of their repository no longer has. */
import { isStableTag, orderTags } from '../git/tag-order.ts'
import { isDeleted, type ModuleIndex, type Reading, type RepositoryRow } from '../output/module-index.ts'
import { createPathSeries, type IsOfSeries, type PathSeries } from './path-series.ts'

/**
 * The stable release since which a directory is missing, or the default branch that lacks it; undefined for one that the
 * newest release has, or never had.
 */
export type RemovedSince = (repository: string, path: string) => string | undefined

/**
 * Prepares an index for several questions. Only readings of one directory with one set of options are compared: a
 * directory that was excluded, or never asked for, was not removed. Where tags name components, only those that speak for
 * the directory count (decision 140).
 */
export function createRemovals(index: Pick<ModuleIndex, 'repositories'>): RemovedSince {
  const rows = new Map(index.repositories.map((row) => [row.repository, row]))
  const histories = new Map<string, History>()
  return (repository, path) => {
    const row = rows.get(repository)
    if (row === undefined) return undefined
    const known = histories.get(repository) ?? historyOf(row)
    histories.set(repository, known)
    const { releases, series } = known
    if (series === undefined) return removedIn(releases, path)
    const isOwn = series.of(path)
    if (isOwn === undefined) return removedEverywhere(releases, series, path)
    return removedIn(ofSeries(releases, isOwn), path)
  }
}

interface History {
  readonly releases: readonly Releases[]
  /** Absent: the tags are of one series. */
  readonly series: PathSeries | undefined
}

interface Release {
  readonly ref: string
  readonly directories: ReadonlySet<string>
}

/** What was read alike: stable releases, newest first, and the default branch. */
interface Releases {
  readonly stable: readonly Release[]
  readonly head: Release | undefined
}

const LIVING = ''

function removedIn(releases: readonly Releases[], path: string): string | undefined {
  const states = releases.map(({ stable }) => stateIn(stable, path)).filter((state) => state !== undefined)
  return states.includes(LIVING) ? undefined : states[0]
}

/**
 * No series speaks for the directory: it was removed if the default branch lacks it, or, where that was not read, the
 * newest release of every series that had it.
 */
function removedEverywhere(
  releases: readonly Releases[],
  series: PathSeries,
  path: string,
): string | undefined {
  const had = releases.filter(({ stable }) => stable.some(({ directories }) => directories.has(path)))
  const heads = had.flatMap(({ head }) => head ?? [])
  if (heads.some(({ directories }) => directories.has(path))) return undefined
  if (heads.length === had.length) return heads[0]?.ref
  const names = new Set(had.flatMap(({ stable }) => stable.map(({ ref }) => series.nameOf(ref))))
  return removedIn(
    [...names].flatMap((name) => ofSeries(had, (tag) => series.nameOf(tag) === name)),
    path,
  )
}

function ofSeries(releases: readonly Releases[], isOwn: IsOfSeries): readonly Releases[] {
  return releases.map(({ stable, head }) => ({ stable: stable.filter(({ ref }) => isOwn(ref)), head }))
}

/** `LIVING`, the release since which the directory is missing, or undefined where no release had it. */
function stateIn(releases: readonly Release[], path: string): string | undefined {
  const last = releases.findIndex(({ directories }) => directories.has(path))
  if (last === -1) return undefined
  return last === 0 ? LIVING : releases[last - 1]?.ref
}

function historyOf({ repository, default_branch, readings }: RepositoryRow): History {
  const alike = new Map<string, { tags: Reading[]; head: Release | undefined }>()
  for (const reading of readings) {
    if (isDeleted(reading)) continue
    const key = `${reading.path}\0${reading.options_digest}`
    const known = alike.get(key) ?? { tags: [], head: undefined }
    alike.set(key, known)
    if (reading.ref_kind === 'branch' && reading.ref === default_branch) known.head = releaseOf(reading)
    if (reading.ref_kind === 'tag' && isStableTag(reading.ref)) known.tags.push(reading)
  }
  const releases = [...alike.values()].map(({ tags, head }) => {
    const place = new Map(orderTags(tags.map(({ ref }) => ref)).map((ref, at) => [ref, at]))
    const sorted = [...tags].sort((a, b) => (place.get(a.ref) ?? 0) - (place.get(b.ref) ?? 0))
    return { stable: sorted.map(releaseOf), head }
  })
  return { releases, series: createPathSeries(repository, readings) }
}

function releaseOf({ ref, directories }: Reading): Release {
  return { ref, directories: new Set(directories) }
}
