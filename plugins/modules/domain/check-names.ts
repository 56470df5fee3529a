/** Names that the files of a directory read and do not declare. */
import type { CheckFinding } from './check.ts'
import type {
  ConfigurationNames,
  DeclaredKind,
  Departure,
  PlacedRead,
  Repetition,
} from './configuration-names.ts'
import type { Step } from './expression.ts'
import { plainLine } from './hcl-text.ts'
import { literalKey, type NameRead } from './names-read.ts'
import { nearInput } from './near-input.ts'

/** A finding and where it is; `call`: the name of the `module` block around it. */
export interface NameFinding extends CheckFinding {
  readonly call?: string
}

/** Looking for a near name costs time. */
const MAX_HINTS = 20

/**
 * What Terraform refuses of the names that the files read: those that nothing declares, and resources with an index
 * without `count` or `for_each`, or with one of them and no index. Nothing where a declaration may be unread.
 */
export function checkNames({ declared, reads, departures, isSure }: ConfigurationNames): NameFinding[] {
  if (!isSure) return []
  const known = knownNames(declared)
  const found = new Map<string, NameFinding>()
  for (const read of reads) {
    const name = judgedName(read) ?? unknownPart(read)
    if (name === undefined) continue
    const { file, line, call } = read
    const key = JSON.stringify([file, line, call, name])
    const said = found.has(key) ? undefined : saidOf(name, read, known, found.size < MAX_HINTS)
    if (said === undefined) continue
    found.set(key, {
      line,
      ...said,
      ...(file !== undefined && { file }),
      ...(call !== undefined && { call }),
    })
  }
  return [...found.values(), ...departures.flatMap((one) => stillThere(one, known))]
}

/** Terraform takes a move to one of several instances, as when a block gets `for_each`. */
function stillThere({ block, from, to, file, line }: Departure, known: KnownNames): NameFinding[] {
  const name = nameOf(from)
  const isWhole = name !== undefined && from.steps.length === stepsTo(from)
  const isInstance = to?.steps.some(({ kind }) => kind === 'index') === true
  if (!isWhole || isInstance || !GOES.has(name.kind) || known.get(name.kind)?.has(name.name) !== true)
    return []
  const shown = shownName(name)
  const next = block === 'moved' ? 'Give that block its new name' : 'Delete that block'
  const message = `${shown} is still declared in this directory, so Terraform refuses to take it as ${block}. ${next}, or delete this one.`
  return [{ line, code: 'block_refused', message, ...(file !== undefined && { file }) }]
}

const GOES: ReadonlySet<DeclaredKind> = new Set<DeclaredKind>(['module', 'resource'])

/** How many steps name a block. */
function stepsTo({ root }: Pick<NameRead, 'root'>): number {
  return TYPED.has(root) ? 2 : 1
}

/** The name that is read, where Terraform looks whether it is declared. */
function judgedName(read: PlacedRead): Name | undefined {
  const name = read.isConditional ? undefined : nameOf(read)
  return name !== undefined && read.isAddress && !ADDRESSED.has(name.kind) ? undefined : name
}

/** What Terraform itself gives: the parts of each such name, of later versions too. */
const GIVEN: ReadonlyMap<string, readonly string[]> = new Map([
  ['path', ['module', 'root', 'cwd']],
  ['terraform', ['workspace', 'applying']],
  ['count', ['index']],
  ['each', ['key', 'value']],
])

interface UnknownPart {
  readonly kind: 'given'
  readonly of: string
  readonly name: string
}

/** Terraform looks for these parts before it evaluates anything, so inside of `try()` too. */
function unknownPart({ root, steps: [first], isConditional }: PlacedRead): UnknownPart | undefined {
  const isKnown = first?.kind !== 'attribute' || GIVEN.get(root)?.includes(first.name) !== false
  return isConditional || isKnown ? undefined : { kind: 'given', of: root, name: first.name }
}

function saidOfPart({ of, name }: UnknownPart): Said {
  const parts = GIVEN.get(of) ?? []
  const near = nearInput(name, parts)
  const next = near === undefined ? `It has ${parts.join(', ')}.` : `Did you mean ${of}.${near}?`
  const message = `Terraform gives no ${of}.${plainLine(name)}. ${next}`
  return { code: 'undeclared_name', message, ...(near !== undefined && { suggestion: `${of}.${near}` }) }
}

function saidOf(
  name: Name | UnknownPart,
  read: PlacedRead,
  known: KnownNames,
  hasHint: boolean,
): Said | undefined {
  if (name.kind === 'given') return saidOfPart(name)
  const of = known.get(name.kind)
  return of?.has(name.name)
    ? wrongIndex(name, read, of.get(name.name))
    : undeclared(name, hasHint ? known : new Map())
}

type KnownNames = ReadonlyMap<DeclaredKind, ReadonlyMap<string, Repetition>>

/** Of a block that two files state it is not known how often it counts, unless they agree. */
function knownNames(declared: ConfigurationNames['declared']): KnownNames {
  const known = new Map<DeclaredKind, Map<string, Repetition>>()
  for (const { kind, name, repetition = 'one' } of declared) {
    const names = known.get(kind) ?? new Map<string, Repetition>()
    const earlier = names.get(name)
    names.set(name, earlier === undefined || earlier === repetition ? repetition : 'unknown')
    known.set(kind, names)
  }
  return known
}

interface Name {
  readonly kind: DeclaredKind
  readonly name: string
}

/** First names that are not types of resources, also in OpenTofu and in later versions of Terraform. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['count', 'each', 'self', 'path', 'terraform', 'tofu'],
  ...['template', 'lazy', 'arg', 'run', 'check', 'output', 'action', 'list', 'component', 'provider'],
  ...['key_provider', 'method', 'identity', 'store'],
])
/** What `depends_on` takes. */
const ADDRESSED: ReadonlySet<DeclaredKind> = new Set<DeclaredKind>([
  'module',
  'resource',
  'data',
  'var',
  'local',
])
const SIMPLE: ReadonlySet<string> = new Set(['var', 'local', 'module'])
const TYPED: ReadonlySet<string> = new Set(['data', 'ephemeral', 'resource'])

function nameOf({ root, steps, isFunction }: NameRead): Name | undefined {
  if (isFunction) return { kind: 'provider', name: root.split('::')[1] ?? '' }
  const [first, second] = steps
  if (RESERVED.has(root) || first?.kind !== 'attribute') return undefined
  if (SIMPLE.has(root)) return { kind: root as DeclaredKind, name: first.name } // its members are kinds
  if (!TYPED.has(root)) return { kind: 'resource', name: `${root}.${first.name}` }
  if (second?.kind !== 'attribute') return undefined
  return { kind: root as DeclaredKind, name: `${first.name}.${second.name}` } // as above
}

type Said = Pick<CheckFinding, 'code' | 'message' | 'suggestion'>

function undeclared(name: Name, known: KnownNames): Said {
  const shown = shownName(name)
  const near = nearName(name, known)
  const next = near === undefined ? NEXT_STEPS[name.kind](plainLine(name.name)) : `Did you mean ${near}?`
  const message =
    name.kind === 'provider'
      ? `The provider ${shown}, whose function is called, is not in required_providers.`
      : `${shown} is not declared in this directory.`
  return {
    code: 'undeclared_name',
    message: `${message} ${next}`,
    ...(near !== undefined && { suggestion: near }),
  }
}

/** What to do where nothing has a like name. */
const NEXT_STEPS: Readonly<Record<DeclaredKind, (name: string) => string>> = {
  var: (name) => `Declare it: variable "${name}" { … }.`,
  local: (name) => `Set it in a locals block: ${name} = ….`,
  module: (name) => `Write its block: module "${name}" { … }.`,
  resource: (name) => `Write its block: resource ${labels(name)} { … }.`,
  data: (name) => `Write its block: data ${labels(name)} { … }.`,
  ephemeral: (name) => `Write its block: ephemeral ${labels(name)} { … }.`,
  provider: (name) => `Add ${name} = { source = "…" } there.`,
}

function labels(name: string): string {
  return name
    .split('.')
    .map((label) => `"${label}"`)
    .join(' ')
}

function shownName({ kind, name }: Name): string {
  return plainLine(kind === 'resource' || kind === 'provider' ? name : `${kind}.${name}`)
}

/** A like name of the same kind, or the same name of another. */
function nearName({ kind, name }: Name, known: KnownNames): string | undefined {
  const names = [...(known.get(kind)?.keys() ?? [])]
  const [type, own] = name.includes('.') ? (name.split('.') as [string, string]) : [undefined, name]
  const alike = names.flatMap((one) => {
    const [ofType, last] = type === undefined ? [undefined, one] : one.split('.')
    return ofType === type && last !== undefined ? [last] : []
  })
  const near = nearInput(own, alike)
  if (near !== undefined) return shownName({ kind, name: type === undefined ? near : `${type}.${near}` })
  const sameName = type === undefined ? undefined : nearInput(type, typesOf(names, own))
  if (sameName !== undefined) return shownName({ kind, name: `${sameName}.${own}` })
  const other = [...known].find(([one, ofKind]) => one !== kind && one !== 'provider' && ofKind.has(name))
  return other && kind !== 'provider' ? shownName({ kind: other[0], name }) : undefined
}

function typesOf(names: readonly string[], own: string): string[] {
  return names.flatMap((one) => (one.endsWith(`.${own}`) ? [one.slice(0, -own.length - 1)] : []))
}

/** Terraform looks at the indexes of resources before it evaluates anything, so inside of `try()` too. */
function wrongIndex(name: Name, read: PlacedRead, repetition: Repetition = 'unknown'): Said | undefined {
  const at = stepsTo(read)
  const shown = shownName(name)
  if (read.isAddress) return isWhole(name, read.steps.slice(at)) ? undefined : notWhole(shown)
  if (name.kind !== 'resource' && name.kind !== 'data') return undefined
  const step = read.steps[at]
  const rest = read.steps[at + 1]
  if (repetition === 'one' && literalKey(step) !== undefined) {
    const attribute = rest?.kind === 'attribute' ? `.${plainLine(rest.name)}` : ''
    const message = `The block of ${shown} has neither count nor for_each: write ${shown}${attribute} without an index.`
    return { code: 'wrong_index', message }
  }
  if ((repetition !== 'count' && repetition !== 'for_each') || step?.kind !== 'attribute') return undefined
  const example = `${repetition === 'count' ? '[0]' : '["…"]'}.${plainLine(step.name)}`
  const message = `The block of ${shown} has ${repetition}: write ${shown}${example}, with the index of one of them.`
  return { code: 'wrong_index', message }
}

/** Terraform takes outputs of a call, an instance of a resource, and no part of a value. */
function isWhole({ kind }: Name, steps: readonly Step[]): boolean {
  if (kind === 'module') return true
  return kind === 'var' || kind === 'local'
    ? steps.length === 0
    : steps.every((step) => step.kind !== 'attribute')
}

function notWhole(shown: string): Said {
  const message = `depends_on takes whole resources, modules and values, no parts of them: write ${shown}.`
  return { code: 'block_refused', message, suggestion: shown }
}
