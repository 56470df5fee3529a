/** A value as an input of a type has it: Terraform converts what it is given before any rule sees it. */
import type { GivenValue } from './given-value.ts'
import { plainNumber } from './literal-size.ts'
import type { Json } from './summary.ts'
import type { AttributeType, TypeConstraint } from './type-constraint.ts'

/** An object or map is a `Map`. Undefined: not known without evaluating expressions, or not certain. */
export type RuleValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly RuleValue[]
  | ReadonlyMap<string, RuleValue>

export function typedValue(value: GivenValue, type: TypeConstraint): RuleValue {
  if (type.kind === 'unknown' || value.kind === 'expression') return undefined
  if (value.kind === 'list') return typedList(value.items, type)
  if (value.kind === 'object') return typedObject(value.entries, type)
  const { value: literal } = value
  if (Array.isArray(literal)) return typedList(literal.map(given), type)
  if (typeof literal === 'object' && literal !== null)
    return typedObject(
      Object.entries(literal).map(([key, inner]) => [key, given(inner)] as const),
      type,
    )
  return literal === null ? null : typedScalar(literal as string | number | boolean, type) // the rest of Json
}

/** A value as a literal that a call gives. */
export function given(value: Json): GivenValue {
  return { kind: 'literal', value }
}

function typedScalar(value: string | number | boolean, type: TypeConstraint): RuleValue {
  if (type.kind === 'any' || typeof value === KINDS.get(type.kind)) return value
  if (type.kind === 'string') return typeof value === 'number' ? plainNumber(value) : String(value)
  if (type.kind === 'number') return typeof value === 'string' ? numberIn(value) : undefined
  if (type.kind === 'bool') return BOOLS.get(value)
  return undefined
}

const KINDS: ReadonlyMap<TypeConstraint['kind'], string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['bool', 'boolean'],
])

const BOOLS: ReadonlyMap<string | number | boolean, boolean> = new Map<string | number | boolean, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function numberIn(text: string): RuleValue {
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text) ? Number(text) : undefined
}

function typedList(items: readonly GivenValue[], type: TypeConstraint): RuleValue {
  if (type.kind === 'any') return ofOneKind(items.map((item) => typedValue(item, type)))
  if (type.kind === 'tuple')
    return items.map((item, n) => typedValue(item, type.items[n] ?? { kind: 'unknown', text: '' }))
  if (type.kind !== 'list' && type.kind !== 'set') return undefined
  const typed = ofOneKind(items.map((item) => typedValue(item, type.of)))
  return type.kind === 'list' ? typed : asSet(typed)
}

/** Elements of several kinds are converted to one, which may be any of them. */
function ofOneKind(items: readonly RuleValue[]): RuleValue {
  const kinds = new Set(
    items.filter((item) => item !== undefined && item !== null).map((item) => typeof item),
  )
  return kinds.size <= 1 ? items : undefined
}

/** Elements that are equal are one; which are is known of scalars. */
function asSet(items: RuleValue): RuleValue {
  const isPlain =
    Array.isArray(items) && items.every((item) => typeof item !== 'object' && item !== undefined)
  return isPlain ? [...new Set(items)] : undefined
}

function typedObject(
  entries: readonly (readonly [key: string, value: GivenValue])[],
  type: TypeConstraint,
): RuleValue {
  if (type.kind === 'any' || type.kind === 'map') {
    const of = type.kind === 'map' ? type.of : type
    const typed = entries.map(([key, value]) => [key, typedValue(value, of)] as const)
    if (type.kind === 'map' && ofOneKind(typed.map(([, value]) => value)) === undefined) return undefined
    return new Map(typed)
  }
  if (type.kind !== 'object') return undefined
  const stated = new Map(entries)
  return new Map(
    [...type.attributes].map(([name, attribute]) => [name, typedAttribute(stated.get(name), attribute)]),
  )
}

/** An attribute that is absent or null has its default. */
function typedAttribute(
  value: GivenValue | undefined,
  { type, optional, fallback }: AttributeType,
): RuleValue {
  const typed = value === undefined ? (optional ? null : undefined) : typedValue(value, type)
  return typed === null && fallback !== undefined ? undefined : typed
}
