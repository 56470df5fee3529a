/** The type of `each.value`. */
import type { Expression } from './expression.ts'
import { constraintOf, expressionType, type TypeScope } from './expression-type.ts'
import { pathOf } from './names-read.ts'
import { shapeOf, type ValueType } from './value-type.ts'

/**
 * What the values of all instances of a block with this `for_each` have in common; undefined where it is not known, or it
 * is not known that there is an instance.
 */
export function eachValueType(forEach: Expression, scope: TypeScope): ValueType | undefined {
  const of = writtenOut(forEach, scope)
  if (of?.kind === 'object') return commonType(of.entries.map(({ value }) => expressionType(value, scope)))
  if (of?.kind !== 'call' || of.name.replace(/^core::/, '') !== 'toset') return undefined
  const [list] = of.args // Terraform refuses a set of anything but texts
  return list?.kind === 'list' && list.items.length > 0 ? { kind: 'string' } : undefined
}

/** A `for_each`, or that of the local value that it is. */
export function writtenOut(forEach: Expression, { locals }: TypeScope): Expression | undefined {
  const { from, steps } = pathOf(forEach)
  const [step, ...more] = steps
  const isLocal = from.kind === 'name' && from.root === 'local' && step?.kind === 'attribute'
  return isLocal && more.length === 0 ? locals.get(step.name) : forEach
}

function commonType(types: readonly ValueType[]): ValueType | undefined {
  const [first] = types
  if (first === undefined) return undefined
  const objects = types.flatMap((type) => (type.kind === 'object' ? [type.attributes] : []))
  if (objects.length < types.length)
    return shapeOf(first) === 'scalar' && types.every(({ kind }) => kind === first.kind) ? first : undefined
  const names = [...(first.kind === 'object' ? first.attributes.keys() : [])]
  const shared = names.filter((name) => objects.every((one) => one.has(name)))
  const attributes = shared.map((name) => {
    const common = commonType(objects.flatMap((one) => one.get(name)?.type ?? []))
    return [name, { type: constraintOf(common ?? { kind: 'any' }), optional: false }] as const
  })
  return { kind: 'object', attributes: new Map(attributes) }
}
