import { UNTRUSTED_KEY, type UntrustedMark } from '../contract/untrusted.ts'
import { fenced } from '../untrusted.ts'
import type { JsonSchema } from './listed-schema.ts'

/** Where text that others wrote stands in an output: a tree beside the schema's own. */
interface Place {
  mark?: UntrustedMark
  readonly fields: Map<string, Place>
  entries?: Place
  others?: Place
}

/**
 * Makes the function that cleans, cuts, fences and labels the text an output schema declares as written by others.
 * Everything else is passed through; a field that several alternatives declare is fenced once.
 */
export function fenceFor(schema: JsonSchema): (output: unknown) => unknown {
  const place = placeOf(schema)
  return place ? (output) => fenceAt(place, output) : (output) => output
}

function placeOf(schema: unknown): Place | undefined {
  const place: Place = { fields: new Map() }
  collect(schema, place)
  const empty = !place.mark && place.fields.size === 0 && !place.entries && !place.others
  return empty ? undefined : place
}

function collect(schema: unknown, place: Place): void {
  if (!isObject(schema)) return
  const mark = schema[UNTRUSTED_KEY]
  if (isObject(mark) && typeof mark['label'] === 'string') place.mark = mark as unknown as UntrustedMark // written by untrusted()
  collectFields(schema['properties'], place)
  const entries = merged(place.entries, schema['items'])
  if (entries) place.entries = entries
  const others = merged(place.others, schema['additionalProperties'])
  if (others) place.others = others
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const alternatives = schema[keyword]
    if (Array.isArray(alternatives)) for (const alternative of alternatives) collect(alternative, place)
  }
}

function collectFields(properties: unknown, place: Place): void {
  if (!isObject(properties)) return
  for (const [name, field] of Object.entries(properties)) {
    const found = merged(place.fields.get(name), field)
    if (found) place.fields.set(name, found)
  }
}

function merged(known: Place | undefined, schema: unknown): Place | undefined {
  if (!known) return placeOf(schema)
  collect(schema, known)
  return known
}

function fenceAt(place: Place, value: unknown): unknown {
  if (typeof value === 'string') return place.mark ? fenced(value, place.mark) : value
  if (Array.isArray(value)) {
    const { entries } = place
    return entries ? value.map((entry) => fenceAt(entries, entry)) : value
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const at = place.fields.get(name) ?? place.others
      return [name, at ? fenceAt(at, field) : field]
    }),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
