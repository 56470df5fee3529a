import { QUOTING_KEY } from '../contract/advanced/quoting.ts'
import { UNTRUSTED_KEY, type UntrustedMark } from '../contract/untrusted.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cleanText, fenced } from '../platform/untrusted.ts'
import type { JsonSchema } from './listed-schema.ts'

/** A tree parallel to the schema that locates the untrusted text of an output. */
interface Place {
  mark?: UntrustedMark
  /** The whole subtree is cleaned. */
  quotes?: true
  readonly fields: Map<string, Place>
  entries?: Place
  others?: Place
}

/**
 * Creates the function that cleans, cuts, fences and labels the text that an output schema declares untrusted. Quoting
 * output is only cleaned, all other values stay unchanged, and a field declared by several alternatives is fenced once.
 */
export function fenceFor(schema: JsonSchema): (output: unknown) => unknown {
  const place = placeOf(schema)
  return place ? (output) => fenceAt(place, output, false) : (output) => output
}

function placeOf(schema: unknown): Place | undefined {
  const place: Place = { fields: new Map() }
  collect(schema, place)
  const { mark, quotes, fields, entries, others } = place
  const empty = !mark && !quotes && fields.size === 0 && !entries && !others
  return empty ? undefined : place
}

function collect(schema: unknown, place: Place): void {
  if (!isJsonObject(schema)) return
  const mark = schema[UNTRUSTED_KEY]
  if (isJsonObject(mark) && typeof mark['label'] === 'string') place.mark = mark as unknown as UntrustedMark // written by untrusted()
  if (schema[QUOTING_KEY] === true) place.quotes = true
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
  if (!isJsonObject(properties)) return
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

function fenceAt(place: Place | undefined, value: unknown, isQuoted: boolean): unknown {
  const quotes = isQuoted || place?.quotes === true
  if (!place && !quotes) return value
  if (typeof value === 'string') {
    if (place?.mark) return fenced(value, place.mark)
    return quotes ? cleanText(value) : value
  }
  if (Array.isArray(value)) return value.map((entry) => fenceAt(place?.entries, entry, quotes))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const at = place?.fields.get(name) ?? place?.others
      return [quotes ? cleanText(name) : name, fenceAt(at, field, quotes)]
    }),
  )
}
