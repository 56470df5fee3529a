import { isDeepStrictEqual } from 'node:util'
import { addTo } from '../../../server/plugin.ts'
import { createItemIds } from './item-ids.ts'
import { textOf } from './record-diff.ts'

/** The items of one side of a merge. */
export interface Side<T> {
  /** The record's id. */
  readonly parent: string
  readonly items: readonly T[]
}

/** An item that several sides changed. The result holds that of the first side. */
export interface ItemConflict<T> {
  readonly kind: 'edited_twice' | 'closed_and_edited'
  /** The id of the item in the result. */
  readonly item_id: string
  readonly positions: readonly { readonly parent: string; readonly item: T | null }[]
}

export interface MergedItems<T> {
  readonly items: readonly T[]
  readonly conflicts: readonly ItemConflict<T>[]
  /** Parent -> id there -> id in the result, where they differ. */
  readonly renumbered: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Id in the result -> its source items. */
  readonly origins: ReadonlyMap<string, readonly Origin<T>[]>
  /** Ids in the result of items that the base does not have. */
  readonly fresh: ReadonlySet<string>
}

export interface Origin<T> {
  readonly parent: string
  readonly item: T
}

type WithId = { readonly id: string }

/** How items of one collection are merged. */
export interface MergeRule<T> {
  readonly letter: string
  /** If true, an item closed on one side and edited on another is a conflict; otherwise the edited one stays. */
  readonly closing: boolean
  /** True if two new items are equal apart from their ids. */
  isSame(a: T, b: T): boolean
}

/**
 * Three-way merge of items with ids (design handoff, section 10). Items of the base are matched by id, new ones by
 * content; a new item whose id is in use gets the next free number. The result lacks only items that one side removed
 * and the others left unchanged.
 */
export function mergeItems<T extends WithId>(
  base: readonly T[],
  sides: readonly Side<T>[],
  rule: MergeRule<T>,
): MergedItems<T> {
  const outcomes = base.map((item) => mergeKnown(item, sides, rule.closing))
  const kept = outcomes.flatMap(({ origin }) => origin ?? [])
  const fresh = mergeNew(base, kept, sides, rule)
  return {
    items: [...kept.map(({ item }) => item), ...fresh.items],
    conflicts: outcomes.flatMap(({ conflict }) => conflict ?? []),
    renumbered: fresh.renumbered,
    origins: new Map<string, readonly Origin<T>[]>([
      ...kept.map((origin): [string, readonly Origin<T>[]] => [origin.item.id, [origin]]),
      ...fresh.origins,
    ]),
    fresh: new Set(fresh.origins.keys()),
  }
}

/** Items that the base does not have, in the order of the sides. */
function mergeNew<T extends WithId>(
  base: readonly T[],
  kept: readonly Origin<T>[],
  sides: readonly Side<T>[],
  rule: MergeRule<T>,
): Pick<MergedItems<T>, 'items' | 'renumbered'> & { readonly origins: ReadonlyMap<string, Origin<T>[]> } {
  const known = new Set(base.map(({ id }) => id))
  const used = createItemIds([...known, ...sides.flatMap(({ items }) => items.map(({ id }) => id))])
  const taken = new Set(kept.map(({ item }) => item.id))
  const renumbered = new Map<string, Map<string, string>>(sides.map(({ parent }) => [parent, new Map()]))
  const origins = new Map<string, Origin<T>[]>()
  const items: T[] = []
  for (const { parent, item } of sides.flatMap((side) =>
    side.items.map((item) => ({ parent: side.parent, item })),
  )) {
    if (known.has(item.id)) continue
    const twin = items.find((other) => isOfAnother(origins.get(other.id), parent) && rule.isSame(other, item))
    const id = twin?.id ?? (taken.has(item.id) ? used.next(rule.letter) : item.id)
    if (id !== item.id) renumbered.get(parent)?.set(item.id, id)
    used.add(id)
    taken.add(id)
    addTo(origins, id, { parent, item })
    if (!twin) items.push({ ...item, id })
  }
  return { items, renumbered, origins }
}

/** True if the item comes from other records only: two equal items of one record stay two. */
function isOfAnother<T>(origins: readonly Origin<T>[] | undefined, parent: string): boolean {
  return !origins?.some((origin) => origin.parent === parent)
}

function mergeKnown<T extends WithId>(
  base: T,
  sides: readonly Side<T>[],
  closing: boolean,
): { readonly origin?: Origin<T>; readonly conflict?: ItemConflict<T> } {
  const versions = sides.map(({ parent, items }) => ({
    parent,
    item: items.find((item) => item.id === base.id) ?? null,
  }))
  const changed = versions.flatMap(({ parent, item }) =>
    item !== null && !isDeepStrictEqual(item, base) ? [{ parent, item }] : [],
  )
  const removed = versions.filter(({ item }) => item === null)
  const [first, ...others] = changed
  if (!first) return removed.length > 0 ? {} : { origin: { parent: sides[0]?.parent ?? '', item: base } }
  if (others.some(({ item }) => !isDeepStrictEqual(item, first.item))) {
    return { origin: first, conflict: { kind: 'edited_twice', item_id: base.id, positions: changed } }
  }
  if (removed.length === 0 || !closing) return { origin: first }
  return {
    origin: first,
    conflict: { kind: 'closed_and_edited', item_id: base.id, positions: [first, ...removed] },
  }
}

/** True if two items differ only in their id. */
export function saysTheSame<T extends WithId>(a: T, b: T): boolean {
  return isDeepStrictEqual({ ...a, id: '' }, { ...b, id: '' })
}

/** Three-way merge of texts: drops what one side removed, keeps everything else once. */
export function mergeTexts(base: readonly string[], sides: readonly (readonly string[])[]): string[] {
  const all = new Set([...base, ...sides.flat()])
  const known = new Set(base)
  return [...all].filter((text) => !known.has(text) || sides.every((side) => side.includes(text)))
}

/** The same for objects matched by text (risks) or path (artifacts). */
export function mergeNamed<T extends object>(base: readonly T[], sides: readonly (readonly T[])[]): T[] {
  const key = (item: T) => textOf(item) ?? JSON.stringify(item)
  const known = new Map(base.map((item) => [key(item), item]))
  const merged = new Map<string, T>()
  for (const item of [...base, ...sides.flat()]) {
    const name = key(item)
    const original = known.get(name)
    const isChanged = original === undefined || !isDeepStrictEqual(item, original)
    const present = merged.get(name)
    // A change wins over what it changed; among changes the first side's.
    if (present === undefined || (isChanged && present === original)) merged.set(name, item)
  }
  return [...merged]
    .filter(([name, item]) => {
      const original = known.get(name)
      if (original === undefined || item !== original) return true
      return sides.every((side) => side.some((other) => key(other) === name))
    })
    .map(([, item]) => item)
}
