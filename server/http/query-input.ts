import * as z from 'zod'
import { addTo } from '../platform/grouped.ts'

interface FieldSchema {
  readonly type?: string
  readonly items?: FieldSchema
  readonly anyOf?: readonly FieldSchema[]
  readonly oneOf?: readonly FieldSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Converts the text of a query or path to the types of a tool's input fields. */
export interface QueryInput {
  /** Converts `values`; a text that does not fit its type stays text, and the schema refuses it. */
  read(values: Iterable<readonly [string, string]>): Record<string, unknown>
}

/** Reads the schema once. */
export function createQueryInput(input: z.ZodObject): QueryInput {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const fields = new Map(Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>)) // zod's schema of an object
  return {
    read(values) {
      const texts = new Map<string, string[]>()
      for (const [name, text] of values) addTo(texts, name, text)
      return Object.fromEntries([...texts].map(([name, given]) => [name, readField(fields.get(name), given)]))
    },
  }
}

function readField(schema: FieldSchema | undefined, texts: readonly string[]): unknown {
  const list = alternatives(schema).find(({ type }) => type === 'array')
  if (list) return texts.map((text) => readText(list.items, text))
  const [only] = texts
  return texts.length === 1 && only !== undefined ? readText(schema, only) : texts
}

function readText(schema: FieldSchema | undefined, text: string): unknown {
  const types = new Set(alternatives(schema).map(typeOf))
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('object') && text.startsWith('{')) return parsedOrText(text)
  return text
}

function typeOf({ type, const: only, enum: several }: FieldSchema): string | undefined {
  return type ?? typeof (only ?? several?.[0])
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function alternatives(schema: FieldSchema | undefined): readonly FieldSchema[] {
  if (schema === undefined) return []
  const several = schema.anyOf ?? schema.oneOf
  return several ? several.flatMap(alternatives) : [schema]
}
