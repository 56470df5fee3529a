import { QUOTING_KEY } from '../contract/advanced/quoting.ts'
import { UNTRUSTED_KEY, type UntrustedMark } from '../contract/untrusted.ts'
import type { JsonSchema } from '../json-schema.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cleanText, fenced, shortened } from '../platform/untrusted.ts'

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
  /** Adds the labels of the untrusted text that a member of an output holds, and reports whether it holds any. */
  addLabelsIn(member: string, value: unknown, labels: Set<string>): boolean
  /** Cleans and shortens untrusted text; quoting output is only cleaned; all other values stay unchanged. */
  clean(output: unknown): unknown
  /** Fences the untrusted strings of a cleaned output that have several lines. */
  fence(output: unknown): unknown
}

const NONE: UntrustedText = {
  addLabelsIn: () => false,
  clean: (output) => output,
  fence: (output) => output,
}

/** Finds the text that an output schema declares untrusted. A field declared by several alternatives counts once. */
export function untrustedTextOf(schema: JsonSchema): UntrustedText {
  const place = placeOf(schema)
  if (!place) return NONE
  return {
    addLabelsIn(member, value, labels) {
      const at = place.fields.get(member) ?? place.others
      if (!at) return false
      const found = new Set<string>()
      if (at.mark && typeof value === 'object' && value !== null) found.add(at.mark.label)
      addLabels(at, value, found)
      for (const label of found) labels.add(label)
      return found.size > 0
    },
    clean: (output) => mapped(place, output, CLEANED),
    fence: (output) => mapped(place, output, FENCED),
  }
}

/** Of output that may quote text of another author. */
const QUOTED_LABEL = 'text of others'

interface Change {
  /** Applies to all text of output that quotes, and to its names. */
  readonly ofQuoting: boolean
  text(text: string, mark: UntrustedMark | undefined): string
}

const CLEANED: Change = {
  ofQuoting: true,
  text(text, mark) {
    if (mark?.exact) return text
    return mark ? shortened(cleanText(text), mark) : cleanText(text)
  },
}

/** A string of one line has the quotation marks of JSON around it, which no text can end. */
const FENCED: Change = {
  ofQuoting: false,
  text: (text, mark) => (mark && !mark.exact && text.includes('\n') ? fenced(text, mark.label) : text),
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
  const quotes = change.ofQuoting && (isQuoted || place?.quotes === true)
  if (!place && !quotes) return value
  if (typeof value === 'string') return place?.mark || quotes ? change.text(value, place?.mark) : value
  if (Array.isArray(value)) return mappedEntries(place?.entries, value, change, quotes)
  if (!isJsonObject(value)) return value
  if (place && !quotes && !place.others) return mappedFields(place, value, change)
  return mappedMembers(place, value, change, quotes)
}

function mappedMembers(
  place: Place | undefined,
  value: Readonly<Record<string, unknown>>,
  change: Change,
  quotes: boolean,
): unknown {
  const names = Object.keys(value)
  let fields: [string, unknown][] | undefined
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '' // within its length
    const member = value[name]
    const changed = mapped(place?.fields.get(name) ?? place?.others, member, change, quotes)
    const changedName = quotes ? change.text(name, undefined) : name
    if (changed !== member || changedName !== name)
      fields ??= names.slice(0, at).map((same) => [same, value[same]])
    fields?.push([changedName, changed])
  }
  return fields ? Object.fromEntries(fields) : value
}

function mappedEntries(
  place: Place | undefined,
  value: readonly unknown[],
  change: Change,
  quotes: boolean,
): readonly unknown[] {
  let entries: unknown[] | undefined
  for (let at = 0; at < value.length; at++) {
    const changed = mapped(place, value[at], change, quotes)
    if (changed === value[at]) continue
    entries ??= [...value]
    entries[at] = changed
  }
  return entries ?? value
}

/** An object of which only the fields that the schema names can hold text of others. */
function mappedFields(place: Place, value: Readonly<Record<string, unknown>>, change: Change): unknown {
  let fields: Record<string, unknown> | undefined
  for (const [name, at] of place.fields) {
    const field = value[name]
    if (field === undefined) continue
    const changed = mapped(at, field, change)
    if (changed === field) continue
    fields ??= { ...value }
    fields[name] = changed
  }
  return fields ?? value
}

function addLabels(place: Place | undefined, value: unknown, labels: Set<string>, isQuoted = false): void {
  const quotes = isQuoted || place?.quotes === true
  if (!place) {
    if (quotes && hasText(value)) labels.add(QUOTED_LABEL)
    return
  }
  const label = place.mark?.label ?? (quotes ? QUOTED_LABEL : undefined)
  if (typeof value === 'string' && value !== '' && label !== undefined) labels.add(label)
  if (Array.isArray(value)) for (const entry of value) addLabels(place.entries, entry, labels, quotes)
  else if (isJsonObject(value)) addLabelsOfFields(place, value, labels, quotes)
}

function addLabelsOfFields(
  place: Place,
  value: Readonly<Record<string, unknown>>,
  labels: Set<string>,
  quotes: boolean,
): void {
  for (const name of Object.keys(value)) {
    addLabels(place.fields.get(name) ?? place.others, value[name], labels, quotes)
    if (quotes && name !== '') labels.add(QUOTED_LABEL)
  }
}

/** Reports whether a value has a text or a name that is not empty. */
function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  if (Array.isArray(value)) return value.some(hasText)
  return isJsonObject(value) && Object.keys(value).some((name) => name !== '' || hasText(value[name]))
}
