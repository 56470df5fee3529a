import type { Log } from '../contract/context.ts'
import type { Tool } from '../contract/tool.ts'
import { onceFor } from '../platform/once.ts'
import { cleanText } from '../platform/untrusted.ts'
import { CutList, CutText } from './cut.ts'
import { isPartial, Literal } from './literal.ts'

/** Longest headline that is shown, in characters. */
const HEADLINE_MAX_CHARS = 300

/**
 * Returns the headline of an answer as one clean line. If the tool's own headline function fails, returns the title of the
 * tool: the work is done, and an error would make the caller repeat it.
 */
export function headlineOf(tool: Tool, data: Record<string, unknown>, log?: Pick<Log, 'error'>): string {
  const line = cleanText(givenHeadline(tool, data, log)).replace(/\s*\n\s*/g, ' ')
  return line.length <= HEADLINE_MAX_CHARS ? line : `${line.slice(0, HEADLINE_MAX_CHARS - 1)}…`
}

function givenHeadline(tool: Tool, data: Record<string, unknown>, log?: Pick<Log, 'error'>): string {
  try {
    const headline: unknown = tool.headline(data) // a plugin in JavaScript may give anything
    if (typeof headline !== 'string') throw new TypeError('the headline is not a text')
    return headline
  } catch (error) {
    log?.error('the headline of an answer failed; its title was used', { tool: tool.name, error })
    return tool.title
  }
}

/**
 * Returns the data that the text of an answer shows: without the members that the tool omits, and with values that it quotes
 * from a program written as JSON literals. A value stays as it is if the member that the tool names next to it is true,
 * because it is then the text of an expression, or if the page holds only a part of it.
 */
export function toldIn(
  data: Record<string, unknown>,
  tool: Pick<Tool, 'omits' | 'literals'>,
): Record<string, unknown> {
  return told(data, placesOf(tool)) as Record<string, unknown> // an object stays one
}

/** How the text shows a member and the members below it. A member without a place is shown unchanged. */
interface Place {
  readonly isOmitted: boolean
  /** Shown as a literal, unless the member of this name next to it is true. */
  readonly literalUnless: string | undefined
  readonly named: ReadonlyMap<string, Place>
  readonly names: readonly string[]
  /** Of the members that are not named. */
  readonly others: Place | undefined
  /** Of the entries of a list. */
  readonly entries: Place | undefined
}

/** The rest of a path, and what the tool says of its end. */
type Path = readonly [names: readonly string[], said: string]

const placesOf = onceFor(({ omits, literals }: Pick<Tool, 'omits' | 'literals'>) =>
  placeOf(pathsIn(omits), pathsIn(literals)),
)

function pathsIn(said: Readonly<Record<string, string>> = {}): readonly Path[] {
  return Object.entries(said).map(([path, text]) => [path.split('/').slice(1), text])
}

/** A `*` in a path matches every entry of a list, and in the path of an omission every member of an object. */
function placeOf(omits: readonly Path[], literals: readonly Path[]): Place {
  const firsts = (paths: readonly Path[]) =>
    paths.flatMap(([[first]]) => (first === undefined ? [] : [first]))
  const below = (paths: readonly Path[], isBelow: (first: string) => boolean): readonly Path[] =>
    paths.flatMap(([[first, ...rest], said]): Path[] =>
      first !== undefined && isBelow(first) ? [[rest, said]] : [],
    )
  const names = [...new Set([...firsts(omits), ...firsts(literals)])]
  const isAny = (first: string): boolean => first === '*'
  return {
    isOmitted: omits.some(([rest]) => rest.length === 0),
    literalUnless: literals.find(([rest]) => rest.length === 0)?.[1],
    names,
    named: new Map(
      names.map((name) => [
        name,
        placeOf(
          below(omits, (first) => first === name || isAny(first)),
          below(literals, (first) => first === name),
        ),
      ]),
    ),
    others: firsts(omits).some(isAny) ? placeOf(below(omits, isAny), []) : undefined,
    entries:
      names.length > 0
        ? placeOf(
            below(omits, isAny),
            below(literals, () => true),
          )
        : undefined,
  }
}

/** Returns the value itself, not a copy, if nothing below it changes. */
function told(value: unknown, place: Place): unknown {
  if (place.named.size === 0 || typeof value !== 'object' || value === null || value instanceof CutText)
    return value
  if (value instanceof CutList)
    return new CutList(toldEntries(value.entries, place), value.first, value.shown)
  if (Array.isArray(value)) return toldEntries(value, place)
  return toldMembers(value as Readonly<Record<string, unknown>>, place) // nothing else is left
}

function toldEntries(values: readonly unknown[], { entries }: Place): readonly unknown[] {
  if (!entries || entries.named.size === 0) return values
  let changed: unknown[] | undefined
  for (let at = 0; at < values.length; at++) {
    const entry = told(values[at], entries)
    if (entry === values[at]) continue
    changed ??= [...values]
    changed[at] = entry
  }
  return changed ?? values
}

function toldMembers(
  object: Readonly<Record<string, unknown>>,
  { named, names, others }: Place,
): Readonly<Record<string, unknown>> {
  if (!others && !names.some((name) => Object.hasOwn(object, name))) return object
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(object)) {
    const place = named.get(name) ?? others
    if (place?.isOmitted) continue
    const value = place ? toldMember(object, name, place) : object[name]
    if (name === '__proto__') Object.defineProperty(kept, name, { value, ...OWN })
    else kept[name] = value
  }
  return kept
}

const OWN = { configurable: true, enumerable: true, writable: true }

function toldMember(object: Readonly<Record<string, unknown>>, name: string, place: Place): unknown {
  const value = object[name]
  if (place.literalUnless === undefined) return told(value, place)
  return value === undefined || object[place.literalUnless] === true || isPartial(value)
    ? value
    : new Literal(JSON.stringify(value))
}
