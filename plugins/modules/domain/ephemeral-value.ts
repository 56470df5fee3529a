/** Whether a value is one that Terraform does not keep. */
import type { Expression } from './expression.ts'
import type { TypeScope } from './expression-type.ts'
import type { GivenValue } from './given-value.ts'
import { pathOf } from './names-read.ts'

/** True only where Terraform refuses the value for an input that is not ephemeral. */
export function isEphemeral(value: GivenValue, scope: TypeScope): boolean {
  if (value.kind === 'list') return value.items.some((item) => isEphemeral(item, scope))
  if (value.kind === 'object') return value.entries.some(([, inner]) => isEphemeral(inner, scope))
  return value.kind === 'expression' && value.of !== undefined && holdsEphemeral(value.of, scope, 0)
}

/** Locals of locals. */
const MAX_DEPTH = 30
/** Functions whose result is ephemeral if an argument is; others look only at a part of it, or say nothing of it. */
const KEEPING: ReadonlySet<string> = new Set([
  ...[
    'abspath',
    'base64encode',
    'cidrhost',
    'coalesce',
    'format',
    'jsonencode',
    'lookup',
    'lower',
    'nonsensitive',
  ],
  ...['replace', 'sensitive', 'sha256', 'split', 'startswith', 'timeadd', 'tostring', 'upper', 'yamlencode'],
])

function holdsEphemeral(of: Expression, scope: TypeScope, depth: number): boolean {
  const holds = (part: Expression): boolean => depth < MAX_DEPTH && holdsEphemeral(part, scope, depth + 1)
  switch (of.kind) {
    case 'name':
    case 'step':
      return isEphemeralName(of, scope, holds)
    case 'template':
      return of.parts.some((part) => (part.kind === 'name' || part.kind === 'step') && holds(part))
    case 'list':
      return of.items.some(holds)
    case 'object':
      return of.entries.some(({ value }) => holds(value))
    case 'call':
      return (
        KEEPING.has(of.name) &&
        of.args.some((arg) => (arg.kind === 'name' || arg.kind === 'step') && holds(arg))
      )
    case 'choice':
      return holds(of.condition) || (holds(of.yes) && holds(of.no))
    case 'operation':
      return ['(', '==', '!='].includes(of.sign) && of.of.some(holds)
    default:
      return false
  }
}

/** Every part of an ephemeral input or resource is ephemeral; of a local value only all of it is known. */
function isEphemeralName(
  path: Expression,
  { ephemeral, locals }: TypeScope,
  holds: (of: Expression) => boolean,
): boolean {
  const { from, steps } = pathOf(path)
  const [first, ...more] = steps
  if (from.kind !== 'name' || first?.kind !== 'attribute') return false
  if (from.root === 'var') return ephemeral?.has(first.name) === true
  if (from.root === 'ephemeral') return more.length > 0
  const local = from.root === 'local' && more.length === 0 ? locals.get(first.name) : undefined
  return local !== undefined && holds(local)
}
