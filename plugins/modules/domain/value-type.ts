/** Types of values as far as they are known, and whether one can become another. */
import type { TypeConstraint } from './type-constraint.ts'

/** `null` fits every type. `sequence`: a list, set or tuple of which no more is known; `mapping`: a map or object. */
export type ValueType = TypeConstraint | { readonly kind: 'null' | 'sequence' | 'mapping' }

type Shape = 'scalar' | 'sequence' | 'mapping'

const SHAPES: Readonly<Record<ValueType['kind'], Shape | undefined>> = {
  any: undefined,
  unknown: undefined,
  null: undefined,
  string: 'scalar',
  number: 'scalar',
  bool: 'scalar',
  list: 'sequence',
  set: 'sequence',
  tuple: 'sequence',
  sequence: 'sequence',
  map: 'mapping',
  object: 'mapping',
  mapping: 'mapping',
}

/** What all types of a shape have in common; undefined: nothing is known. */
export function shapeOf({ kind }: ValueType): Shape | undefined {
  return SHAPES[kind]
}

/** Where a type cannot become another: the steps to the part, the type that is wanted there, and what there is. */
export interface TypeMismatch {
  readonly path: string
  readonly wanted: TypeConstraint
  readonly got: ValueType | undefined
}

/** Undefined where a value of the one type may become the other. Terraform refuses what is found here for every value. */
export function typeMismatch(from: ValueType, to: TypeConstraint, path: string): TypeMismatch | undefined {
  const [shape, wanted] = [shapeOf(from), shapeOf(to)]
  if (shape === undefined || wanted === undefined) return undefined
  if (shape !== wanted) return { path, wanted: to, got: from }
  if (shape === 'scalar') {
    // A text may hold a number or a flag; neither of these becomes the other.
    const isNever =
      (from.kind === 'number' && to.kind === 'bool') || (from.kind === 'bool' && to.kind === 'number')
    return isNever ? { path, wanted: to, got: from } : undefined
  }
  return shape === 'sequence' ? sequenceMismatch(from, to, path) : mappingMismatch(from, to, path)
}

function sequenceMismatch(from: ValueType, to: TypeConstraint, path: string): TypeMismatch | undefined {
  if (to.kind === 'tuple') {
    if (from.kind === 'sequence') return undefined
    if (from.kind !== 'tuple' || from.items.length !== to.items.length) return { path, wanted: to, got: from }
    return firstFound(from.items, (item, at) => {
      const wanted = to.items[at]
      return wanted && typeMismatch(item, wanted, `${path}[${at}]`)
    })
  }
  if (to.kind !== 'list' && to.kind !== 'set') return undefined
  if (from.kind === 'tuple')
    return firstFound(from.items, (item, at) => typeMismatch(item, to.of, `${path}[${at}]`))
  return 'of' in from ? typeMismatch(from.of, to.of, `${path}[*]`) : undefined
}

function mappingMismatch(from: ValueType, to: TypeConstraint, path: string): TypeMismatch | undefined {
  if (to.kind === 'map') {
    if (from.kind === 'map') return typeMismatch(from.of, to.of, `${path}[*]`)
    if (from.kind !== 'object') return undefined
    return firstFound([...from.attributes], ([name, { type }]) =>
      typeMismatch(type, to.of, `${path}.${name}`),
    )
  }
  if (to.kind !== 'object' || from.kind !== 'object') return undefined
  const lacking = [...to.attributes].find(([name, { optional }]) => !optional && !from.attributes.has(name))
  if (lacking !== undefined) return { path: `${path}.${lacking[0]}`, wanted: lacking[1].type, got: undefined }
  return firstFound([...to.attributes], ([name, { type }]) => {
    const given = from.attributes.get(name)
    return given && typeMismatch(given.type, type, `${path}.${name}`)
  })
}

/** What `find` gives for the first entry for which it gives anything. */
export function firstFound<T, R>(
  list: readonly T[],
  find: (entry: T, at: number) => R | undefined,
): R | undefined {
  for (const [at, entry] of list.entries()) {
    const found = find(entry, at)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether values of these types can be the elements of one list or map of anything: Terraform looks for a type that all can
 * become. False only where it finds none.
 */
export function canBeOneType(types: readonly ValueType[]): boolean {
  return commonType(types) !== 'none'
}

/** Undefined where it is not known. */
function commonType(types: readonly ValueType[]): ValueType | 'none' | undefined {
  const [first] = types
  const shapes = new Set(types.map(shapeOf))
  if (first === undefined || shapes.has(undefined)) return undefined
  if (shapes.size > 1) return 'none'
  if (shapes.has('scalar')) return commonScalar(types)
  return shapes.has('sequence') ? commonTuple(types) : commonObject(types)
}

function commonScalar(types: readonly ValueType[]): ValueType | 'none' | undefined {
  const kinds = new Set(types.map(({ kind }) => kind))
  if (kinds.size === 1) return types[0]
  return kinds.has('string') ? { kind: 'string' } : 'none'
}

function commonTuple(types: readonly ValueType[]): ValueType | 'none' | undefined {
  const tuples = types.flatMap((type) => (type.kind === 'tuple' ? [type.items] : []))
  const [first = []] = tuples
  if (tuples.length < types.length) return undefined
  const isEven = tuples.every(({ length }) => length === first.length)
  const columns = isEven ? first.map((_, at) => tuples.flatMap((items) => items[at] ?? [])) : [tuples.flat()]
  return columns.some((column) => commonType(column) === 'none') ? 'none' : { kind: 'sequence' }
}

function commonObject(types: readonly ValueType[]): ValueType | 'none' | undefined {
  const objects = types.flatMap((type) => (type.kind === 'object' ? [type.attributes] : []))
  const [first] = objects
  if (first === undefined || objects.length < types.length) return undefined
  const names = [...first.keys()]
  const isEven = objects.every((one) => one.size === first.size && names.every((name) => one.has(name)))
  const typesOf = (name: string) => objects.flatMap((one) => one.get(name)?.type ?? [])
  const columns = isEven
    ? names.map(typesOf)
    : [objects.flatMap((one) => [...one.values()].map(({ type }) => type))]
  return columns.some((column) => commonType(column) === 'none') ? 'none' : { kind: 'mapping' }
}
