/** The type of an expression, without evaluating it. */
import type { Expression, Step } from './expression.ts'
import { functionType } from './function-types.ts'
import { pathOf } from './names-read.ts'
import { shapeOf, type ValueType } from './value-type.ts'

/** What names of the configuration are. Only a whole directory is known; of a part of one nothing is. */
export interface TypeScope {
  readonly variables: ReadonlyMap<string, ValueType>
  readonly locals: ReadonlyMap<string, Expression>
  /** The type of `each.value`, where it is known and there is an instance. */
  readonly each?: ValueType
  /** The `for_each` of the block that is looked at. */
  readonly forEach?: Expression
  /** Inputs whose values Terraform does not keep. */
  readonly ephemeral?: ReadonlySet<string>
  /** Inputs whose values it does not show. */
  readonly sensitive?: ReadonlySet<string>
  /** Outputs of the calls whose values it does not keep either. */
  readonly outputs?: ReadonlyMap<string, EphemeralOutputs>
  /** How many parts of its expressions are still looked at, one after the other. */
  readonly allowed?: { ephemeral: number; types: number }
}

/** `isRepeated`: an index comes before the output. */
export interface EphemeralOutputs {
  readonly isRepeated: boolean
  readonly ephemeral: ReadonlySet<string>
}

export const NO_SCOPE: TypeScope = { variables: new Map(), locals: new Map() }

const ANY: ValueType = { kind: 'any' }
/** Locals of locals, and parts of parts. */
const MAX_DEPTH = 30
/** Parts that are looked at: locals that read others twice each make many. */
const MAX_STEPS = 5_000
/** The same for all expressions of a directory, which may be many that each make many. */
export const MAX_TYPE_STEPS = 500_000

/** `any` where it is not known. */
export function expressionType(expression: Expression, scope: TypeScope): ValueType {
  return typed(expression, { ...scope, depth: 0, work: { left: MAX_STEPS } })
}

interface Typing extends TypeScope {
  readonly depth: number
  readonly work: { left: number }
}

function typed(expression: Expression, outer: Typing): ValueType {
  outer.work.left -= 1
  if (outer.allowed) outer.allowed.types -= 1
  if (outer.depth >= MAX_DEPTH || outer.work.left < 0 || (outer.allowed?.types ?? 0) < 0) return ANY
  const at = { ...outer, depth: outer.depth + 1 }
  switch (expression.kind) {
    case 'literal':
      return literalType(expression.value)
    case 'template':
      return { kind: 'string' }
    case 'list':
      return { kind: 'tuple', items: expression.items.map((item) => constraintOf(typed(item, at))) }
    case 'object':
      return typeOfObject(expression, at)
    case 'name':
      return ANY
    case 'step':
      return typeOfPath(expression, at)
    case 'call':
      return typeOfCall(expression, at)
    case 'operation':
      return typeOfOperation(expression, at)
    case 'choice':
      return typeOfChoice(typed(expression.yes, at), typed(expression.no, at))
    case 'for':
      return { kind: expression.key === undefined ? 'sequence' : 'mapping' }
  }
}

function literalType(value: string | number | boolean | null): ValueType {
  if (value === null) return { kind: 'null' }
  return { kind: typeof value === 'boolean' ? 'bool' : (typeof value as 'string' | 'number') } // the rest
}

/** A part of which only the shape is known counts as not known. */
export function constraintOf(type: ValueType): Exclude<ValueType, { kind: 'null' | 'sequence' | 'mapping' }> {
  const isVague = type.kind === 'null' || type.kind === 'sequence' || type.kind === 'mapping'
  return isVague ? { kind: 'any' } : (type as ReturnType<typeof constraintOf>) // the rest
}

function typeOfObject({ entries }: Expression & { kind: 'object' }, at: Typing): ValueType {
  const attributes = entries.map(({ key, value }) => {
    const name = key.kind === 'literal' && key.value !== null ? String(key.value) : undefined
    return name === undefined
      ? undefined
      : ([name, { type: constraintOf(typed(value, at)), optional: false }] as const)
  })
  const known = attributes.filter((one) => one !== undefined)
  return known.length === attributes.length
    ? { kind: 'object', attributes: new Map(known) }
    : { kind: 'mapping' }
}

const BOOLS: ReadonlySet<string> = new Set(['!', '&&', '||', '==', '!=', '<', '>', '<=', '>='])

function typeOfOperation({ sign, of }: Expression & { kind: 'operation' }, at: Typing): ValueType {
  if (sign === '(') return of[0] ? typed(of[0], at) : ANY
  return { kind: BOOLS.has(sign) ? 'bool' : 'number' }
}

/** Terraform converts the two to one type; here only what both are counts. */
function typeOfChoice(yes: ValueType, no: ValueType): ValueType {
  if (yes.kind === 'null') return no
  if (no.kind === 'null') return yes
  const shape = shapeOf(yes)
  if (shape === undefined || shape !== shapeOf(no)) return ANY
  if (shape !== 'scalar') return { kind: shape }
  return yes.kind === no.kind ? yes : ANY
}

/** Functions that give what they are given. */
const SAME: ReadonlySet<string> = new Set(['sensitive', 'nonsensitive', 'ephemeralasnull'])

function typeOfCall({ name, args }: Expression & { kind: 'call' }, at: Typing): ValueType {
  const [first] = args
  if (SAME.has(name) && first !== undefined) return typed(first, at)
  return functionType(name) ?? ANY
}

const TEXTS: ReadonlySet<string> = new Set([
  'path.module',
  'path.root',
  'path.cwd',
  'terraform.workspace',
  'each.key',
])

function typeOfPath(expression: Expression, at: Typing): ValueType {
  const { from, steps } = pathOf(expression)
  const splat = steps.findIndex(({ kind }) => kind === 'splat')
  // Behind `.*` an index is of all, behind `[*]` of each.
  if (splat !== -1)
    return steps.slice(splat).some(({ kind }) => kind === 'index') ? ANY : { kind: 'sequence' }
  if (from.kind !== 'name') return steps.reduce(partOf, typed(from, at))
  const [first, ...rest] = steps
  if (first?.kind !== 'attribute') return ANY
  const name = `${from.root}.${first.name}`
  if (TEXTS.has(name)) return { kind: 'string' }
  if (name === 'count.index') return { kind: 'number' }
  return rest.reduce(partOf, typeOfName(from.root, first.name, at))
}

function typeOfName(root: string, name: string, at: Typing): ValueType {
  if (root === 'var') return at.variables.get(name) ?? ANY
  if (root === 'each') return (name === 'value' ? at.each : undefined) ?? ANY
  const local = root === 'local' ? at.locals.get(name) : undefined
  return local === undefined ? ANY : typed(local, at)
}

function partOf(of: ValueType, step: Step): ValueType {
  if (step.kind === 'splat') return { kind: 'sequence' }
  const key = step.kind === 'attribute' ? step.name : step.key.kind === 'literal' ? step.key.value : undefined
  if (of.kind === 'list' || of.kind === 'map') return of.of
  if (of.kind === 'object') return of.attributes.get(String(key))?.type ?? ANY
  return of.kind === 'tuple' && typeof key === 'number' ? (of.items[key] ?? ANY) : ANY
}
