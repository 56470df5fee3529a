import { compare } from '../domain/order.ts'

/** The version that a tag's name denotes (modules design 2.4). */
interface TagVersion {
  readonly tag: string
  /** 1 stable with two or more numbers, 2 pre-release, 3 floating alias (`v5`), 4 anything else. */
  readonly rank: 1 | 2 | 3 | 4
  readonly numbers: readonly bigint[]
  readonly pre: readonly string[]
}

const TAG =
  /^(?:(?:.*\/)|(?:[A-Za-z][A-Za-z0-9_]*-))?[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/

/** Sorts tags: stable versions newest first, pre-releases, aliases, then all others by name. */
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

function versionOf(tag: string): TagVersion {
  const [, numbers, pre] = TAG.exec(tag) ?? []
  if (numbers === undefined) return { tag, rank: 4, numbers: [], pre: [] }
  const read = numbers.split('.').map((digits) => BigInt(digits.slice(0, 40)))
  if (pre !== undefined) return { tag, rank: 2, numbers: read, pre: pre.split('.') }
  return { tag, rank: read.length > 1 ? 1 : 3, numbers: read, pre: [] }
}

function newestFirst(a: TagVersion, b: TagVersion): number {
  return (
    a.rank - b.rank ||
    compareNumbers(b.numbers, a.numbers) ||
    comparePre(b.pre, a.pre) ||
    compare(a.tag, b.tag)
  )
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
