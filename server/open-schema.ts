import type * as z from 'zod'
import { partsOf } from './schema-parts.ts'

/** Types of zod that take any value. */
const OPEN: readonly string[] = ['any', 'unknown', 'custom']

const known = new WeakMap<z.ZodType, boolean>()

/** Reports whether a part of an output schema takes any value, also one that JSON has no word for. */
export function takesAnything(schema: z.ZodType): boolean {
  const told = known.get(schema)
  if (told !== undefined) return told
  known.set(schema, false) // a schema that names itself is searched once
  const { type = '', catchall } = (schema as { readonly def?: Definition }).def ?? {}
  const parts = partsOf(schema, 'output').map(([, part]) => part)
  const isOpen = OPEN.includes(type) || [...parts, ...(catchall ? [catchall] : [])].some(takesAnything)
  known.set(schema, isOpen)
  return isOpen
}

interface Definition {
  readonly type?: string
  readonly catchall?: z.ZodType
}
