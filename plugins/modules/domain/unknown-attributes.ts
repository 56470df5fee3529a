/** Finds keys of object values that the type of an input does not have: Terraform drops them without a word. */
import type { GivenValue } from './given-value.ts'
import type { TypeConstraint } from './type-constraint.ts'

/** A key that its object type does not have, and the attributes of that type which the value does not state. */
export interface UnknownAttribute {
  readonly path: string
  readonly name: string
  readonly free: readonly string[]
}

/** Every such key, at any depth; expressions are not looked into. */
export function unknownAttributes(value: GivenValue, type: TypeConstraint, path: string): UnknownAttribute[] {
  if (type.kind === 'list' || type.kind === 'set') {
    return itemsOf(value).flatMap((item, at) => unknownAttributes(item, type.of, `${path}[${at}]`))
  }
  if (type.kind === 'tuple') {
    return itemsOf(value).flatMap((item, at) => {
      const inner = type.items[at]
      return inner === undefined ? [] : unknownAttributes(item, inner, `${path}[${at}]`)
    })
  }
  if (type.kind === 'map') {
    return entriesOf(value).flatMap(([key, item]) => unknownAttributes(item, type.of, `${path}.${key}`))
  }
  return type.kind === 'object' ? ofObject(entriesOf(value), type.attributes, path) : []
}

function ofObject(
  entries: readonly (readonly [string, GivenValue])[],
  attributes: (TypeConstraint & { kind: 'object' })['attributes'],
  path: string,
): UnknownAttribute[] {
  const given = new Set(entries.map(([key]) => key))
  const free = [...attributes.keys()].filter((name) => !given.has(name))
  return entries.flatMap(([key, item]): UnknownAttribute[] => {
    const attribute = attributes.get(key)
    if (attribute !== undefined) return unknownAttributes(item, attribute.type, `${path}.${key}`)
    // A key with a template in it is known only when it is evaluated.
    return key.includes('${') ? [] : [{ path: `${path}.${key}`, name: key, free }]
  })
}

function itemsOf(value: GivenValue): readonly GivenValue[] {
  if (value.kind === 'list') return value.items
  return value.kind === 'literal' && Array.isArray(value.value)
    ? value.value.map((item) => ({ kind: 'literal', value: item }))
    : []
}

function entriesOf(value: GivenValue): readonly (readonly [string, GivenValue])[] {
  if (value.kind === 'object') return value.entries
  if (value.kind !== 'literal' || value.value === null || typeof value.value !== 'object') return []
  if (Array.isArray(value.value)) return []
  return Object.entries(value.value).map(([key, inner]) => [key, { kind: 'literal', value: inner }])
}
