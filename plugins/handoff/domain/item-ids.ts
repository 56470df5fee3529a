import { ITEM_COLLECTIONS, ITEM_LETTERS, type ItemCollection, isItemId } from './record.ts'

/** An item as the caller gave it: any members; its `id` is a free label. */
export type GivenItem = Readonly<Record<string, unknown>>

export type GivenItems = Readonly<Partial<Record<ItemCollection, readonly GivenItem[]>>>

export interface NumberedItems {
  readonly items: Readonly<Record<ItemCollection, readonly Record<string, unknown>[]>>
  /** Label as given -> id as stored. */
  readonly assigned: Readonly<Record<string, string>>
  /** The references of another item that was given with them, to the ids as stored. */
  referencesOf(item: GivenItem): GivenItem
}

/**
 * Assigns an id to every item. A label that is a valid id and not in `taken` stays; other items get the next free
 * number of their collection's letter. References between the given items follow their labels, and those in `known`.
 */
export function numberItems(
  given: GivenItems,
  taken: Iterable<string>,
  known: ReadonlyMap<string, string> = new Map(),
): NumberedItems {
  const used = createItemIds(taken)
  const labels = {} as Record<ItemCollection, Map<string, string>>
  const ids = {} as Record<ItemCollection, string[]>
  for (const collection of ITEM_COLLECTIONS) {
    labels[collection] = new Map()
    ids[collection] = assignIds(given[collection] ?? [], ITEM_LETTERS[collection], used, labels[collection])
  }
  const evidence = new Map([...known, ...labels.evidence])
  const openItems = new Map([...known, ...labels.open_items])
  const referencesOf = (item: GivenItem) => ({
    ...rewritten(item, 'evidence_ids', evidence),
    ...rewritten(item, 'blocked_by', openItems),
  })
  const items = {} as Record<ItemCollection, Record<string, unknown>[]>
  for (const collection of ITEM_COLLECTIONS) {
    items[collection] = (given[collection] ?? []).map((item, index) => ({
      ...item,
      id: ids[collection][index],
      ...referencesOf(item),
    }))
  }
  return { items, assigned: { ...Object.fromEntries(known), ...assignedLabels(labels) }, referencesOf }
}

function assignIds(
  items: readonly GivenItem[],
  letter: string,
  used: ItemIds,
  labels: Map<string, string>,
): string[] {
  // Legal free labels first, so that a number made here never takes one of them.
  const kept = items.map((item) => {
    const label = labelOf(item)
    if (label === undefined || !isItemId(label) || used.has(label)) return undefined
    used.add(label)
    return label
  })
  return items.map((item, index) => {
    const id = kept[index] ?? used.next(letter)
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

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const SPARE_LETTERS = [...LETTERS].filter((letter) => !Object.values<string>(ITEM_LETTERS).includes(letter))
const LAST_NUMBER = 999

/** Item ids in use. */
export interface ItemIds {
  has(id: string): boolean
  add(id: string): void
  /**
   * The number after the letter's highest. After 999, the first other letter with a number left, those of the other
   * collections last; after that, unused lower numbers. It counts as used once it is added.
   */
  next(letter: string): string
}

/** Tracks the ids in `used`. 26 letters have more numbers than a record may have items. */
export function createItemIds(used: Iterable<string>): ItemIds {
  const ids = new Set<string>()
  const highest = new Map<string, number>()
  const add = (id: string): void => {
    ids.add(id)
    const letter = id.slice(0, 1)
    if (isItemId(id)) highest.set(letter, Math.max(highest.get(letter) ?? 0, Number(id.slice(2))))
  }
  for (const id of used) add(id)
  return {
    has: (id) => ids.has(id),
    add,
    next(letter) {
      const letters = new Set([letter, ...SPARE_LETTERS, ...LETTERS])
      for (const candidate of letters) {
        const number = (highest.get(candidate) ?? 0) + 1
        if (number <= LAST_NUMBER) return itemId(candidate, number)
      }
      for (const candidate of letters) {
        for (let number = 1; number <= LAST_NUMBER; number += 1) {
          if (!ids.has(itemId(candidate, number))) return itemId(candidate, number)
        }
      }
      throw new RangeError('no free item id is left')
    },
  }
}

function itemId(letter: string, number: number): string {
  return `${letter}-${String(number).padStart(3, '0')}`
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
      // For a label in two collections, the second is prefixed with its collection.
      entries.push([seen.has(label) ? `${collection}/${label}` : label, id])
      seen.add(label)
    }
  }
  return Object.fromEntries(entries)
}
