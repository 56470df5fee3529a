import { hash } from 'node:crypto'
import { once } from '../../../server/plugin.ts'
import type { IndexRecord, ModuleIndex, Reading, RepositoryRow } from './module-index.ts'

/** What a search index is made from. */
type Content = Pick<ModuleIndex, 'repositories' | 'records'>

/**
 * A digest of what a search index is made from: the versions of every module, their summaries and times, and what was
 * read of their repositories. The order of records and repositories does not matter: it is the sum of the digests of
 * all of them, so that the content of a changed index follows from the content before and from what changed.
 */
export function contentOf(index: Content): string {
  return textOf(sumsOf(index))
}

/** As `contentOf`, for an index that was made from `before`: only what differs is looked at. */
export function contentAfter(before: Content, index: Content): string {
  if (!known.has(index)) {
    const sums = sumsOf(before).slice()
    const { removed, added, removedRows, addedRows } = stepBetween(before, index)
    for (const record of removed) add(sums, recordText(record), -1)
    for (const record of added) add(sums, recordText(record), 1)
    for (const row of removedRows) add(sums, rowText(row), -1)
    for (const row of addedRows) add(sums, rowText(row), 1)
    known.set(index, sums)
  }
  return contentOf(index)
}

/** Notes that `index` and `before` differ only in their vectors, which the content leaves out. */
export function keepContent(index: Content, before: Content): void {
  known.set(index, sumsOf(before))
}

/** Notes the content of an index that was loaded, as it was when the file was written. */
export function noteContent(index: Content, content: string): void {
  known.set(index, sumsOfText(content))
}

/** How an index became another one: a record or repository that is the same object did not change. */
export interface IndexStep {
  readonly removed: readonly IndexRecord[]
  readonly added: readonly IndexRecord[]
  readonly removedRows: readonly RepositoryRow[]
  readonly addedRows: readonly RepositoryRow[]
}

/** What differs between two indexes. Where records only changed or were added at the end, no table is made. */
export function stepBetween(before: Content, index: Content): IndexStep {
  const held = steps.get(index)
  if (held?.before === before) return held.step
  const step = differences(before, index)
  steps.set(index, { before, step })
  return step
}

const steps = new WeakMap<object, { readonly before: Content; readonly step: IndexStep }>()

function differences(before: Content, index: Content): IndexStep {
  const removed: IndexRecord[] = []
  const added: IndexRecord[] = []
  const earlier = before.records
  const placeOf = once(() => new Map(earlier.map((record, at) => [record, at])))
  let place = 0 // all earlier records before it are the same or removed
  const removeUpTo = (end: number): void => {
    for (const record of earlier.slice(place, end)) removed.push(record)
    place = Math.max(place, end)
  }
  for (const record of index.records) {
    const next = earlier[place]
    if (record === next) place++
    else if (next === undefined || record.id === next.id) {
      added.push(record)
      removeUpTo(Math.min(place + 1, earlier.length))
    } else {
      const found = placeOf().get(record) ?? -1
      if (found < place) added.push(record)
      else {
        removeUpTo(found)
        place++
      }
    }
  }
  removeUpTo(earlier.length)
  return { removed, added, ...rowsBetween(before.repositories, index.repositories) }
}

/** The repositories of which something differs. */
export function repositoriesIn({ removed, added, removedRows, addedRows }: IndexStep): ReadonlySet<string> {
  const changed = [...removed, ...added, ...removedRows, ...addedRows]
  return new Set(changed.map(({ repository }) => repository))
}

function rowsBetween(before: readonly RepositoryRow[], rows: readonly RepositoryRow[]) {
  const isInPlace = before.every(({ repository }, at) => repository === rows[at]?.repository)
  const earlier = once(() => new Map(before.map((row) => [row.repository, row])))
  const removedRows: RepositoryRow[] = []
  const addedRows: RepositoryRow[] = []
  for (const [at, row] of rows.entries()) {
    const held = isInPlace ? before[at] : earlier().get(row.repository)
    if (!isInPlace) earlier().delete(row.repository)
    if (held && isSameRow(held, row)) continue
    addedRows.push(row)
    if (held) removedRows.push(held)
  }
  return { addedRows, removedRows: isInPlace ? removedRows : [...removedRows, ...earlier().values()] }
}

function isSameRow(a: RepositoryRow, b: RepositoryRow): boolean {
  if (a === b) return true
  return (
    a.default_branch === b.default_branch &&
    a.readings.length === b.readings.length &&
    a.readings.every((reading, at) => reading === b.readings[at])
  )
}

/** 256 bits as sums of their words: far below 2 ** 53 for millions of records, and below 0 while some are taken away. */
type Sums = Float64Array

const WORDS = 8
const WORD = 2 ** 32

/** An index is never changed once it is made. */
const known = new WeakMap<object, Sums>()

function sumsOf(index: Content): Sums {
  const held = known.get(index)
  if (held) return held
  const sums = new Float64Array(WORDS)
  for (const record of index.records) add(sums, recordText(record), 1)
  for (const row of index.repositories) add(sums, rowText(row), 1)
  known.set(index, sums)
  return sums
}

function add(sums: Sums, text: string, times: 1 | -1): void {
  const digest = hash('sha256', text, 'buffer')
  for (let word = 0; word < WORDS; word++)
    sums[word] = (sums[word] ?? 0) + times * digest.readUInt32LE(word * 4)
}

function recordText({ id, summary_sha256, summary_file, name, other_names, last_updated }: IndexRecord) {
  const others = other_names === undefined ? '' : JSON.stringify(other_names.map((other) => other.name))
  return `${id} ${summary_sha256} ${summary_file} ${name} ${others} ${last_updated}`
}

function rowText({ repository, default_branch, readings }: RepositoryRow): string {
  return JSON.stringify([repository, default_branch, ...readings.map(readingList)])
}

/** What tells which directories a release no longer has. */
function readingList({ ref, ref_kind, path, options_digest, directories }: Reading) {
  return [ref, ref_kind, path, options_digest, directories]
}

function sumsOfText(text: string): Sums {
  return Float64Array.from({ length: WORDS }, (_, at) => Number.parseInt(text.slice(at * 8, at * 8 + 8), 16))
}

/** The sum modulo 2 ** 256, in hex. */
function textOf(sums: Sums): string {
  const words: string[] = []
  let carry = 0
  for (const sum of sums) {
    const value = sum + carry
    carry = Math.floor(value / WORD)
    words.push((value - carry * WORD).toString(16).padStart(8, '0'))
  }
  return words.join('')
}
