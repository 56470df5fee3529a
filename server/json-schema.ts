import * as z from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

const converted = new WeakMap<z.ZodType, { input?: JsonSchema; output?: JsonSchema }>()

/**
 * Returns the JSON Schema (2020-12) of a zod schema, converted once per process.
 * Errors: those of zod for types without JSON Schema (dates, transforms, custom types); the caller names the tool.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = converted.get(schema) ?? {}
  converted.set(schema, known)
  known[io] ??= z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'throw' })
  return known[io]
}
