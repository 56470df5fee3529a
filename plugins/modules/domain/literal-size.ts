/** What `length()` is of a literal, once it has the type of its input. */
import type { Json } from './summary.ts'
import type { TypeConstraint } from './type-constraint.ts'

/** A size that may be known only between bounds; both are possible. */
export interface Size {
  readonly least: number
  readonly most: number
}

/** A size that is known. */
export function exactSize(size: number): Size {
  return { least: size, most: size }
}

/**
 * As Terraform counts: characters of a string (only plain ones are counted here), elements of a list, set or map. Objects
 * lose and gain attributes when they are converted: undefined.
 */
export function sizeIn(value: Json, type: TypeConstraint): Size | undefined {
  if (type.kind === 'unknown' || type.kind === 'object') return undefined
  if (typeof value === 'string') return /^[\x20-\x7e]*$/.test(value) ? exactSize(value.length) : undefined
  if (Array.isArray(value)) return type.kind === 'set' ? sizeOfSet(value, type.of) : exactSize(value.length)
  return typeof value === 'object' && value !== null ? exactSize(Object.keys(value).length) : undefined
}

/** Elements that are equal as values of the type of elements are one. */
function sizeOfSet(items: readonly Json[], type: TypeConstraint): Size {
  const isMixed = type.kind === 'any' && new Set(items.map((item) => typeof item)).size > 1
  const keys = items.map((item) => (isMixed ? undefined : textOf(item, type)))
  if (keys.includes(undefined)) return { least: Math.min(1, items.length), most: items.length }
  return exactSize(new Set(keys).size)
}

/** Equal for elements that are equal; undefined where that is not known. */
function textOf(item: Json, type: TypeConstraint): string | undefined {
  if (typeof item === 'object') return undefined
  if (type.kind === 'number') return plainNumber(Number(item))
  if (type.kind === 'bool') return String(item === true || item === 'true' || item === '1')
  if (type.kind !== 'string' && type.kind !== 'any') return undefined
  return typeof item === 'number' ? plainNumber(item) : String(item)
}

/** As Terraform writes it; undefined for one that it may write differently, or that is rounded. */
export function plainNumber(number: number): string | undefined {
  const text = String(number)
  return /^-?[0-9.]{1,15}$/.test(text) ? text : undefined
}
