import { isDeepStrictEqual } from 'node:util'
import { addTo, isJsonObject } from '../../../server/plugin.ts'
import { wholeChars } from './fence.ts'
import { childPointer } from './json-pointer.ts'
import { folded } from './words.ts'

export interface Placed {
  readonly pointer: string
  readonly value: unknown
}

export interface Changed {
  readonly pointer: string
  readonly before: unknown
  readonly after: unknown
}

/** Differences between two records. Pointers of removed values refer to the first record, all others to the second. */
export interface RecordDiff {
  readonly summary: string
  readonly added: readonly Placed[]
  readonly removed: readonly Placed[]
  readonly changed: readonly Changed[]
  /** Top-level member -> number of differences. */
  readonly by_section: Readonly<Record<string, number>>
}

/** Compares two JSON values as records. List entries are matched by name or text, never by position. */
export function diffRecords(a: unknown, b: unknown): RecordDiff {
  const found: Findings = { added: [], removed: [], changed: [] }
  compare({ pointer: '', value: a }, { pointer: '', value: b }, found)
  const { added, removed, changed } = found
  // A map: records may have members named `constructor` or `__proto__`.
  const sections = new Map<string, number>()
  for (const { pointer } of [...added, ...removed, ...changed]) {
    const section = pointer.split('/')[1] ?? ''
    sections.set(section, (sections.get(section) ?? 0) + 1)
  }
  const total = added.length + removed.length + changed.length
  const summary =
    total === 0
      ? 'no difference'
      : `${added.length} added, ${removed.length} removed, ${changed.length} changed in ${namesOf([...sections.keys()])}`
  return { summary, added, removed, changed, by_section: Object.fromEntries(sections) }
}

/** Limits of a summary: records may have any number of extra members with long names. */
const MAX_NAMED = 10
const NAME_CHARS = 60

function namesOf(sections: readonly string[]): string {
  const more = sections.length > MAX_NAMED ? ` and ${sections.length - MAX_NAMED} more` : ''
  return `${sections
    .slice(0, MAX_NAMED)
    .map((name) => wholeChars(name, NAME_CHARS))
    .join(', ')}${more}`
}

interface Findings {
  readonly added: Placed[]
  readonly removed: Placed[]
  readonly changed: Changed[]
}

function compare(a: Placed, b: Placed, found: Findings): void {
  if (isDeepStrictEqual(a.value, b.value)) return
  const partner = partners(a.value, b.value)
  if (!partner) {
    found.changed.push({ pointer: b.pointer, before: a.value, after: b.value })
    return
  }
  const after = entriesOf(b)
  for (const [index, entry] of entriesOf(a).entries()) {
    const other = after[partner.get(index) ?? -1]
    if (other) compare(entry, other, found)
    else found.removed.push(entry)
  }
  const taken = new Set(partner.values())
  for (const [index, entry] of after.entries()) if (!taken.has(index)) found.added.push(entry)
}

/** The members of an object or the elements of a list. */
function entriesOf({ pointer, value }: Placed): Placed[] {
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object) // compared as such
  return entries.map(([key, entry]) => ({ pointer: childPointer(pointer, key), value: entry }))
}

/** Index of an entry of `a` -> index of its counterpart in `b`; undefined unless both are objects, or both lists. */
function partners(a: unknown, b: unknown): ReadonlyMap<number, number> | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return pairUp(a, b)
  if (!isJsonObject(a) || !isJsonObject(b)) return undefined
  const indexes = new Map(Object.keys(b).map((name, index) => [name, index]))
  return new Map(
    Object.keys(a).flatMap((name, index) => {
      const other = indexes.get(name)
      return other === undefined ? [] : [[index, other] as const]
    }),
  )
}

/** Index in `a` -> index in `b`: first by name, then, among the rest, by text. */
function pairUp(a: readonly unknown[], b: readonly unknown[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>()
  for (const key of [nameOf, textOf]) {
    const taken = new Set(pairs.values())
    const free = indexesBy(b, (element, index) => (taken.has(index) ? undefined : key(element)))
    for (const [index, element] of a.entries()) {
      const match = pairs.has(index) ? undefined : free.get(key(element) ?? '')?.shift()
      if (match !== undefined) pairs.set(index, match)
    }
  }
  return pairs
}

function indexesBy(
  list: readonly unknown[],
  key: (element: unknown, index: number) => string | undefined,
): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, element] of list.entries()) {
    const name = key(element, index)
    if (name !== undefined) addTo(indexes, name, index)
  }
  return indexes
}

const NAMES = ['id', 'path', 'name', 'field'] as const
const TEXTS = ['decision', 'claim', 'approach', 'description', 'path', 'subject'] as const

function nameOf(element: unknown): string | undefined {
  if (!isJsonObject(element)) return JSON.stringify(element)
  const name = NAMES.find((candidate) => typeof element[candidate] === 'string')
  return name && `${name}:${String(element[name])}`
}

/** The text of an item, without accents, case and spacing. */
export function textOf(element: unknown): string | undefined {
  if (!isJsonObject(element)) return undefined
  const name = TEXTS.find((candidate) => typeof element[candidate] === 'string')
  return name && folded(String(element[name])).replace(/\s+/g, ' ').trim()
}
