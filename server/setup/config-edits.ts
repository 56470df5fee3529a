import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../platform/json-object.ts'
import { ConfigFault, type ConfigFormat, LayoutFault, type Place } from './config-format.ts'
import type { Origin } from './program-origin.ts'

/** A value that satchel keeps in a configuration file. Other members that it has there are kept, unless `replaces` says so. */
export type Wanted =
  /** A member of an object. */
  | {
      readonly kind: 'member'
      readonly place: readonly string[]
      readonly value: object
      originOf?(found: unknown): Origin
      /** Whether what is there contradicts the value, so that none of its members may stay. */
      replaces?(found: unknown): boolean
    }
  /** An item of a list. */
  | {
      readonly kind: 'item'
      readonly list: readonly string[]
      readonly value: object
      /** What of an item is satchel's: where in it, and what that is to be; undefined if nothing is. */
      ownIn(item: unknown): { readonly at: Place; readonly value: object } | undefined
      /** What a value in that place says of its origin; absent: that it is satchel's. */
      originOf?(found: unknown): Origin
      replaces?(found: unknown): boolean
    }

/**
 * The text with all of these values; the same text where it has them. The result is read again: it must hold these values
 * and otherwise what the text held.
 * Errors: `ConfigFault`.
 */
export function withWanted(format: ConfigFormat, text: string, wanted: readonly Wanted[]): string {
  return wanted.reduce((now, one) => {
    const found = format.read(now)
    const { place, value: own } = targetOf(found, one)
    const before = valueAt(found, place)
    const value = isJsonObject(before) && !one.replaces?.(before) ? { ...before, ...own } : own
    return isDeepStrictEqual(plain(before), plain(value)) ? now : withValue(format, now, place, value)
  }, text)
}

/** What a file held before satchel changed it; undefined if that is not known. */
export type Before = { readonly value: unknown } | undefined

/**
 * The text without these values; one that the file had in their place before is put back. What is empty then goes too,
 * unless it was there before. The result is read again.
 * Errors: `ConfigFault`.
 */
export function withoutWanted(
  format: ConfigFormat,
  text: string,
  wanted: readonly Wanted[],
  before: Before,
): string {
  const wasThere = (place: Place) => before === undefined || valueAt(before.value, place) !== undefined
  return wanted.reduce((start, one) => {
    const old = before && targetOf(before.value, one).place
    const value = old && valueAt(before.value, old)
    const { place: at } = targetOf(format.read(start), one)
    // An item that had other hooks beside that of satchel, and has none now, is another place.
    if (value !== undefined && old?.length === at.length) return putBack(format, start, at, value)
    let now = start
    for (;;) {
      const found = format.read(now)
      const { place } = targetOf(found, one)
      if (valueAt(found, place) === undefined) return now
      now = taken(format, now, place, wasThere)
    }
  }, text)
}

/** The text with the value in place of what is there; what a user took out stays out. */
function putBack(format: ConfigFormat, text: string, place: Place, value: unknown): string {
  const now = valueAt(format.read(text), place)
  return now === undefined || isDeepStrictEqual(plain(now), plain(value))
    ? text
    : withValue(format, text, place, value)
}

/** The text with the value there: member by member, so that comments between them stay, or whole where no layout allows that. */
function withValue(format: ConfigFormat, text: string, place: Place, value: unknown): string {
  const expected = [changed(format.read(text), place, value)]
  const checked = (next: string): string => {
    requireOnly(format, next, expected)
    return next
  }
  try {
    return checked(withMembers(format, text, place, value))
  } catch (thrown) {
    if (!(thrown instanceof LayoutFault)) throw thrown
    return checked(format.put(text, place, value))
  }
}

function withMembers(format: ConfigFormat, text: string, place: Place, value: unknown): string {
  const before = valueAt(format.read(text), place)
  if (!isJsonObject(before) || !isJsonObject(value)) return format.put(text, place, value)
  const absent = Object.keys(before).filter((name) => !Object.hasOwn(value, name))
  const without = absent.reduce((now, name) => format.take(now, [...place, name]), text)
  return Object.entries(value)
    .filter(([name, each]) => !isDeepStrictEqual(plain(before[name]), plain(each)))
    .reduce((now, [name, each]) => withMembers(format, now, [...place, name], each), without)
}

/** Whether a text has a value there, equal or not. */
export function holdsWanted(format: ConfigFormat, text: string, one: Wanted): boolean {
  return originIn(format, text, one) !== undefined
}

/** What a value there says of its origin; undefined if there is none. */
export function originIn(format: ConfigFormat, text: string, one: Wanted): Origin | undefined {
  const found = format.read(text)
  const value = valueAt(found, targetOf(found, one).place)
  return value === undefined ? undefined : (one.originOf?.(value) ?? 'plain')
}

/** The place of a value as a person reads it: `mcpServers.satchel`. */
export function shownPlace(one: Wanted): string {
  return (one.kind === 'member' ? one.place : one.list).join('.')
}

function taken(
  format: ConfigFormat,
  text: string,
  place: Place,
  wasThere: (place: Place) => boolean,
): string {
  const next = format.take(text, place)
  requireOnly(format, next, removals(format.read(text), place))
  const parent = place.slice(0, -1)
  const isLeft = parent.length > 0 && isEmpty(valueAt(format.read(next), parent)) && !wasThere(parent)
  return isLeft ? taken(format, next, parent, wasThere) : next
}

/** Where the value is, or is to be put, and what is to be there. */
function targetOf(found: unknown, one: Wanted): { readonly place: Place; readonly value: object } {
  if (one.kind === 'member') return one
  const list = valueAt(found, one.list)
  if (!Array.isArray(list)) return { place: [...one.list, 0], value: one.value }
  for (const [index, item] of list.entries()) {
    const own = one.ownIn(item)
    if (own) return { place: [...one.list, index, ...own.at], value: own.value }
  }
  return { place: [...one.list, list.length], value: one.value }
}

/** The value at a place; undefined where there is none. */
export function valueAt(found: unknown, place: Place): unknown {
  return place.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    return (value as Readonly<Record<string | number, unknown>>)[step] // it has that member
  }, found)
}

function requireOnly(format: ConfigFormat, text: string, allowed: readonly unknown[]): void {
  if (allowed.some((expected) => isDeepStrictEqual(readAgain(format, text), plain(expected)))) return
  throw new LayoutFault(1, 'its layout, such as a name that is given twice, allows no safe edit')
}

/** The value of a text that satchel wrote: what is wrong with it is not the user's fault. */
function readAgain(format: ConfigFormat, text: string): unknown {
  try {
    return plain(format.read(text))
  } catch (thrown) {
    if (!(thrown instanceof ConfigFault)) throw thrown
    throw new LayoutFault(thrown.line, 'its layout allows no safe edit')
  }
}

function changed(found: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value
  const inner = changed(valueAt(found, [step]), rest, value)
  if (typeof step === 'number') return Array.isArray(found) ? found.toSpliced(step, 1, inner) : [inner]
  return { ...(isJsonObject(found) ? found : {}), [step]: inner }
}

/** What may be left: TOML has no table that only another one implied. */
function removals(found: unknown, place: Place): readonly unknown[] {
  const parent = place.slice(0, -1)
  const left = without(found, place)
  return parent.length > 0 && isEmpty(valueAt(left, parent)) ? [left, ...removals(found, parent)] : [left]
}

function without(found: unknown, [step = '', ...rest]: Place): unknown {
  if (rest.length > 0) return changed(found, [step], without(valueAt(found, [step]), rest))
  if (Array.isArray(found)) return found.toSpliced(Number(step), 1)
  return Object.fromEntries(
    Object.entries(isJsonObject(found) ? found : {}).filter(([name]) => name !== step),
  )
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0)
}

/** Without differences of prototype; an empty document is an empty object. */
function plain(value: unknown): unknown {
  return structuredClone(value ?? {})
}
