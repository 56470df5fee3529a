/** What an expression of a rule is for a value that is known in part. */
import type { Expression, Step } from './expression.ts'
import type { GivenValue } from './given-value.ts'
import { exactSize, type Size, sizeIn } from './literal-size.ts'
import { pathOf } from './names-read.ts'
import { matchesPattern } from './rule-pattern.ts'
import type { TypeConstraint } from './type-constraint.ts'
import { type RuleValue, typedValue } from './typed-value.ts'

/** The input that a rule is about, as a call gives it. */
export interface RuleInput {
  readonly name: string
  readonly type: TypeConstraint
  readonly value: GivenValue
  /** What the other inputs of the call are; absent: not known. */
  readonly others?: (name: string) => RuleValue
}

/** Work on one rule; what takes more is not known. */
const MAX_STEPS = 20_000

interface Evaluation extends RuleInput {
  readonly typed: RuleValue
  readonly names: ReadonlyMap<string, RuleValue>
  readonly work: { left: number }
}

/** The value of a rule for an input. What Terraform would refuse to evaluate is unknown too. */
export function evaluateRule(rule: Expression, input: RuleInput): RuleValue {
  const typed = typedValue(input.value, input.type)
  return evaluated(rule, { ...input, typed, names: new Map(), work: { left: MAX_STEPS } })
}

function evaluated(rule: Expression, at: Evaluation): RuleValue {
  at.work.left -= 1
  if (at.work.left < 0) return undefined
  switch (rule.kind) {
    case 'literal':
      return rule.value
    case 'list':
      return rule.items.map((item) => evaluated(item, at))
    case 'name':
    case 'step':
      return valueOfPath(rule, at)
    case 'call':
      return valueOfCall(rule, at)
    case 'operation':
      return valueOfOperation(rule, at)
    case 'choice':
      return valueOfChoice(rule, at)
    case 'for':
      return valueOfFor(rule, at)
    case 'template':
    case 'object':
      return undefined
  }
}

function valueOfPath(rule: Expression, at: Evaluation): RuleValue {
  const { from, steps } = pathOf(rule)
  if (from.kind !== 'name') return steps.reduce(partOf, evaluated(from, at))
  if (at.names.has(from.root)) return steps.reduce(partOf, at.names.get(from.root))
  const [first, ...rest] = steps
  if (from.root !== 'var' || first?.kind !== 'attribute') return undefined
  return rest.reduce(partOf, first.name === at.name ? at.typed : at.others?.(first.name))
}

/** Only attributes: an index converts its key, and a splat is a list. */
function partOf(value: RuleValue, step: Step): RuleValue {
  return step.kind === 'attribute' && value instanceof Map ? value.get(step.name) : undefined
}

function valueOfChoice({ condition, yes, no }: Expression & { kind: 'choice' }, at: Evaluation): RuleValue {
  const chosen = evaluated(condition, at)
  if (typeof chosen === 'boolean') return evaluated(chosen ? yes : no, at)
  const [one, other] = [evaluated(yes, at), evaluated(no, at)]
  return one === other ? one : undefined
}

function valueOfFor(
  { names, of, key: keyGiven, value: give, only }: Expression & { kind: 'for' },
  at: Evaluation,
): RuleValue {
  const elements = keyGiven === undefined ? elementsOf(evaluated(of, at)) : undefined
  if (elements === undefined) return undefined
  const given: RuleValue[] = []
  for (const [key, value] of elements) {
    const bound = names.length === 1 ? [value] : [key, value]
    const own = new Map([...at.names, ...names.map((name, n) => [name, bound[n]] as const)])
    const inner = { ...at, names: own }
    const isTaken = only === undefined ? true : evaluated(only, inner)
    if (typeof isTaken !== 'boolean') return undefined
    if (isTaken) given.push(evaluated(give, inner))
  }
  return given
}

/** With their keys; a list and a set look alike here, and have others. */
function elementsOf(value: RuleValue): (readonly [RuleValue, RuleValue])[] | undefined {
  if (value instanceof Map) return [...value]
  return Array.isArray(value) ? value.map((item) => [undefined, item] as const) : undefined
}

function valueOfOperation({ sign, of }: Expression & { kind: 'operation' }, at: Evaluation): RuleValue {
  const [left, right] = of
  if (left !== undefined && right !== undefined) return valueOfPair({ sign, left, right }, at)
  if (left === undefined || (sign !== '!' && sign !== '(')) return undefined
  const value = evaluated(left, at)
  return sign === '(' ? value : typeof value === 'boolean' ? !value : undefined
}

/** A sign between two values. */
interface Pair {
  readonly sign: string
  readonly left: Expression
  readonly right: Expression
}

function valueOfPair({ sign, left, right }: Pair, at: Evaluation): RuleValue {
  if (sign === '||' || sign === '&&') {
    const decides = sign === '||'
    const values = [evaluated(left, at), evaluated(right, at)]
    if (values.includes(decides)) return decides
    return values.every((value) => value === !decides) ? !decides : undefined
  }
  if (sign === '==' || sign === '!=') {
    const [one, other] = [sizeOf(left, at), sizeOf(right, at)]
    const equal =
      one && other ? areEqualSizes(one, other) : areEqual(evaluated(left, at), evaluated(right, at))
    return equal === undefined ? undefined : (sign === '==') === equal
  }
  const [one, other] = [sizeOf(left, at), sizeOf(right, at)]
  return one === undefined || other === undefined ? undefined : measured(sign, one, other)
}

function areEqualSizes(one: Size, other: Size): boolean | undefined {
  if (one.most < other.least || one.least > other.most) return false
  return one.least === one.most && other.least === other.most ? true : undefined
}

/** Values of two types are not compared: Terraform converts some of them. */
function areEqual(one: RuleValue, other: RuleValue): boolean | undefined {
  if (one === undefined || other === undefined) return undefined
  if (one === null || other === null) return one === other
  if (typeof one === 'object' || typeof one !== typeof other) return undefined
  return one === other
}

/** A number of a rule, which for `length()` may be known only between bounds. */
function sizeOf(rule: Expression, at: Evaluation): Size | undefined {
  const [measured, ...more] = argsOf(rule, 'length') ?? []
  if (measured !== undefined && more.length === 0) return lengthOf(measured, at)
  const value = evaluated(rule, at)
  return typeof value === 'number' && Number.isFinite(value) ? exactSize(value) : undefined
}

/** What a rule calls a function with, if it is a call of this one. */
function argsOf(rule: Expression, name: string): readonly Expression[] | undefined {
  return rule.kind === 'call' && rule.name === name && !rule.isSpread ? rule.args : undefined
}

function isInput({ of, step }: Expression & { kind: 'step' }, name: string): boolean {
  return of.kind === 'name' && of.root === 'var' && step.kind === 'attribute' && step.name === name
}

function lengthOf(rule: Expression, at: Evaluation): Size | undefined {
  if (rule.kind === 'step' && isInput(rule, at.name)) {
    const whole = at.value.kind === 'literal' ? sizeIn(at.value.value, at.type) : undefined
    if (whole !== undefined) return whole
  }
  const pattern = argsOf(rule, 'regexall')
  if (pattern !== undefined) {
    const found = patternOf(pattern, at)
    return found === undefined
      ? undefined
      : found
        ? { least: 1, most: Number.MAX_SAFE_INTEGER }
        : exactSize(0)
  }
  const value = evaluated(rule, at)
  if (Array.isArray(value)) return exactSize(value.length)
  if (typeof value === 'string') return sizeIn(value, { kind: 'string' })
  return undefined
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
}

const CALCULATE: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': (a, b) => (a >= 0 && b > 0 ? a % b : Number.NaN),
}

function measured(sign: string, one: Size, other: Size): RuleValue {
  const compare = COMPARE[sign]
  if (compare !== undefined) {
    const [first, second] = [compare(one.least, other.most), compare(one.most, other.least)]
    return first === second && compare(one.least, other.least) === first ? first : undefined
  }
  const isExact = one.least === one.most && other.least === other.most
  const result = isExact ? CALCULATE[sign]?.(one.least, other.least) : undefined
  return result !== undefined && Number.isSafeInteger(result) && Number.isSafeInteger(one.least)
    ? result
    : undefined
}

function patternOf(args: readonly Expression[], at: Evaluation): boolean | undefined {
  const [pattern, text] = args.map((one) => evaluated(one, at))
  return typeof pattern === 'string' && typeof text === 'string' ? matchesPattern(pattern, text) : undefined
}

function valueOfCall({ name, args, isSpread }: Expression & { kind: 'call' }, at: Evaluation): RuleValue {
  const [first] = args
  if (first === undefined || isSpread) return undefined
  if (name === 'can') return canBe(first, at)
  if (name === 'length') {
    const size = args.length === 1 ? lengthOf(first, at) : undefined
    return size !== undefined && size.least === size.most ? size.least : undefined
  }
  const values = args.map((one) => evaluated(one, at))
  return FUNCTIONS[name]?.(values)
}

/** `regex` fails without a match, and for null; nothing else is known to fail. */
function canBe(rule: Expression, at: Evaluation): RuleValue {
  const pattern = argsOf(rule, 'regex')
  if (pattern !== undefined) {
    const [, text] = pattern
    return text !== undefined && evaluated(text, at) === null ? false : patternOf(pattern, at)
  }
  return evaluated(rule, at) === undefined ? undefined : true
}

type RuleFunction = (values: readonly RuleValue[]) => RuleValue

/** Letters beyond ASCII have other cases in other languages. */
const FUNCTIONS: Readonly<Record<string, RuleFunction | undefined>> = Object.assign(Object.create(null), {
  contains: ([list, value]) => holds(list, value),
  lower: ([text]) => (isAscii(text) ? text.toLowerCase() : undefined),
  upper: ([text]) => (isAscii(text) ? text.toUpperCase() : undefined),
  trimspace: ([text]) => (isAscii(text) ? text.trim() : undefined),
  startswith: ([text, start]) => (isAscii(text) && isAscii(start) ? text.startsWith(start) : undefined),
  endswith: ([text, end]) => (isAscii(text) && isAscii(end) ? text.endsWith(end) : undefined),
  floor: ([number]) => (typeof number === 'number' ? Math.floor(number) : undefined),
  abs: ([number]) => (typeof number === 'number' ? Math.abs(number) : undefined),
  toset: ([list]) => (isScalars(list) ? [...new Set(list)] : undefined),
  distinct: ([list]) => (isScalars(list) && areOfOneKind(list) ? [...new Set(list)] : undefined),
  concat: (lists) => (lists.every((list) => Array.isArray(list)) ? lists.flat() : undefined),
  lookup: ([map, key, fallback]) =>
    map instanceof Map && typeof key === 'string' ? (map.has(key) ? map.get(key) : fallback) : undefined,
  tolist: ([list]) => (isScalars(list) ? list : undefined),
  keys: ([map]) => (map instanceof Map ? [...map.keys()].sort() : undefined),
  values: ([map]) => (map instanceof Map ? [...map.values()] : undefined),
  try: ([first]) => first,
  coalesce: (values) => values.find((value) => value !== null && value !== ''),
  alltrue: ([list]) => joined(list, false),
  anytrue: ([list]) => joined(list, true),
} satisfies Record<string, RuleFunction>)

function joined(list: RuleValue | undefined, decides: boolean): RuleValue {
  if (!Array.isArray(list)) return undefined
  if (list.includes(decides)) return decides
  return list.every((value) => value === !decides) ? !decides : undefined
}

/** The list has to be of one kind, and the value of the same: Terraform converts others. */
function holds(list: RuleValue | undefined, value: RuleValue | undefined): RuleValue {
  if (!isScalars(list) || value === undefined || list.length === 0) return undefined
  return areOfOneKind([...list, value]) ? list.some((item) => item === value) : undefined
}

function areOfOneKind(list: readonly RuleValue[]): boolean {
  return new Set(list.map((item) => typeof item)).size <= 1
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

function isScalars(list: RuleValue | undefined): list is readonly (string | number | boolean)[] {
  return Array.isArray(list) && list.every((item) => SCALARS.has(typeof item))
}

function isAscii(text: RuleValue | undefined): text is string {
  return typeof text === 'string' && /^[\x20-\x7e]*$/.test(text)
}
