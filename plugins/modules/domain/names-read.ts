/** The names that an expression reads from the configuration around it. */
import type { Expression, Step } from './expression.ts'

/** One reading of a name: `module.net.id` has the root `module` and two steps. */
export interface NameRead {
  readonly root: string
  readonly steps: readonly Step[]
  /** Where it starts in the text of the expression. */
  readonly offset: number
  /** Inside `try()` or `can()`, or in a branch that a literal excludes: an error of its value is not one of the expression. */
  readonly isTried?: true
  /** In a branch of a condition or an element of a `for`: Terraform may never evaluate it. */
  readonly isOptional?: true
  /** The steps after the name of the module are those of an element: `[for net in module.net : net.id]`. */
  readonly isElement?: true
  /** A function of a provider: the steps are empty, and the root is `provider::name::function`. */
  readonly isFunction?: true
}

/** Names that an expression around gives to its own values; those of elements of a module with the name of its call. */
export type BoundNames = ReadonlyMap<string, string | undefined>

export const NOTHING_BOUND: BoundNames = new Map()

/** Every reading, in the order of the expression's parts. */
export function namesRead(expression: Expression, bound: BoundNames = NOTHING_BOUND): NameRead[] {
  const reads: NameRead[] = []
  visit(expression, { bound, isTried: false, isOptional: false, reads })
  return reads
}

interface Visit {
  readonly bound: BoundNames
  readonly isTried: boolean
  readonly isOptional: boolean
  readonly reads: NameRead[]
}

function visit(expression: Expression, at: Visit): void {
  switch (expression.kind) {
    case 'literal':
      return
    case 'name':
    case 'step':
      visitPath(expression, at)
      return
    case 'call':
      visitCall(expression, at)
      return
    case 'for':
      visitFor(expression, at)
      return
    case 'choice':
      visitChoice(expression, at)
      return
    default:
      for (const part of partsOf(expression)) visit(part, at)
  }
}

/** Terraform evaluates both branches, and takes the errors of the chosen one. */
function visitChoice({ condition, yes, no }: Expression & { kind: 'choice' }, at: Visit): void {
  visit(condition, at)
  const chosen = condition.kind === 'literal' ? condition.value : undefined
  visit(yes, { ...at, isOptional: true, isTried: at.isTried || chosen === false })
  visit(no, { ...at, isOptional: true, isTried: at.isTried || chosen === true })
}

function partsOf(
  expression: Expression & { kind: 'template' | 'list' | 'object' | 'operation' },
): readonly Expression[] {
  if (expression.kind === 'template') return expression.parts
  if (expression.kind === 'list') return expression.items
  if (expression.kind === 'object') return expression.entries.flatMap(({ key, value }) => [key, value])
  return expression.of
}

function visitPath(expression: Expression & { kind: 'name' | 'step' }, at: Visit): void {
  const { from, steps } = pathOf(expression)
  for (const step of steps) if (step.kind === 'index') visit(step.key, at)
  if (from.kind !== 'name') {
    visit(from, at)
    return
  }
  const { root, offset } = from
  const how = {
    ...(at.isTried && { isTried: true as const }),
    ...(at.isOptional && { isOptional: true as const }),
  }
  if (!at.bound.has(root)) {
    at.reads.push({ root, steps, offset, ...how })
    return
  }
  const call = at.bound.get(root)
  if (call === undefined || steps.length === 0) return
  const name: Step = { kind: 'attribute', name: call }
  at.reads.push({ root: 'module', steps: [name, ...steps], offset, ...how, isElement: true })
}

/** What the steps start from, and the steps. */
export function pathOf(expression: Expression): {
  readonly from: Expression
  readonly steps: readonly Step[]
} {
  const steps: Step[] = []
  let from = expression
  for (; from.kind === 'step'; from = from.of) steps.push(from.step)
  return { from, steps: steps.reverse() }
}

const TRIES: ReadonlySet<string> = new Set(['try', 'can', 'core::try', 'core::can'])

function visitCall({ name, args, offset }: Expression & { kind: 'call' }, at: Visit): void {
  if (name.startsWith('provider::')) at.reads.push({ root: name, steps: [], offset, isFunction: true })
  const inner = TRIES.has(name) ? { ...at, isTried: true } : at
  for (const arg of args) visit(arg, inner)
}

function visitFor({ names, of, key, value, only }: Expression & { kind: 'for' }, at: Visit): void {
  visit(of, at)
  const own = new Map(at.bound)
  for (const [n, name] of names.entries())
    own.set(name, n === names.length - 1 ? moduleOf(of, at.bound) : undefined)
  for (const part of [key, value, only])
    if (part !== undefined) visit(part, { ...at, bound: own, isOptional: true })
}

/** The name of the call where a value is all of `module.name`. */
function moduleOf(of: Expression, bound: BoundNames): string | undefined {
  const { from, steps } = pathOf(of)
  const [step] = steps
  const isModule =
    from.kind === 'name' && from.root === 'module' && !bound.has('module') && steps.length === 1
  return isModule && step?.kind === 'attribute' ? step.name : undefined
}

/** The text of an index that is written out. */
export function literalKey(step: Step | undefined): string | number | undefined {
  if (step?.kind !== 'index' || step.key.kind !== 'literal') return undefined
  const { value } = step.key
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
