import { isBoundOfAnyInteger } from '../platform/integer-bound.ts'
import { isJsonObject } from '../platform/json-object.ts'

type Json = Readonly<Record<string, unknown>>

/** The JSON Schemas of declarations, collected for one OpenAPI document. */
export interface ComponentSchemas {
  /** Returns the schema without dialect and host-only keys. Its definitions become components. */
  embed(schema: Json): Record<string, unknown>
  /** The components so far, by name. */
  readonly all: Readonly<Record<string, unknown>>
}

/** Keywords whose value maps names to schemas: the names are data, never keywords. */
const MAPS: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas']
/** Keywords whose value is data. */
const DATA: readonly string[] = ['const', 'enum', 'default', 'example', 'examples', 'required']
const DEFINITIONS = ['definitions', '$defs'] as const
/** Keywords without use inside another document; an `$id` would make readers fetch a schema that they already have. */
const DROPPED: readonly string[] = ['$schema', '$id', ...DEFINITIONS]
const NO_SCOPE = ''
const REFERENCE = /^#(?:\/(?:definitions|\$defs)\/(.+))?$/

/**
 * Moves the definitions of schemas to `components`, because a reference inside an embedded schema is relative to the
 * root of the whole document.
 */
export function createComponentSchemas(): ComponentSchemas {
  const all: Record<string, unknown> = {}
  const scopes = new Map<string, string>() // text of a schema with definitions -> name of its component

  const schemaOf = (schema: unknown, scope: string): unknown => {
    if (Array.isArray(schema)) return schema.map((each) => schemaOf(each, scope))
    if (!isJsonObject(schema)) return schema
    if (definitionsOf(schema).length > 0) return { $ref: componentRef(hoist(schema)) }
    return withoutDefinitions(schema, scope)
  }
  const withoutDefinitions = (schema: Json, scope: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(schema)
        .filter(([key, value]) => !isDropped(key, value))
        .map(([key, value]) => [key, memberOf(key, value, scope)]),
    )
  const memberOf = (key: string, value: unknown, scope: string): unknown => {
    if (key === '$ref' && typeof value === 'string') return referenceOf(value, scope)
    if (DATA.includes(key)) return value
    if (MAPS.includes(key) && isJsonObject(value)) return mapValues(value, (each) => schemaOf(each, scope))
    return schemaOf(value, scope)
  }
  /** Adds a schema and its definitions to the components; returns the prefix of its references. */
  const hoist = (schema: Json): string => {
    const text = JSON.stringify(schema)
    const known = scopes.get(text)
    if (known !== undefined) return known
    const scope = freeName(componentName(String(schema['title'] ?? 'Schema')), all)
    scopes.set(text, scope)
    all[scope] = {} // reserve the name before visiting the definitions
    all[scope] = withoutDefinitions(schema, scope)
    for (const [name, each] of definitionsOf(schema))
      all[`${scope}.${componentName(name)}`] = schemaOf(each, scope)
    return scope
  }

  return {
    all,
    embed: (schema) =>
      withoutDefinitions(schema, definitionsOf(schema).length > 0 ? hoist(schema) : NO_SCOPE),
  }
}

/** A page shows the least integer as the sample of a number. */
function isDropped(key: string, value: unknown): boolean {
  return DROPPED.includes(key) || key.startsWith('x-satchel-') || isBoundOfAnyInteger(key, value)
}

function definitionsOf(schema: Json): (readonly [string, unknown])[] {
  return DEFINITIONS.flatMap((key) => {
    const defined = schema[key]
    return isJsonObject(defined) ? Object.entries(defined) : []
  })
}

function componentRef(name: string): string {
  return `#/components/schemas/${name}`
}

function freeName(wanted: string, taken: Json): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}_${count}`
    if (!Object.hasOwn(taken, name)) return name
  }
}

function referenceOf(reference: string, scope: string): string {
  const found = REFERENCE.exec(reference)
  if (found === null || scope === NO_SCOPE) return reference
  return componentRef(found[1] === undefined ? scope : `${scope}.${componentName(found[1])}`)
}

/** Replaces characters that OpenAPI does not allow in the name of a component. */
export function componentName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '_')
}

function mapValues(map: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}
