import type * as z from 'zod'
import { IN_WORDS_KEY } from '../contract/advanced/in-words.ts'
import { type JsonSchema, jsonSchemaOf } from '../json-schema.ts'
import { isBoundOfAnyInteger } from '../platform/integer-bound.ts'
import { isJsonObject } from '../platform/json-object.ts'

/** Keywords whose value is data. */
const DATA_KEYWORDS = new Set(['enum', 'const', 'default', 'examples', 'required'])
/** Keywords whose value maps names to schemas. */
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Keywords that mean nothing to a model, or that only the host reads. */
const UNLISTED = /^(?:\$schema|\$id|x-satchel-.*)$/
/** Limits against abuse, which ordinary callers never reach: checked at the call, not listed. */
const GUARDS = /^(?:minLength|maxLength|maxItems)$/

/**
 * Returns the listed schema of an input, without keywords of no use to a model and without fields that the description
 * names; closed at the top level if every field is listed.
 */
export function listedInput(schema: z.ZodType): JsonSchema {
  const whole = jsonSchemaOf(schema, 'input')
  const { additionalProperties: _, ...listed } = lean(withoutWords(whole), false)
  const named = { type: 'object', properties: {}, ...listed } // clients require both, even for a tool without input
  return withoutWords(whole) === whole ? { ...named, additionalProperties: false } : named
}

/**
 * Returns the listed schema of an output: open at every level, because a client that caches it would refuse a field of
 * the next version; without fields that explain themselves; text that the door fences has no length or pattern.
 */
export function listedOutput(schema: z.ZodType): JsonSchema {
  return lean(withoutWords(jsonSchemaOf(schema, 'output')), true)
}

/** The schema itself if every field is listed. */
function withoutWords(schema: JsonSchema): JsonSchema {
  const all = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>) // as zod prints an object
  const kept = all.filter(([, field]) => !Object.hasOwn(field, IN_WORDS_KEY))
  return kept.length === all.length ? schema : { ...schema, properties: Object.fromEntries(kept) }
}

function lean(schema: JsonSchema, open: boolean): Record<string, unknown> {
  const untrusted = Object.hasOwn(schema, 'x-satchel-untrusted')
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !UNLISTED.test(keyword) &&
      !costsOnlyTokens(keyword, value, schema) &&
      !(open && keyword === 'additionalProperties' && value === false) &&
      !(untrusted && /^(?:pattern|format|m(?:in|ax)Length)$/.test(keyword)) &&
      !(!open && GUARDS.test(keyword)),
  )
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, leanValue(keyword, value, open)]))
}

function costsOnlyTokens(keyword: string, value: unknown, schema: JsonSchema): boolean {
  if (isBoundOfAnyInteger(keyword, value)) return true
  if (keyword === 'additionalProperties' || keyword === 'properties') return isEmptyObject(value)
  if (keyword === 'pattern') return typeof schema['format'] === 'string'
  return keyword === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}'
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}

function leanValue(keyword: string, value: unknown, open: boolean): unknown {
  if (DATA_KEYWORDS.has(keyword) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => leanValue('', entry, open))
  const object = value as JsonSchema // a JSON object, checked above
  if (!NAMED_SCHEMAS.has(keyword)) return lean(object, open)
  return Object.fromEntries(Object.entries(object).map(([name, entry]) => [name, leanValue('', entry, open)]))
}
