import { compare } from '../domain/order.ts'

/** The version that a tag's name denotes (modules design 2.4). */
interface TagVersion {
  readonly tag: string
  /** The text before the version, without the sign between them; empty where there is none. */
  readonly prefix: string
  /** 1 stable with two or more numbers, 2 pre-release, 3 floating alias (`v5`), 4 anything else. */
  readonly rank: 1 | 2 | 3 | 4
  readonly numbers: readonly bigint[]
  readonly pre: readonly string[]
}

const TAG =
  /^(.*\/|[A-Za-z][A-Za-z0-9_]*[-@])?[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/**
 * The same behind several words, as release tools name the tags of a component. Each word has a letter, and the version a
 * dot or a `v`: `build-of-20240102` and `draft-plan-2` are names. The sign before the version is `-`, `@` or `_`.
 */
const NAMED_TAG =
  /^((?:.*\/)?[A-Za-z][A-Za-z0-9_]*(?:-(?=\d*[A-Za-z_])[A-Za-z0-9_]+)*?[-@_])(?:[vV]?(\d+(?:\.\d+)+)|[vV](\d+))(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** `NETv1.2.0`: capitals, then the `v` of a version without a sign before it. `dev1.2` and `rev1.2` are names. */
const CAPITALS_TAG =
  /^((?:.*\/)?[A-Z][A-Z0-9_-]*)v(\d+(?:\.\d+)+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** A day after words is not a version. */
const DAY = /^(?:19|20)\d\d\.(?:0\d|1[0-2])\.(?:[0-2]\d|3[01])$/

/** Sorts tags: stable versions newest first, pre-releases, aliases, then all others, the highest name first. */
export function orderTags(tags: Iterable<string>): string[] {
  return [...tags]
    .map(versionOf)
    .sort(newestFirst)
    .map(({ tag }) => tag)
}

/** Whether a tag is a stable version of two or more numbers: what `latest` looks for first. */
export function isStableTag(tag: string): boolean {
  return versionOf(tag).rank === 1
}

/** The text before the version of a tag, without the sign between them; undefined for a tag without a version. */
export function prefixOf(tag: string): string | undefined {
  const { rank, prefix } = versionOf(tag)
  return rank === 4 ? undefined : prefix
}

function versionOf(tag: string): TagVersion {
  const { prefix = '', numbers, pre } = partsOf(tag)
  if (numbers === undefined) return { tag, prefix: '', rank: 4, numbers: [], pre: [] }
  const read = numbers.split('.').map((digits) => BigInt(digits.slice(0, 40)))
  const named = { tag, prefix, numbers: read }
  if (pre !== undefined) return { ...named, rank: 2, pre: pre.split('.') }
  return { ...named, rank: read.length > 1 ? 1 : 3, pre: [] }
}

function partsOf(tag: string) {
  const plain = TAG.exec(tag)
  if (plain) return { prefix: plain[1]?.slice(0, -1), numbers: plain[2], pre: plain[3] }
  const capitals = CAPITALS_TAG.exec(tag)
  if (capitals) return { prefix: capitals[1], numbers: capitals[2], pre: capitals[3] }
  const named = NAMED_TAG.exec(tag)
  if (!named || DAY.test(named[2] ?? '')) return {}
  return { prefix: named[1]?.slice(0, -1), numbers: named[2] ?? named[3], pre: named[4] }
}

function newestFirst(a: TagVersion, b: TagVersion): number {
  return (
    a.rank - b.rank ||
    (a.rank === 4 ? compareNames(b.tag, a.tag) : 0) ||
    compareNumbers(b.numbers, a.numbers) ||
    comparePre(b.pre, a.pre) ||
    compare(a.tag, b.tag)
  )
}

/** Digits in a name by value, so that `build-10` comes after `build-9`. */
function compareNames(a: string, b: string): number {
  const [left, right] = [a.split(/(\d+)/), b.split(/(\d+)/)]
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [one = '', other = ''] = [left[at], right[at]]
    const order = at % 2 === 1 ? compareDigits(one, other) : compare(one, other)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareDigits(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || compare(left, right)
}

/** Missing parts are 0; a fourth part counts. */
function compareNumbers(a: readonly bigint[], b: readonly bigint[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at] ?? 0n, b[at] ?? 0n]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

/** Semver precedence of pre-release identifiers: of two equal starts the longer is newer. */
function comparePre(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = compareIdentifiers(a[at] ?? '', b[at] ?? '')
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers by value and before words. */
function compareIdentifiers(left: string, right: string): number {
  const [leftNumber, rightNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (leftNumber && rightNumber) {
    return compareNumbers([BigInt(left.slice(0, 40))], [BigInt(right.slice(0, 40))])
  }
  if (leftNumber !== rightNumber) return leftNumber ? -1 : 1
  return compare(left, right)
}
