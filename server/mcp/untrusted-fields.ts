import { QUOTING_KEY } from '../contract/advanced/quoting.ts'
import { UNTRUSTED_KEY, type UntrustedMark } from '../contract/untrusted.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cleanText, fenced, shortened } from '../platform/untrusted.ts'
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

/** How the untrusted text of an output reaches a model. */
export interface UntrustedText {
  /** Labels of the untrusted text that a member of an output holds; empty: it holds none. */
  labelsIn(member: string, value: unknown): readonly string[]
  /** Cleans and shortens untrusted text; quoting output is only cleaned; all other values stay unchanged. */
  clean(output: unknown): unknown
  /** Fences the untrusted strings of a cleaned output that have several lines. */
  fence(output: unknown): unknown
}

const NONE: UntrustedText = { labelsIn: () => [], clean: (output) => output, fence: (output) => output }

/** Finds the text that an output schema declares untrusted. A field declared by several alternatives counts once. */
export function untrustedTextOf(schema: JsonSchema): UntrustedText {
  const place = placeOf(schema)
  if (!place) return NONE
  return {
    labelsIn(member, value) {
      const labels = new Set<string>()
      const at = place.fields.get(member) ?? place.others
      if (at?.mark && typeof value === 'object' && value !== null) labels.add(at.mark.label)
      mapped(at, value, (text, mark) => {
        if (text !== '') labels.add(mark?.label ?? QUOTED_LABEL)
        return text
      })
      return [...labels]
    },
    clean: (output) => mapped(place, output, cleaned),
    fence: (output) => mapped(place, output, fencedBlock),
  }
}

/** Of output that may quote text of another author. */
const QUOTED_LABEL = 'text of others'

type Change = (text: string, mark: UntrustedMark | undefined) => string

function cleaned(text: string, mark: UntrustedMark | undefined): string {
  if (mark?.exact) return text
  return mark ? shortened(cleanText(text), mark) : cleanText(text)
}

/** A string of one line has the quotation marks of JSON around it, which no text can end. */
function fencedBlock(text: string, mark: UntrustedMark | undefined): string {
  return mark && !mark.exact && text.includes('\n') ? fenced(text, mark.label) : text
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

/** The value with its texts changed; itself, not a copy, where no text changed. */
function mapped(place: Place | undefined, value: unknown, change: Change, isQuoted = false): unknown {
  const quotes = isQuoted || place?.quotes === true
  if (!place && !quotes) return value
  if (typeof value === 'string') return place?.mark || quotes ? change(value, place?.mark) : value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => mapped(place?.entries, entry, change, quotes))
    return entries.every((entry, at) => entry === value[at]) ? value : entries
  }
  if (!isJsonObject(value)) return value
  let isSame = true
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const changed = mapped(place?.fields.get(name) ?? place?.others, field, change, quotes)
    const changedName = quotes ? change(name, undefined) : name
    isSame &&= changed === field && changedName === name
    return [changedName, changed]
  })
  return isSame ? value : Object.fromEntries(fields)
}
