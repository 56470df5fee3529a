import { isJsonObject } from '../platform/json-object.ts'

/** A JSON Schema as clients read it. */
type Schema = Readonly<Record<string, unknown>>

/** Names that all clients and model APIs accept; one bad tool can break the whole session (quality, section 2). */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/
const COMPOSITIONS: readonly string[] = ['oneOf', 'anyOf', 'allOf']

/** Returns a sentence for each part of a tool's input schema that is not portable. */
export function inputSchemaProblems(schema: Schema): string[] {
  return [
    ...COMPOSITIONS.filter((key) => key in schema).map((key) => `the input has a top-level ${key}`),
    ...walk(schema, 'input').flatMap(({ at, schema: one }) => [
      ...refProblems(at, one),
      ...nullProblems(at, one),
      ...arrayProblems(at, one),
      ...nameProblems(at, one),
    ]),
    ...undescribed(schema),
  ]
}

/** Returns a sentence for each part of a tool's output schema that is not portable. */
export function outputSchemaProblems(schema: Schema): string[] {
  return [
    ...(schema['type'] === 'object' ? [] : ['the output schema is not an object']),
    ...walk(schema, 'output').flatMap(({ at, schema: one }) => [
      ...refProblems(at, one),
      ...nameProblems(at, one),
    ]),
  ]
}

function walk(schema: Schema, at: string): { at: string; schema: Schema }[] {
  const inside = Object.entries(childrenOf(schema)).flatMap(([name, child]) => walk(child, `${at}/${name}`))
  return [{ at, schema }, ...inside]
}

function childrenOf(schema: Schema): Record<string, Schema> {
  const lists = COMPOSITIONS.flatMap((key) =>
    (Array.isArray(schema[key]) ? schema[key] : []).map((child: unknown, index: number) => [
      `${key}${index}`,
      child,
    ]),
  )
  const maps = ['properties', 'patternProperties'].flatMap((key) =>
    Object.entries(asSchema(schema[key]) ?? {}),
  )
  const single = ['items', 'additionalProperties'].map((key) => [key, schema[key]])
  const all = [...lists, ...maps, ...single] as [string, unknown][] // pairs built just above
  return Object.fromEntries(
    all.flatMap(([name, child]) => {
      const found = asSchema(child)
      return found ? [[name, found]] : []
    }),
  )
}

function asSchema(value: unknown): Schema | undefined {
  return isJsonObject(value) ? value : undefined
}

function refProblems(at: string, schema: Schema): string[] {
  return ['$ref', '$defs', 'definitions', 'x-mcp-header']
    .filter((key) => key in schema)
    .map((key) => `${at} uses ${key}`)
}

function nullProblems(at: string, schema: Schema): string[] {
  if (Array.isArray(schema['type'])) return [`${at} has a list of types`]
  const options = Array.isArray(schema['anyOf']) ? schema['anyOf'] : []
  const isNullable = options.some((option: unknown) => asSchema(option)?.['type'] === 'null')
  return isNullable ? [`${at} is nullable: make it optional`] : []
}

function arrayProblems(at: string, schema: Schema): string[] {
  return schema['type'] === 'array' && !('items' in schema) && !('prefixItems' in schema)
    ? [`${at} is an array without items`]
    : []
}

function nameProblems(at: string, schema: Schema): string[] {
  return Object.keys(asSchema(schema['properties']) ?? {})
    .filter((name) => !PROPERTY_NAME.test(name))
    .map((name) => `${at} has the property name ${JSON.stringify(name)}`)
}

function undescribed(schema: Schema): string[] {
  return Object.entries(asSchema(schema['properties']) ?? {})
    .filter(([, child]) => !asSchema(child)?.['description'])
    .map(([name]) => `the parameter ${name} has no description`)
}
