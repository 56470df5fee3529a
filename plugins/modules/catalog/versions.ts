import { compare } from '../domain/order.ts'
import { isStableTag, orderTags } from '../git/tag-order.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { createRemovals } from './removed-paths.ts'

/** The records of one (repository, path), in the order readers want: tags newest first, then branches. */
export interface ModuleVersions {
  readonly repository: string
  readonly path: string
  readonly versions: readonly IndexRecord[]
  readonly latest: IndexRecord
  /** The release of the repository since which this directory is missing. */
  readonly removedSince?: string
}

/** Groups the records of an index by repository and path; `latest` by modules design 2.4. */
export function groupVersions(
  index: Pick<ModuleIndex, 'repositories'> & Partial<Pick<ModuleIndex, 'records'>>,
  records: readonly IndexRecord[],
): ModuleVersions[] {
  const known = records === index.records ? groupsOf.get(records) : undefined
  if (known) return known
  const groups = grouped(index, records)
  if (records === index.records) groupsOf.set(records, groups)
  return groups
}

/** The groups of all records of an index: an index is never changed once it is made. */
const groupsOf = new WeakMap<readonly IndexRecord[], ModuleVersions[]>()

function grouped(
  index: Pick<ModuleIndex, 'repositories'>,
  records: readonly IndexRecord[],
): ModuleVersions[] {
  const groups = new Map<string, IndexRecord[]>()
  for (const record of records) {
    const key = `${record.repository}\0${record.path}`
    const group = groups.get(key)
    if (group) group.push(record)
    else groups.set(key, [record])
  }
  const removedSince = createRemovals(index)
  const defaults = new Map(index.repositories.map((row) => [row.repository, row.default_branch]))
  const tagOrders = createTagOrders()
  return [...groups.values()].flatMap((group) => {
    const defaultBranch = defaults.get(group[0]?.repository ?? '') ?? undefined
    const versions = inOrder(group, tagOrders, defaultBranch)
    const latest = latestOf(versions, tagOrders, defaultBranch)
    if (latest === undefined) return []
    const { repository, path } = latest
    const since = removedSince(repository, path)
    return [{ repository, path, versions, latest, ...(since !== undefined && { removedSince: since }) }]
  })
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

function inOrder(
  records: readonly IndexRecord[],
  tagOrders: TagOrders,
  defaultBranch: string | undefined,
): IndexRecord[] {
  const tags = records.filter(({ ref_kind }) => ref_kind === 'tag')
  const branches = records.filter(({ ref_kind }) => ref_kind === 'branch')
  const place = tagOrders.placesOf(tags.map(({ ref }) => ref))
  return [
    ...tags.sort((a, b) => (place.get(a.ref) ?? 0) - (place.get(b.ref) ?? 0)),
    ...branches.sort(
      (a, b) => Number(b.ref === defaultBranch) - Number(a.ref === defaultBranch) || compare(a.ref, b.ref),
    ),
  ]
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
