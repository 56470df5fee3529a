import type { Tool } from '../contract/tool.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cleanText } from '../platform/untrusted.ts'
import { CutList, CutText } from './cut.ts'

/** Longest headline that is shown, in characters. */
const HEADLINE_MAX_CHARS = 300

/** Returns the one line that names an answer, cleaned. */
export function headlineOf(tool: Tool, data: Record<string, unknown>): string {
  const headline: unknown = tool.headline(data) // a plugin in JavaScript may give anything
  if (typeof headline !== 'string') throw new TypeError(`the headline of ${tool.name} is not a text`)
  const line = cleanText(headline).replace(/\s*\n\s*/g, ' ')
  return line.length <= HEADLINE_MAX_CHARS ? line : `${line.slice(0, HEADLINE_MAX_CHARS - 1)}…`
}

/** Returns data without the members that the text of a tool leaves out on purpose. */
export function withoutOmitted(
  data: Readonly<Record<string, unknown>>,
  omits: Tool['omits'] = {},
): Record<string, unknown> {
  let places = known.get(omits)
  if (!places) {
    places = placesOf(Object.keys(omits).map((path) => path.split('/').slice(1)))
    known.set(omits, places)
  }
  return without(data, places) as Record<string, unknown> // an object stays one
}

/** Where members are left out: at this place, at a named one below it, or at any other below it. */
interface Places {
  readonly isOmitted: boolean
  readonly named: ReadonlyMap<string, Places>
  readonly others: Places | undefined
}

/** The places of each tool, by what it omits. */
const known = new WeakMap<NonNullable<Tool['omits']>, Places>()

function placesOf(paths: readonly (readonly string[])[]): Places {
  const below = (name: string): Places =>
    placesOf(paths.filter(([first]) => first === name || first === '*').map(([, ...rest]) => rest))
  const names = new Set(paths.flatMap(([first]) => (first === undefined ? [] : [first])))
  return {
    isOmitted: paths.some((path) => path.length === 0),
    named: new Map([...names].map((name) => [name, below(name)])),
    others: names.has('*') ? below('*') : undefined,
  }
}

function without(value: unknown, { named, others }: Places): unknown {
  if (named.size === 0 || value instanceof CutText) return value
  if (value instanceof CutList)
    return new CutList(withoutInEach(value.entries, others), value.first, value.shown)
  if (Array.isArray(value)) return withoutInEach(value, others)
  if (!isJsonObject(value)) return value
  const kept: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const place = named.get(name) ?? others
    if (place?.isOmitted) continue
    kept.push([name, place ? without(value[name], place) : value[name]])
  }
  return Object.fromEntries(kept)
}

function withoutInEach(entries: readonly unknown[], place: Places | undefined): readonly unknown[] {
  return place ? entries.map((entry) => without(entry, place)) : entries
}
