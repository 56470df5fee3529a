import type * as z from 'zod'

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
export function partsOf(
  schema: z.ZodType,
  io: 'input' | 'output',
): readonly (readonly [string, z.ZodType])[] {
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
