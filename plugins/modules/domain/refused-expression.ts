/** Finds what Terraform refuses to evaluate in an expression. */
import type { Expression } from './expression.ts'
import { expressionType, type TypeScope } from './expression-type.ts'
import { functionNames, functionParameters, type Parameter } from './function-parameters.ts'
import { plainLine } from './hcl-text.ts'
import { nearInput } from './near-input.ts'
import type { TypeConstraint } from './type-constraint.ts'
import { findMismatch, isNull } from './value-mismatch.ts'
import { firstFound, shapeOf, type ValueType } from './value-type.ts'

/**
 * The first part that Terraform certainly evaluates and refuses, as a sentence: a call of a function that does not exist or
 * does not take what it is given, or a sign between values that it cannot be between.
 */
export function refusedPart(expression: Expression, scope: TypeScope): string | undefined {
  for (const part of evaluatedParts(expression)) {
    const said = refused(part, scope)
    if (said !== undefined) return said
  }
  return undefined
}

function refused(part: Expression, scope: TypeScope): string | undefined {
  switch (part.kind) {
    case 'call':
      return refusedCall(part, scope)
    case 'step':
      return refusedStep(part, scope)
    case 'choice':
      return refusedChoice(part, scope)
    case 'for':
      return refusedFor(part, scope)
    case 'template':
      return refusedOf(part.parts.filter(isValue), 'A value in a text', TEXT, scope)
    case 'operation':
      return isValue(part) ? refusedOperation(part, scope) : refusedDirective(part, scope)
    default:
      return undefined
  }
}

/** The parts whose errors are those of the whole: not those within `try()`, of a branch, or for the elements of a list. */
function* evaluatedParts(expression: Expression): Generator<Expression> {
  yield expression
  for (const part of evaluatedIn(expression)) yield* evaluatedParts(part)
}

const TRIES: ReadonlySet<string> = new Set(['try', 'can'])

function evaluatedIn(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return []
    case 'template':
      return expression.parts
    case 'list':
      return expression.items
    case 'object':
      return expression.entries.flatMap(({ key, value }) => [key, value])
    case 'step':
      return expression.step.kind === 'index' ? [expression.of, expression.step.key] : [expression.of]
    case 'call':
      return TRIES.has(ownName(expression.name)) ? [] : expression.args
    case 'operation':
      return evaluatedOperands(expression)
    case 'choice':
      return [expression.condition]
    case 'for':
      return [expression.of]
  }
}

/** Newer versions of Terraform look at the right side of `&&` and `||` only if they must. */
function evaluatedOperands({ sign, of }: Expression & { kind: 'operation' }): readonly Expression[] {
  const [first] = of
  if (sign === '%' && of.length === 1) return first?.kind === 'list' ? first.items.slice(0, 1) : of
  return sign === '&&' || sign === '||' ? of.slice(0, 1) : of
}

function ownName(name: string): string {
  return name.replace(/^core::/, '')
}

function refusedCall(
  { name, args, isSpread }: Expression & { kind: 'call' },
  scope: TypeScope,
): string | undefined {
  const own = ownName(name)
  if (own.includes('::')) return undefined // a provider's
  const parameters = functionParameters(own)
  if (parameters === undefined) return noFunction(own)
  const { fixed, more } = parameters
  const shown = plainLine(own)
  if (!isSpread && (args.length < fixed.length || (more === undefined && args.length > fixed.length))) {
    const count = `${fixed.length} argument${fixed.length === 1 ? '' : 's'}`
    return `${shown} takes ${more === undefined ? '' : 'at least '}${count}, not ${args.length}.`
  }
  // Of a list that is spread it is not known how many arguments it makes.
  return firstFound(isSpread ? args.slice(0, -1) : args, (arg, at) => {
    const parameter = fixed[at] ?? more
    const said = parameter && refusedArgument(arg, parameter, scope)
    return said && `Argument ${at + 1} of ${shown} ${said}`
  })
}

function noFunction(name: string): string {
  return `There is no function ${plainLine(name)}.${hintOf(name, functionNames())}`
}

function hintOf(name: string, known: readonly string[]): string {
  const near = nearInput(name, known)
  return near === undefined ? '' : ` Did you mean ${plainLine(near)}?`
}

function refusedArgument(
  arg: Expression,
  { type, isNullable }: Parameter,
  scope: TypeScope,
): string | undefined {
  if (isNull({ kind: 'expression', of: arg })) return isNullable ? undefined : 'must not be null.'
  return mismatchOf(arg, type, scope)
}

function mismatchOf(of: Expression, type: TypeConstraint, scope: TypeScope): string | undefined {
  const found = findMismatch({ kind: 'expression', of }, type, '', scope)
  return found && `must be ${found.wanted}, not ${found.got}.`
}

const NUMBER: TypeConstraint = { kind: 'number' }
const BOOL: TypeConstraint = { kind: 'bool' }
const TEXT: TypeConstraint = { kind: 'string' }
/** The type on both sides of a sign; `==` takes all types. */
const OPERANDS: ReadonlyMap<string, TypeConstraint> = new Map([
  ...['+', '-', '*', '/', '%', '<', '>', '<=', '>='].map((sign) => [sign, NUMBER] as const),
  ...['!', '&&', '||'].map((sign) => [sign, BOOL] as const),
])

const JOIN = ` Join texts as in "\${a}\${b}".`

function refusedOperation(
  { sign, of }: Expression & { kind: 'operation' },
  scope: TypeScope,
): string | undefined {
  const type = OPERANDS.get(sign)
  const said = type && refusedOf(of, `What ${sign} takes`, type, scope)
  const next = sign === '+' && of.some(isText) ? JOIN : ''
  return said && `${said}${next}`
}

function refusedDirective(
  { of: [head] }: Expression & { kind: 'operation' },
  scope: TypeScope,
): string | undefined {
  const condition = head?.kind === 'list' ? head.items.slice(0, 1) : []
  return refusedOf(condition, 'The condition of %{ if }', BOOL, scope)
}

/** Not a directive of a template. */
function isValue(part: Expression): boolean {
  return part.kind !== 'operation' || part.sign !== '%' || part.of.length > 1
}

function isText(part: Expression): boolean {
  return part.kind === 'template' || (part.kind === 'literal' && typeof part.value === 'string')
}

function refusedOf(
  values: readonly Expression[],
  what: string,
  type: TypeConstraint,
  scope: TypeScope,
): string | undefined {
  const said = firstFound(values, (value) => refusedArgument(value, { type, isNullable: false }, scope))
  return said && `${what} ${said}`
}

/** Terraform makes one type of the two. */
function refusedChoice(
  { condition, yes, no }: Expression & { kind: 'choice' },
  scope: TypeScope,
): string | undefined {
  const [one, other] = [yes, no].map((branch) => shapeOf(expressionType(branch, scope)))
  const isMixed = one !== undefined && other !== undefined && one !== other
  return isMixed
    ? `The two results of ? and : are of different types: ${SHOWN[one]} and ${SHOWN[other]}.`
    : refusedOf([condition], 'The condition before ?', BOOL, scope)
}

const SHOWN = { scalar: 'a single value', sequence: 'a list', mapping: 'an object or map' } as const

function refusedFor({ of }: Expression & { kind: 'for' }, scope: TypeScope): string | undefined {
  const type = expressionType(of, scope)
  return type.kind === 'null' || shapeOf(type) === 'scalar'
    ? `for takes a list or a map, not ${type.kind === 'null' ? 'null' : `a ${type.kind}`}.`
    : undefined
}

/** A part that no value of the type has. Of a list only what is written out is known. */
function refusedStep({ of, step }: Expression & { kind: 'step' }, scope: TypeScope): string | undefined {
  const key = step.kind === 'attribute' ? step.name : step.kind === 'index' ? keyOf(step.key) : undefined
  return key === undefined ? undefined : refusedKey(expressionType(of, scope), key)
}

function keyOf(key: Expression): string | undefined {
  return key.kind === 'literal' && key.value !== null ? String(key.value) : undefined
}

function refusedKey(type: ValueType, key: string): string | undefined {
  const shown = plainLine(key)
  if (shapeOf(type) === 'scalar') return `It reads ${shown} of a ${type.kind}, which has no parts.`
  if (type.kind === 'object' && !type.attributes.has(key))
    return `It reads an attribute ${shown} that the object does not have.${hintOf(key, [...type.attributes.keys()])}`
  if (type.kind === 'set') return 'A set has no indexes: tolist(…) makes a list of it.'
  if ((type.kind === 'list' || type.kind === 'tuple') && !/^-?\d/.test(key))
    return `A list has no attribute ${shown}: read it of one element, [0].${shown}, or of all, [*].${shown}.`
  return type.kind === 'tuple' && Number(key) >= type.items.length
    ? `It reads the index ${shown} of a list of ${type.items.length}.`
    : undefined
}
