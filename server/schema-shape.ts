import type { z } from 'zod'

interface ZodLike {
  readonly def?: {
    readonly type: string
    readonly innerType?: unknown
    readonly element?: unknown
    readonly catchall?: unknown
    /** Of a union. */
    readonly options?: readonly unknown[]
    readonly in?: unknown
    readonly out?: unknown
  }
  readonly shape?: Readonly<Record<string, unknown>>
}

/** Returns the schema inside optional, nullable and default wrappers, by shape, because a plugin may bring its own zod. */
export function innermost(schema: unknown): ZodLike {
  const like = schema as ZodLike // every member read is checked for undefined
  return like?.def?.innerType === undefined ? (like ?? {}) : innermost(like.def.innerType)
}

/** Returns the fields of an object schema inside any wrapper. */
export function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const inner = innermost(schema)
  return inner.def?.type === 'object' ? inner.shape : undefined
}

/** Converts the text of an environment variable to the type of the schema, or returns it unchanged for the schema to refuse. */
export function typedValue(schema: z.ZodObject, dotted: string, text: string): unknown {
  const kind = kindAt(schema, dotted)
  if (kind === 'boolean' && /^(true|1|yes|on)$/i.test(text)) return true
  if (kind === 'boolean' && /^(false|0|no|off)$/i.test(text)) return false
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  return text
}

function kindAt(schema: z.ZodObject, dotted: string): string {
  let at: unknown = schema
  for (const name of dotted.split('.')) {
    const shape = shapeOf(at)
    if (shape && Object.hasOwn(shape, name)) at = shape[name]
  }
  const { def } = innermost(at)
  return def?.type ?? 'unknown'
}
