import { ITEM_COLLECTIONS, ITEM_LETTERS, type ItemCollection } from './record.ts'

/** An item as a caller wrote it: any members, its `id` a free label. */
export type GivenItem = Readonly<Record<string, unknown>>

export type GivenItems = Readonly<Partial<Record<ItemCollection, readonly GivenItem[]>>>

export interface NumberedItems {
  readonly items: Readonly<Record<ItemCollection, readonly Record<string, unknown>[]>>
  /** Label as given -> id as stored. */
  readonly assigned: Readonly<Record<string, string>>
}

const ITEM_ID = /^[A-Z]-[0-9]{3}$/

/**
 * Gives every item an id of the record: a label that is a legal id and free in `taken` stays, all others get the
 * next free number of their collection's letter. References among the given items follow their labels.
 */
export function numberItems(given: GivenItems, taken: Iterable<string>): NumberedItems {
  const used = new Set(taken)
  const labels = {} as Record<ItemCollection, Map<string, string>>
  const ids = {} as Record<ItemCollection, string[]>
  for (const collection of ITEM_COLLECTIONS) {
    labels[collection] = new Map()
    ids[collection] = assignIds(given[collection] ?? [], ITEM_LETTERS[collection], used, labels[collection])
  }
  const items = {} as Record<ItemCollection, Record<string, unknown>[]>
  for (const collection of ITEM_COLLECTIONS) {
    items[collection] = (given[collection] ?? []).map((item, index) => ({
      ...item,
      id: ids[collection][index],
      ...rewritten(item, 'evidence_ids', labels.evidence),
      ...rewritten(item, 'blocked_by', labels.open_items),
    }))
  }
  return { items, assigned: assignedLabels(labels) }
}

function assignIds(
  items: readonly GivenItem[],
  letter: string,
  used: Set<string>,
  labels: Map<string, string>,
): string[] {
  // Legal free labels first, so that a number made here never takes one of them.
  const kept = items.map((item) => {
    const label = labelOf(item)
    if (label === undefined || !ITEM_ID.test(label) || used.has(label)) return undefined
    used.add(label)
    return label
  })
  return items.map((item, index) => {
    const id = kept[index] ?? nextItemId(letter, used)
    used.add(id)
    const label = labelOf(item)
    if (label !== undefined && !labels.has(label)) labels.set(label, id)
    return id
  })
}

function labelOf(item: GivenItem): string | undefined {
  const label = item['id']
  return typeof label === 'string' && label !== '' ? label : undefined
}

/** The next free number of the letter; after 999 the numbers of the first letter that is not used at all. */
export function nextItemId(letter: string, used: ReadonlySet<string>): string {
  for (const candidate of [letter, ...unusedLetters(used)]) {
    let highest = 0
    for (const id of used)
      if (id[0] === candidate && ITEM_ID.test(id)) highest = Math.max(highest, Number(id.slice(2)))
    for (const number of [highest + 1, ...holes(candidate, used, highest)]) {
      if (number <= 999) return `${candidate}-${String(number).padStart(3, '0')}`
    }
  }
  throw new RangeError('no free item id is left')
}

function unusedLetters(used: ReadonlySet<string>): string[] {
  const taken = new Set([...used].map((id) => id[0]))
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].filter((letter) => !taken.has(letter))
}

/** Free numbers below the highest, used only when the highest is 999 and no letter is left unused. */
function holes(letter: string, used: ReadonlySet<string>, highest: number): number[] {
  if (highest < 999 || unusedLetters(used).length > 0) return []
  return Array.from({ length: 999 }, (_, index) => index + 1).filter(
    (number) => !used.has(`${letter}-${String(number).padStart(3, '0')}`),
  )
}

function rewritten(item: GivenItem, field: string, labels: ReadonlyMap<string, string>): GivenItem {
  const references = item[field]
  if (!Array.isArray(references)) return {}
  return { [field]: references.map((label) => labels.get(String(label)) ?? label) }
}

function assignedLabels(
  labels: Readonly<Record<ItemCollection, ReadonlyMap<string, string>>>,
): Record<string, string> {
  const entries: [string, string][] = []
  const seen = new Set<string>()
  for (const collection of ITEM_COLLECTIONS) {
    for (const [label, id] of labels[collection]) {
      // The same label in two collections: the second is named with its collection.
      entries.push([seen.has(label) ? `${collection}/${label}` : label, id])
      seen.add(label)
    }
  }
  return Object.fromEntries(entries)
}
