/** The series of releases that the tags of a repository form: those of one prefix (decision 140). */
import { isStableTag, orderTags, prefixOf } from './tag-order.ts'

/** The series that speaks for a whole repository: its tags name no component. */
export const COMMON_SERIES = ''

/** Words before a version that name no component. */
const COMMON_WORDS =
  /^(?:v|ver|versions?|rel|releases?|stable|tags?|tf|terraform|tofu|opentofu|modules?)(?:-(?:v|ver|version|release))?$/

/** Folders and words that say of a component only that it is one. */
const CONTAINERS = /^(?:(?:terraform|tf|tofu|modules?|components?|rel|releases?|tags)-)+(?=.)/

/** Names the series of tags; undefined for a tag without a version. `repository` is its URL. */
export function createSeriesNames(repository: string): (tag: string) => string | undefined {
  const plain = repository
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  const name = plain.split(/[/:]/).at(-1) ?? ''
  const own = [name, name.replace(/^terraform-[a-z0-9]+-/, '')].map(seriesKey)
  const known = new Map<string, string>()
  return (tag) => {
    const prefix = prefixOf(tag.replace(/^refs\/tags\//, ''))
    if (prefix === undefined) return undefined
    const key = known.get(prefix) ?? seriesKey(prefix)
    known.set(prefix, key)
    return own.includes(key) || COMMON_WORDS.test(key) ? COMMON_SERIES : key
  }
}

/** One spelling for what names a component: `modules/net_work`, `Net-Work` and `terraform-net-work` are one. */
export function seriesKey(name: string): string {
  const key = name.toLowerCase().replace(/[/_-]+/g, '-')
  return key.replace(/^-|-$/g, '').replace(CONTAINERS, '')
}

/**
 * The first tags, at most `most`, newest first; in a repository with several series also the newest stable tag of each,
 * however many those are.
 */
export function newestTags(tags: Iterable<string>, most: number, repository: string): string[] {
  const ordered = orderTags(tags)
  if (ordered.length <= most) return ordered
  const seriesOf = createSeriesNames(repository)
  const newest = new Map<string, string>()
  for (const tag of ordered) {
    const series = isStableTag(tag) ? seriesOf(tag) : undefined
    if (series !== undefined && !newest.has(series)) newest.set(series, tag)
  }
  const leaders = new Set(newest.values())
  let others = Math.max(0, most - leaders.size)
  return ordered.filter((tag) => leaders.has(tag) || others-- > 0)
}
