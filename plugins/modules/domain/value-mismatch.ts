/** Finds where a given value cannot become the type of an input. */
import type { Expression } from './expression.ts'
import { expressionType, type TypeScope } from './expression-type.ts'
import type { GivenValue } from './given-value.ts'
import type { Json } from './summary.ts'
import { describeType, type TypeConstraint } from './type-constraint.ts'
import { given } from './typed-value.ts'
import { canBeOneType, firstFound, typeMismatch, type ValueType } from './value-type.ts'

/** What is wanted at a part of the value, and what is there, both in words. */
export interface Mismatch {
  readonly path: string
  readonly wanted: string
  readonly got: string
}

/** Terraform converts `"5"` and 5, `"true"` and true, so those fit. Of an expression only its type counts. */
export function findMismatch(
  value: GivenValue,
  type: TypeConstraint,
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (type.kind === 'any' || type.kind === 'unknown') return undefined
  if (value.kind === 'expression') return value.of && expressionMismatch(value.of, type, path, scope)
  if (value.kind === 'literal') return literalMismatch(value.value, type, path, scope)
  return value.kind === 'list'
    ? listMismatch(value.items, type, path, scope)
    : entriesMismatch(value.entries, type, path, scope)
}

function listMismatch(
  items: readonly GivenValue[],
  type: TypeConstraint,
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (type.kind === 'tuple') return tupleMismatch(items, type, path, scope)
  if (type.kind !== 'list' && type.kind !== 'set') return { path, wanted: describeType(type), got: 'a list' }
  return (
    firstFound(items, (item, at) => findMismatch(item, type.of, `${path}[${at}]`, scope)) ??
    mixed(items, type, path, scope)
  )
}

function entriesMismatch(
  entries: readonly (readonly [string, GivenValue])[],
  type: TypeConstraint,
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (type.kind === 'object') return objectMismatch(entries, type, path, scope)
  if (type.kind !== 'map') return { path, wanted: describeType(type), got: 'an object' }
  const values = entries.map(([, value]) => value)
  return (
    firstFound(entries, ([key, value]) => findMismatch(value, type.of, `${path}.${key}`, scope)) ??
    mixed(values, type, path, scope)
  )
}

/** Elements of `any` have to become one type. */
function mixed(
  items: readonly GivenValue[],
  type: TypeConstraint & { kind: 'list' | 'set' | 'map' },
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (type.of.kind !== 'any' || canBeOneType(items.map((item) => givenType(item, scope)))) return undefined
  const got = 'elements of several types that have none in common'
  return { path, wanted: describeType(type), got }
}

function givenType(value: GivenValue, scope: TypeScope): ValueType {
  return expressionType(expressionOf(value), scope)
}

function expressionOf(value: GivenValue): Expression {
  if (value.kind === 'expression') return value.of ?? { kind: 'name', root: '', offset: 0 }
  if (value.kind === 'list') return { kind: 'list', items: value.items.map(expressionOf) }
  if (value.kind === 'object') {
    const entries = value.entries.map(([key, inner]) => ({ key: keyOf(key), value: expressionOf(inner) }))
    return { kind: 'object', entries }
  }
  const { value: literal } = value
  if (Array.isArray(literal)) return expressionOf({ kind: 'list', items: literal.map(given) })
  if (typeof literal === 'object' && literal !== null) {
    const entries = Object.entries(literal).map(([key, inner]) => [key, given(inner)] as const)
    return expressionOf({ kind: 'object', entries })
  }
  return { kind: 'literal', value: literal as string | number | boolean | null } // the rest of Json
}

/** A key with a template in it is known only when it is evaluated. */
function keyOf(key: string): Expression {
  return key.includes('${') ? { kind: 'template', parts: [] } : { kind: 'literal', value: key }
}

/** Whether a value is certainly null: `true ? null : []` is. */
export function isNull(value: GivenValue): boolean {
  const of = value.kind === 'expression' ? value.of && settled(value.of) : undefined
  if (of !== undefined) return of.kind === 'literal' && of.value === null
  return value.kind === 'literal' && value.value === null
}

/** An expression without what decides nothing: brackets, and conditions that are written out. */
function settled(expression: Expression): Expression {
  let now = expression
  for (;;) {
    const inner = now.kind === 'operation' && now.sign === '(' ? now.of[0] : chosen(now)
    if (inner === undefined) return now
    now = inner
  }
}

function chosen(expression: Expression): Expression | undefined {
  if (expression.kind !== 'choice' || expression.condition.kind !== 'literal') return undefined
  const { value } = expression.condition
  if (typeof value !== 'boolean') return undefined
  const [taken, other] = value ? [expression.yes, expression.no] : [expression.no, expression.yes]
  // Of two values of several types Terraform makes one type first.
  return isLiteral(taken, null) || isLiteral(other, null) ? taken : undefined
}

function isLiteral(expression: Expression, value: null): boolean {
  return expression.kind === 'literal' && expression.value === value
}

function expressionMismatch(
  expression: Expression,
  type: TypeConstraint,
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  const of = settled(expression)
  const from = expressionType(of, scope)
  const found = typeMismatch(from, type, path)
  if (found !== undefined) {
    const got = found.got === undefined ? 'absent' : describeValueType(found.got)
    return { path: found.path, wanted: describeType(found.wanted), got }
  }
  const texts = textsOf(of)
  const wrong = texts.map((text) => literalMismatch(text, type, path, scope))
  return wrong.includes(undefined) ? undefined : wrong[0]
}

/** The texts that an expression can be, where they are written out: both of a condition, the one of `tostring`. */
function textsOf(expression: Expression): readonly string[] {
  if (expression.kind === 'literal') return typeof expression.value === 'string' ? [expression.value] : []
  if (expression.kind === 'call' && expression.name === 'tostring')
    return expression.args.length === 1 && expression.args[0] ? textsOf(expression.args[0]) : []
  if (expression.kind !== 'choice') return []
  const [yes, no] = [textsOf(expression.yes), textsOf(expression.no)]
  return yes.length > 0 && no.length > 0 ? [...yes, ...no] : []
}

function describeValueType(type: ValueType): string {
  switch (type.kind) {
    case 'null':
      return 'null'
    case 'sequence':
      return 'a list'
    case 'mapping':
      return 'an object or map'
    case 'tuple':
      return `a list of ${type.items.length}`
    case 'object':
      return 'an object'
    default:
      return `a ${describeType(type).replaceAll('(any)', '')}`
  }
}

function literalMismatch(
  value: Json,
  type: TypeConstraint,
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) return findMismatch({ kind: 'list', items: value.map(given) }, type, path, scope)
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, inner]) => [key, given(inner)] as const)
    return findMismatch({ kind: 'object', entries }, type, path, scope)
  }
  const fits =
    type.kind === 'string' ||
    (type.kind === 'number' && typeof value !== 'boolean' && isNumeric(value)) ||
    (type.kind === 'bool' && (typeof value === 'boolean' || BOOL_TEXTS.has(value)))
  return fits
    ? undefined
    : { path, wanted: describeType(type), got: `the ${typeof value} ${JSON.stringify(value).slice(0, 60)}` }
}

/** The strings that Terraform converts to a bool; it converts no number. */
const BOOL_TEXTS: ReadonlySet<string | number> = new Set(['true', 'false', '1', '0'])

/** What Terraform reads as a number: `+1`, `.5`, `5.` and `Inf` too. */
const NUMBER_TEXT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eEpP][+-]?\d+)?|[Ii]nf)$/

function isNumeric(value: string | number): boolean {
  return typeof value === 'number' || NUMBER_TEXT.test(value)
}

function tupleMismatch(
  items: readonly GivenValue[],
  type: TypeConstraint & { kind: 'tuple' },
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  if (items.length !== type.items.length)
    return { path, wanted: describeType(type), got: `a list of ${items.length}` }
  return firstFound(items, (item, at) => {
    const wanted = type.items[at]
    return wanted && findMismatch(item, wanted, `${path}[${at}]`, scope)
  })
}

function objectMismatch(
  entries: readonly (readonly [string, GivenValue])[],
  type: TypeConstraint & { kind: 'object' },
  path: string,
  scope: TypeScope,
): Mismatch | undefined {
  const given = new Set(entries.map(([key]) => key))
  const lacking = [...type.attributes].find(([name, { optional }]) => !optional && !given.has(name))
  if (lacking !== undefined) {
    const [name, attribute] = lacking
    return { path: `${path}.${name}`, wanted: describeType(attribute.type), got: 'absent' }
  }
  return firstFound(entries, ([key, value]) => {
    const attribute = type.attributes.get(key)
    return attribute && findMismatch(value, attribute.type, `${path}.${key}`, scope)
  })
}
