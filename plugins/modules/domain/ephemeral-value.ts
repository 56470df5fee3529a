/** Whether a value is one that Terraform does not keep, or does not show. */
import { writtenOut } from './each-value.ts'
import type { Expression, Step } from './expression.ts'
import type { TypeScope } from './expression-type.ts'
import type { GivenValue } from './given-value.ts'
import { literalKey, pathOf } from './names-read.ts'

/** True only where Terraform refuses the value for what it keeps: an input that is not ephemeral, or a `count`. */
export function isEphemeral(value: GivenValue, scope: TypeScope): boolean {
  if (value.kind === 'list') return value.items.some((item) => isEphemeral(item, scope))
  if (value.kind === 'object') return value.entries.some(([, inner]) => isEphemeral(inner, scope))
  return value.kind === 'expression' && value.of !== undefined && holds(value.of, looking(scope, EPHEMERAL))
}

/** The same for a `for_each`, whose keys Terraform keeps: the values of a map may be ephemeral. */
export function isEphemeralForEach(forEach: Expression, scope: TypeScope): boolean {
  return isMarkedForEach(forEach, looking(scope, EPHEMERAL))
}

/** Whether the keys of a `for_each` follow from a sensitive value, which Terraform would have to show. */
export function isSensitiveForEach(forEach: Expression, scope: TypeScope): boolean {
  return isMarkedForEach(forEach, looking(scope, SENSITIVE))
}

function isMarkedForEach(forEach: Expression, at: Looking): boolean {
  if (forEach.kind === 'object') return forEach.entries.some(({ key }) => holds(key, at))
  const isSet = forEach.kind === 'call' && ownName(forEach.name) === 'toset'
  return isSet ? forEach.args.some((arg) => holds(arg, at)) : isMarked(forEach, at)
}

/** Locals of locals. */
const MAX_DEPTH = 30
/** Parts that are looked at: locals that read others twice each make many. */
const MAX_STEPS = 5_000
/** The same for all expressions of a directory, which may be many that each make many. */
export const MAX_EPHEMERAL_STEPS = 200_000

/** What Terraform says of values, and of those that follow from them. */
interface Mark {
  readonly inputs: 'ephemeral' | 'sensitive'
  /** The function that sets it. */
  readonly setBy?: string
  /** Functions whose result does not have it, with any argument. */
  readonly droppedBy: ReadonlySet<string>
}

const EPHEMERAL: Mark = {
  inputs: 'ephemeral',
  droppedBy: new Set(['can', 'ephemeralasnull', 'issensitive']),
}
const SENSITIVE: Mark = {
  inputs: 'sensitive',
  setBy: 'sensitive',
  droppedBy: new Set(['can', 'ephemeralasnull', 'issensitive', 'nonsensitive']),
}

interface Looking extends TypeScope {
  readonly mark: Mark
  readonly depth: number
  readonly work: { left: number }
}

function looking(scope: TypeScope, mark: Mark): Looking {
  return { ...scope, mark, depth: 0, work: { left: MAX_STEPS } }
}

function deeper(at: Looking): Looking | undefined {
  at.work.left -= 1
  if (at.allowed) at.allowed.ephemeral -= 1
  const isOver = at.depth >= MAX_DEPTH || at.work.left < 0 || (at.allowed?.ephemeral ?? 0) < 0
  return isOver ? undefined : { ...at, depth: at.depth + 1 }
}

/** Functions whose result has a part with the mark if an argument has one; of others it may be the part that is left out. */
const KEEPING: ReadonlySet<string> = new Set([
  ...['base64encode', 'coalesce', 'compact', 'concat', 'contains', 'distinct', 'flatten', 'format', 'join'],
  ...['jsonencode', 'lower', 'md5', 'merge', 'one', 'replace', 'sha256', 'sort', 'tolist', 'tomap', 'toset'],
  ...['upper', 'values', 'yamlencode', 'zipmap'],
])

function ownName(name: string): string {
  return name.replace(/^core::/, '')
}

/** Whether a value or a part of it has the mark. */
function holds(of: Expression, outer: Looking): boolean {
  const at = deeper(outer)
  if (at === undefined) return false
  if (of.kind === 'list') return of.items.some((item) => holds(item, at))
  if (of.kind === 'object') return of.entries.some(({ key, value }) => holds(key, at) || holds(value, at))
  if (of.kind === 'operation' && of.sign === '(') return of.of.some((part) => holds(part, at))
  if (of.kind === 'choice') return [of.condition, of.yes, of.no].some((part) => holds(part, at))
  if (of.kind === 'call' && KEEPING.has(ownName(of.name))) return of.args.some((arg) => holds(arg, at))
  return of.kind === 'name' || of.kind === 'step' ? isOfPath(of, at, holds) : isMarked(of, at)
}

/** Whether a value has the mark as a whole: not only elements of it. */
function isMarked(of: Expression, outer: Looking): boolean {
  const at = deeper(outer)
  if (at === undefined) return false
  switch (of.kind) {
    case 'name':
    case 'step':
      return isOfPath(of, at, isMarked)
    case 'template':
      return of.parts.some((part) => holds(part, at))
    case 'operation':
      return isMarkedOperation(of, at)
    case 'choice':
      return holds(of.condition, at) || isMarked(of.yes, at) || isMarked(of.no, at)
    case 'for':
      return isMarked(of.of, at)
    case 'call':
      return isMarkedCall(of, at)
    default:
      return false
  }
}

function isMarkedOperation({ sign, of }: Expression & { kind: 'operation' }, at: Looking): boolean {
  if (sign === '(') return of.some((part) => isMarked(part, at))
  // Later versions of Terraform do not look at the right of what the left decides.
  const parts = sign === '&&' || sign === '||' ? of.slice(0, 1) : of
  return parts.some((part) => holds(part, at))
}

function isMarkedCall({ name, args }: Expression & { kind: 'call' }, at: Looking): boolean {
  const own = ownName(name)
  if (own === at.mark.setBy) return true
  if (own.includes('::') || at.mark.droppedBy.has(own)) return false
  return (own === 'try' ? args.slice(0, 1) : args).some((arg) => isMarked(arg, at))
}

/** `whole`: what is asked of a value that all steps lead to. */
function isOfPath(path: Expression, at: Looking, whole: typeof holds): boolean {
  const { from, steps } = pathOf(path)
  if (steps.some((step) => step.kind === 'index' && holds(step.key, at))) return true
  if (steps.some(({ kind }) => kind === 'splat') && whole === isMarked) return false
  if (from.kind !== 'name') return isPartOf(from, steps, at, whole)
  const [first, ...more] = steps
  if (first?.kind !== 'attribute') return false
  if (from.root === 'var') return at[at.mark.inputs]?.has(first.name) === true
  if (from.root === 'ephemeral') return at.mark === EPHEMERAL && more.length > 0
  if (from.root === 'module') return isOutput(first.name, more, at)
  if (from.root === 'each')
    return first.name === 'value' && at.forEach !== undefined && isOfInstance(at.forEach, more, at, whole)
  const local = from.root === 'local' ? at.locals.get(first.name) : undefined
  return local !== undefined && isPartOf(local, more, at, whole)
}

/** The part of an expression that is written out; every part of a value with the mark has it. */
function isPartOf(of: Expression, steps: readonly Step[], at: Looking, whole: typeof holds): boolean {
  const [step, ...more] = steps
  if (step === undefined) return whole(of, at)
  const key = step.kind === 'attribute' ? step.name : literalKey(step)
  if (of.kind === 'object') {
    const entry = of.entries.find(({ key: own }) => own.kind === 'literal' && own.value === key)
    return key !== undefined && entry !== undefined && isPartOf(entry.value, more, at, whole)
  }
  if (of.kind !== 'list') return isMarked(of, at)
  const item = typeof key === 'number' ? of.items[key] : undefined
  return item !== undefined && isPartOf(item, more, at, whole)
}

/** The values of an object that is written out are each one of an instance. */
function isOfInstance(
  forEach: Expression,
  steps: readonly Step[],
  at: Looking,
  whole: typeof holds,
): boolean {
  const of = writtenOut(forEach, at)
  const [inner] = of?.kind === 'call' && ownName(of.name) === 'tomap' ? of.args : []
  const values = inner ?? of
  return values?.kind === 'object' && values.entries.some(({ value }) => isPartOf(value, steps, at, whole))
}

/** Terraform 1.11 takes an output that says `sensitive` itself as a key. */
function isOutput(call: string, [first, second]: readonly Step[], { mark, outputs }: Looking): boolean {
  const called = mark === EPHEMERAL ? outputs?.get(call) : undefined
  const behind = first?.kind === 'attribute' ? undefined : second
  const output = called?.isRepeated === true ? behind : first
  return output?.kind === 'attribute' && called?.ephemeral.has(output.name) === true
}
