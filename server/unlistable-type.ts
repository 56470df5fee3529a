import type * as z from 'zod'
import { jsonSchemaOf } from './json-schema.ts'

/** A part of a schema that has no JSON Schema. */
export interface UnlistableType {
  /** From the schema's own name: `input.trip.at`, `output.rows[].id`. */
  readonly path: string
  readonly fault: string
}

/** Depth to which a schema is searched: one that names itself has no end. */
const MAX_DEPTH = 16

/**
 * Finds the first part of `schema` that has no JSON Schema, such as a date, a map or a transform; undefined if every client
 * can be told what the schema takes or gives. Reads schemas by shape, because a plugin may bring its own zod.
 */
export function unlistableType(schema: z.ZodType, io: 'input' | 'output'): UnlistableType | undefined {
  const fault = faultOf(schema, io)
  return fault === undefined ? undefined : deepest({ path: io, fault }, schema, io, MAX_DEPTH)
}

function faultOf(schema: z.ZodType, io: 'input' | 'output'): string | undefined {
  try {
    jsonSchemaOf(schema, io)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** The same fault at the innermost part that has it; zod's message does not say where it is. */
function deepest(
  at: UnlistableType,
  schema: z.ZodType,
  io: 'input' | 'output',
  depth: number,
): UnlistableType {
  if (depth === 0) return at
  for (const [step, part] of partsOf(schema, io)) {
    const fault = faultOf(part, io)
    if (fault !== undefined) return deepest({ path: `${at.path}${step}`, fault }, part, io, depth - 1)
  }
  return at
}

interface Definition {
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly items?: readonly z.ZodType[]
  readonly left?: z.ZodType
  readonly right?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  getter?(): z.ZodType
}

/** The schemas inside a schema, each with its step of a path. */
function partsOf(schema: z.ZodType, io: 'input' | 'output'): readonly (readonly [string, z.ZodType])[] {
  const { def, shape = {} } = schema as {
    readonly def?: Definition
    readonly shape?: Record<string, z.ZodType>
  }
  const { innerType, element, valueType, options = [], items = [], left, right } = def ?? {}
  const piped = io === 'input' ? def?.in : def?.out
  const unnamed = [innerType, left, right, piped, def?.getter?.(), ...options]
  const parts: readonly (readonly [string, z.ZodType | undefined])[] = [
    ...Object.entries(shape).map(([name, field]) => [`.${name}`, field] as const),
    ['[]', element],
    ['.*', valueType],
    ...items.map((item, index) => [`[${index}]`, item] as const),
    ...unnamed.map((part) => ['', part] as const),
  ]
  return parts.flatMap(([step, part]) => (part === undefined ? [] : [[step, part] as const]))
}
