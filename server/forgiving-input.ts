import type { z } from 'zod'
import { excessOfJson } from './platform/json-bounds.ts'
import { isJsonObject, parsedJson } from './platform/json-object.ts'
import { requireKnownArguments } from './unknown-key.ts'

/** A text of JSON may hold another: a list in an object in an argument. */
const MAX_ROUNDS = 3
/** An input with more faults is not a matter of form. */
const MAX_REPAIRS = 100

/**
 * Parses an input that its schema refused only for its form: a list or an object given as JSON text is taken as what
 * the text holds, and null as an absent member. Undefined if that does not help; the input itself stays unchanged.
 */
export function forgivenInput(
  schema: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
  refusal: z.ZodError,
): Record<string, unknown> | undefined {
  let error = refusal
  let repaired = input
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (error.issues.length > MAX_REPAIRS) return undefined
    const next = error.issues.reduce<unknown>(
      (value, issue) => repairedAt(value, issue.path, issue),
      repaired,
    )
    if (next === repaired || !isJsonObject(next)) return undefined
    requireKnownArguments(schema, next)
    const parsed = schema.safeParse(next)
    if (parsed.success) return parsed.data
    repaired = next
    error = parsed.error
  }
  return undefined
}

/** A copy of `value` whose part at `path` is repaired; `value` itself if there is nothing to repair. */
function repairedAt(value: unknown, path: readonly PropertyKey[], issue: z.core.$ZodIssue): unknown {
  const [key, ...rest] = path
  if (key === undefined) return structureIn(value, issue)
  if (Array.isArray(value) && typeof key === 'number') {
    const part = repairedAt(value[key], rest, issue)
    return part === value[key] ? value : value.with(key, part)
  }
  if (!isJsonObject(value) || typeof key !== 'string' || !Object.hasOwn(value, key)) return value
  const { [key]: present, ...others } = value
  if (rest.length === 0 && present === null && issue.code === 'invalid_type') return others
  const part = repairedAt(present, rest, issue)
  return part === present ? value : { ...value, [key]: part }
}

/** The list or object that a text of JSON holds, if the schema asks for one; else the value itself. */
function structureIn(value: unknown, issue: z.core.$ZodIssue): unknown {
  if (typeof value !== 'string' || issue.code !== 'invalid_type') return value
  const wantsList = issue.expected === 'array'
  if (!wantsList && issue.expected !== 'object' && issue.expected !== 'record') return value
  if (excessOfJson(value)) return value
  const held = parsedJson(value)
  return (wantsList ? Array.isArray(held) : isJsonObject(held)) ? held : value
}
