import type { GivenItem } from './item-ids.ts'
import { ITEM_COLLECTIONS, type ItemCollection } from './record.ts'

type Items = Readonly<Record<ItemCollection, readonly GivenItem[]>>

export interface Restated {
  /** Inherited items, with what was said again of them. */
  readonly inherited: Readonly<Record<ItemCollection, readonly Record<string, unknown>[]>>
  /** Given items that say something new. */
  readonly fresh: Items
  /** Id of an inherited item -> what was said again of it. */
  readonly again: ReadonlyMap<string, GivenItem>
  /** Label of a given item -> id of the inherited one that it says again. */
  readonly labels: ReadonlyMap<string, string>
}

/** The members by which two items are the same. */
const SAME_BY: Readonly<Record<ItemCollection, readonly string[]>> = {
  decisions: ['decision'],
  evidence: ['type', 'claim', 'ref'],
  failed_attempts: ['approach'],
  open_items: ['description'],
}

/** Finds given items that say again what a child inherits, so that nothing is stored twice. */
export function findRestated(inherited: Items, given: Items): Restated {
  const labels = new Map<string, string>()
  const saidAgain = new Map<string, GivenItem>()
  const kept = {} as Record<ItemCollection, Record<string, unknown>[]>
  const fresh = {} as Record<ItemCollection, GivenItem[]>
  for (const name of ITEM_COLLECTIONS) {
    const key = (item: GivenItem) => SAME_BY[name].map((member) => comparable(item[member])).join('\n')
    const known = new Map(inherited[name].map((item) => [key(item), item] as const))
    const again = new Map<GivenItem, GivenItem>()
    fresh[name] = []
    for (const item of given[name]) {
      const same = known.get(key(item))
      if (!same || again.has(same)) {
        fresh[name].push(item)
        continue
      }
      again.set(same, item)
      saidAgain.set(String(same['id']), item)
      if (typeof item['id'] === 'string' && item['id'] !== '') labels.set(item['id'], String(same['id']))
    }
    kept[name] = inherited[name].map((item) => restated(name, item, again.get(item)))
  }
  return { inherited: kept, fresh, again: saidAgain, labels }
}

/** The inherited items; references that are said again are those of `referencesOf`, which `numberItems` gives. */
export function inheritedOf(
  { inherited, again }: Restated,
  referencesOf: (given: GivenItem) => GivenItem,
): Restated['inherited'] {
  const settled = (name: ItemCollection) =>
    inherited[name].map((item) => ({ ...item, ...referencesOf(again.get(String(item['id'])) ?? {}) }))
  return {
    decisions: settled('decisions'),
    evidence: settled('evidence'),
    failed_attempts: settled('failed_attempts'),
    open_items: settled('open_items'),
  }
}

function restated(
  name: ItemCollection,
  item: GivenItem,
  again: GivenItem | undefined,
): Record<string, unknown> {
  if (!again) return { ...item }
  // Evidence that is given again was captured again: nothing of the old capture holds.
  return { ...(name === 'evidence' ? {} : item), ...again, id: item['id'] }
}

function comparable(value: unknown): string {
  return typeof value === 'string' ? value.trim().replace(/\s+/g, ' ').toLowerCase() : ''
}
