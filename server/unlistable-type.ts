import type * as z from 'zod'
import { jsonSchemaOf } from './json-schema.ts'
import { partsOf } from './schema-parts.ts'

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
