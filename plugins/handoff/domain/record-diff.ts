import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../server/plugin.ts'
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
  compare(a, b, '', '', found)
  const { added, removed, changed } = found
  const sections: Record<string, number> = {}
  for (const { pointer } of [...added, ...removed, ...changed]) {
    const section = pointer.split('/')[1] ?? ''
    sections[section] = (sections[section] ?? 0) + 1
  }
  const total = added.length + removed.length + changed.length
  const summary =
    total === 0
      ? 'no difference'
      : `${added.length} added, ${removed.length} removed, ${changed.length} changed in ${namesOf(Object.keys(sections))}`
  return { summary, added, removed, changed, by_section: sections }
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

function compare(a: unknown, b: unknown, atA: string, atB: string, found: Findings): void {
  if (isDeepStrictEqual(a, b)) return
  if (isJsonObject(a) && isJsonObject(b)) compareMembers(a, b, atA, atB, found)
  else if (Array.isArray(a) && Array.isArray(b)) compareLists(a, b, atA, atB, found)
  else found.changed.push({ pointer: atB, before: a, after: b })
}

function compareMembers(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  atA: string,
  atB: string,
  found: Findings,
): void {
  for (const name of Object.keys(a)) {
    if (Object.hasOwn(b, name))
      compare(a[name], b[name], childPointer(atA, name), childPointer(atB, name), found)
    else found.removed.push({ pointer: childPointer(atA, name), value: a[name] })
  }
  for (const name of Object.keys(b)) {
    if (!Object.hasOwn(a, name)) found.added.push({ pointer: childPointer(atB, name), value: b[name] })
  }
}

function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  atA: string,
  atB: string,
  found: Findings,
): void {
  const partner = pairUp(a, b)
  for (const [index, element] of a.entries()) {
    const other = partner.get(index)
    if (other === undefined) found.removed.push({ pointer: childPointer(atA, index), value: element })
    else compare(element, b[other], childPointer(atA, index), childPointer(atB, other), found)
  }
  const taken = new Set(partner.values())
  for (const [index, element] of b.entries()) {
    if (!taken.has(index)) found.added.push({ pointer: childPointer(atB, index), value: element })
  }
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
    if (name === undefined) continue
    const same = indexes.get(name)
    if (same) same.push(index)
    else indexes.set(name, [index])
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
