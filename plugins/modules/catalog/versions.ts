import { grouped, once } from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { isStableTag, orderTags } from '../git/tag-order.ts'
import { byRepository, type IndexRecord, type ModuleIndex } from '../output/module-index.ts'
import { createLeftBehind } from './left-behind.ts'
import { createPathSeries, type IsOfSeries, type PathSeries } from './path-series.ts'
import { createRemovals } from './removed-paths.ts'

/**
 * The records of one (repository, path), in the order readers want: tags newest first, then branches. Where tags name
 * components, those that speak for the path come before all others (decision 140).
 */
export interface ModuleVersions {
  readonly repository: string
  readonly path: string
  readonly versions: readonly IndexRecord[]
  readonly latest: IndexRecord
  /** Of a repository with several series where none speaks for this directory. */
  readonly unnamed?: PathSeries
  /** The release of the repository since which this directory is missing, or the branch that no longer has it. */
  readonly removedSince?: string
}

/** Groups the records of an index by repository and path; `latest` by modules design 2.4. */
export function groupVersions(
  index: Pick<ModuleIndex, 'repositories'> & Partial<Pick<ModuleIndex, 'records'>>,
  records: readonly IndexRecord[],
): ModuleVersions[] {
  const known = records === index.records ? groupsOf.get(records) : undefined
  if (known) return known
  const groups = versionGroups(records === index.records ? index : partOf(index, records), records)
  if (records === index.records) groupsOf.set(records, groups)
  return groups
}

/** The groups of all records of an index: an index is never changed once it is made. */
const groupsOf = new WeakMap<readonly IndexRecord[], ModuleVersions[]>()

/** An index with just the repositories of some records: tables of all of them are not needed for a few. */
function partOf<T extends Pick<ModuleIndex, 'repositories'>>(index: T, some: readonly IndexRecord[]): T {
  const names = new Set(some.map(({ repository }) => repository))
  return { ...index, repositories: index.repositories.filter(({ repository }) => names.has(repository)) }
}

function versionGroups(
  index: Pick<ModuleIndex, 'repositories'>,
  records: readonly IndexRecord[],
): ModuleVersions[] {
  const groups = grouped(records, ({ repository, path }) => `${repository}\0${path}`)
  const removedSince = createRemovals(index)
  const isLeftBehind = createLeftBehind(index)
  const seriesOf = createRowSeries(index, records)
  const defaults = new Map(index.repositories.map((row) => [row.repository, row.default_branch]))
  const tagOrders = createTagOrders()
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { repository, path } = first
    const defaultBranch = defaults.get(repository) ?? undefined
    const series = seriesOf(repository)
    const isOwn = series?.of(path)
    const { versions, own } = inOrder(group, tagOrders, { defaultBranch, isOwn })
    const there = own.filter((record) => !isLeftBehind(record))
    const latest = latestOf(there.length > 0 ? there : own, tagOrders, defaultBranch) ?? first
    const since = removedSince(repository, path) ?? (there.length > 0 ? undefined : latest.ref)
    const told = since === undefined ? {} : { removedSince: since }
    const unnamed = series === undefined || isOwn !== undefined ? {} : { unnamed: series }
    return [{ repository, path, versions, latest, ...told, ...unnamed }]
  })
}

/** The series of the repositories of an index: by what was read of them, or by their records where no run has read them. */
function createRowSeries(
  index: Pick<ModuleIndex, 'repositories'> & Partial<Pick<ModuleIndex, 'records'>>,
  records: readonly IndexRecord[],
): (repository: string) => PathSeries | undefined {
  const rows = new Map(index.repositories.map((row) => [row.repository, row.readings]))
  const known = new Map<string, PathSeries | undefined>()
  const stored = once(() => byRepository(index.records ?? records))
  return (repository) => {
    if (known.has(repository)) return known.get(repository)
    const read = rows.get(repository) ?? []
    const readings = read.length > 0 ? read : (stored().get(repository) ?? []).map(readingOf)
    const series = createPathSeries(repository, readings)
    known.set(repository, series)
    return series
  }
}

function readingOf({ ref, ref_kind, path }: IndexRecord) {
  return { ref, ref_kind, directories: [path] }
}

/** What `latest` means beside a call of `ref`: where no series speaks for the module, the call stays in its own. */
export function latestBeside(
  { latest, unnamed, versions }: ModuleVersions,
  { ref, ref_kind }: Pick<IndexRecord, 'ref' | 'ref_kind'>,
): IndexRecord {
  const isBeside = ref_kind === 'tag' ? unnamed?.beside(ref) : undefined
  if (isBeside === undefined) return latest
  const found = versions.find((one) => one.ref_kind === 'tag' && isStableTag(one.ref) && isBeside(one.ref))
  return found ?? latest
}

/** The latest version of every module of an index. */
export function latestVersions(index: ModuleIndex): IndexRecord[] {
  return groupVersions(index, index.records).map(({ latest }) => latest)
}

/** What the tags of many modules have in common: directories of a repository have the same, and so have many repositories. */
interface TagOrders {
  /** Tag -> its place, newest first. */
  placesOf(tags: readonly string[]): ReadonlyMap<string, number>
  isStable(tag: string): boolean
}

function createTagOrders(): TagOrders {
  const places = new Map<string, ReadonlyMap<string, number>>()
  const stable = new Map<string, boolean>()
  return {
    placesOf(tags) {
      const key = tags.join('\0')
      const known = places.get(key) ?? new Map(orderTags(tags).map((ref, at) => [ref, at]))
      places.set(key, known)
      return known
    },
    isStable(tag) {
      const known = stable.get(tag) ?? isStableTag(tag)
      stable.set(tag, known)
      return known
    },
  }
}

interface OrderedVersions {
  readonly versions: readonly IndexRecord[]
  /** Without tags that speak for other directories; all, where no tag speaks for this one. */
  readonly own: readonly IndexRecord[]
}

function inOrder(
  records: readonly IndexRecord[],
  tagOrders: TagOrders,
  {
    defaultBranch,
    isOwn,
  }: { readonly defaultBranch: string | undefined; readonly isOwn: IsOfSeries | undefined },
): OrderedVersions {
  const tags = records.filter(({ ref_kind }) => ref_kind === 'tag')
  const branches = records
    .filter(({ ref_kind }) => ref_kind === 'branch')
    .sort(
      (a, b) => Number(b.ref === defaultBranch) - Number(a.ref === defaultBranch) || compare(a.ref, b.ref),
    )
  const place = tagOrders.placesOf(tags.map(({ ref }) => ref))
  tags.sort((a, b) => (place.get(a.ref) ?? 0) - (place.get(b.ref) ?? 0))
  const own = isOwn === undefined ? tags : tags.filter(({ ref }) => isOwn(ref))
  if (own.length === 0 || own.length === tags.length) {
    const versions = [...tags, ...branches]
    return { versions, own: versions }
  }
  const ownTags = new Set(own)
  const others = tags.filter((record) => !ownTags.has(record))
  return { versions: [...own, ...others, ...branches], own: [...own, ...branches] }
}

/** First stable tag, else the default branch, else the first. */
function latestOf(
  versions: readonly IndexRecord[],
  tagOrders: TagOrders,
  defaultBranch: string | undefined,
): IndexRecord | undefined {
  return (
    versions.find(({ ref, ref_kind }) => ref_kind === 'tag' && tagOrders.isStable(ref)) ??
    versions.find(({ ref, ref_kind }) => ref_kind === 'branch' && ref === defaultBranch) ??
    versions[0]
  )
}
