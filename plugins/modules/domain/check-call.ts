/** What is wrong with a `module` block beside its source and its arguments. */
import type { BlockFault, CheckFinding, GivenBlock } from './check.ts'
import { correctedConstraint, isConstraint } from './constraint-syntax.ts'
import { isEphemeral, isEphemeralForEach, isSensitiveForEach } from './ephemeral-value.ts'
import type { Expression } from './expression.ts'
import { expressionType, NO_SCOPE, type TypeScope } from './expression-type.ts'
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import { parseSource } from './module-source.ts'
import { namesRead } from './names-read.ts'
import { nearInput } from './near-input.ts'
import { refusedPart } from './refused-expression.ts'
import { parseRegistryAddress } from './registry-address.ts'
import type { ModuleSummary } from './summary.ts'
import type { ValueType } from './value-type.ts'

/** An output of a call that the same text reads. */
export interface ReadOutput {
  readonly name: string
  readonly line: number
  /** Absent: the file of the call. */
  readonly file?: string
  /** Read inside `try()` or `can()`: Terraform takes it though it does not exist. */
  readonly isTried?: true
}

/** Where a block is. */
export type BlockPlace = Pick<GivenBlock, 'line' | 'file'>

/** Findings that need nothing but the block, the names of the blocks before it and the types of what it reads. */
export function checkForm(
  block: GivenBlock,
  earlier: ReadonlyMap<string, BlockPlace>,
  scope: TypeScope = NO_SCOPE,
): CheckFinding[] {
  const { meta = new Map<string, number>(), name, faults = [] } = block
  const findings = [
    ...[...wrongName(block), ...faults, ...repeatFaults(block, scope), ...bareWords(block)].map(refusedBlock),
    ...ephemeralRepeats(block, scope),
    ...sensitiveKeys(block, scope),
    ...refusedArguments(block, scope),
  ]
  const first = earlier.get(name)
  if (first !== undefined) {
    const at =
      first.file === block.file ? `line ${first.line}` : `${plainLine(first.file ?? '')}:${first.line}`
    const message = `A module block "${plainLine(name)}" is at ${at} already.`
    findings.push({ line: block.line, code: 'duplicate_name', message })
  }
  const forEach = meta.get('for_each')
  if (forEach !== undefined && meta.has('count')) {
    const message = 'A block takes count or for_each, not both.'
    findings.push({ line: forEach, code: 'count_and_for_each', message })
  }
  const version = meta.get('version')
  if (version !== undefined && block.source !== undefined && !takesVersion(block.source.text)) {
    const message = 'Only a registry source takes version; name the ref of any other in the source: ?ref=….'
    findings.push({ line: version, code: 'version_not_taken', message })
  } else findings.push(...checkConstraint(block, version ?? block.line))
  return findings
}

const NAME = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u

function wrongName({ name, line }: GivenBlock): BlockFault[] {
  return NAME.test(name) ? [] : [{ line, kind: 'name', name }]
}

/** A `count` or `for_each` whose type no value of can be one. Those written out are faults of the block already. */
function repeatFaults(
  { repeats = new Map(), meta, line, faults = [] }: GivenBlock,
  scope: TypeScope,
): BlockFault[] {
  return [...repeats].flatMap(([name, of]) => {
    const isFound = faults.some(({ kind }) => kind === name)
    const { kind } = expressionType(of, scope)
    const isNever = NEVER[name].has(kind) || (name === 'for_each' && givesNoKeys(of))
    return isFound || !isNever ? [] : [{ line: meta?.get(name) ?? line, kind: name, name }]
  })
}

function ephemeralRepeats({ repeats, meta, line }: GivenBlock, scope: TypeScope): CheckFinding[] {
  return [...(repeats ?? [])].flatMap(([name, of]) => {
    const isRefused =
      name === 'count' ? isEphemeral({ kind: 'expression', of }, scope) : isEphemeralForEach(of, scope)
    const message = `${name} must not follow from an ephemeral value: Terraform keeps which instances there are.`
    return isRefused ? [{ line: meta?.get(name) ?? line, code: 'block_refused' as const, message }] : []
  })
}

function sensitiveKeys({ repeats, meta, line }: GivenBlock, scope: TypeScope): CheckFinding[] {
  const forEach = repeats?.get('for_each')
  if (forEach === undefined || !isSensitiveForEach(forEach, scope)) return []
  return [{ line: meta?.get('for_each') ?? line, code: 'block_refused', message: SENSITIVE_KEYS }]
}

/** What Terraform says of a `for_each`, also of a resource. */
export const SENSITIVE_KEYS =
  'The keys of for_each must not follow from a sensitive value: Terraform shows them. nonsensitive(…) says that they may be shown.'

/** What is a list or a tuple with any arguments; `setproduct` may be a set. */
const LISTS: ReadonlySet<string> = new Set([
  ...['chunklist', 'cidrsubnets', 'compact', 'concat', 'csvdecode', 'distinct', 'flatten', 'formatlist'],
  ...['keys', 'matchkeys', 'range', 'regexall', 'reverse', 'slice', 'sort', 'split', 'values'],
])

/** A list, or a set of numbers only or truth values only: those do not become texts by themselves. */
function givesNoKeys(of: Expression): boolean {
  if (of.kind === 'for') return of.key === undefined
  if (of.kind !== 'call') return false
  const name = of.name.replace(/^core::/, '')
  const [set] = of.args
  if (name !== 'toset' || set?.kind !== 'list') return LISTS.has(name)
  const kinds = new Set(set.items.map((item) => (item.kind === 'literal' ? typeof item.value : 'string')))
  return kinds.size === 1 && (kinds.has('number') || kinds.has('boolean'))
}

/** Words such as `postgres` without quotes: a reference has two parts at least. */
function bareWords({ inputs }: GivenBlock): BlockFault[] {
  return inputs.flatMap(({ value, line }): BlockFault[] => {
    const reads = expressionsIn(value).flatMap((of) => namesRead(of))
    const bare = reads.find(({ steps: [first], isFunction }) => first?.kind !== 'attribute' && !isFunction)
    return bare === undefined ? [] : [{ line, kind: 'bare', name: bare.root }]
  })
}

/** What Terraform refuses within expressions. A refused `count` or `for_each` is said already. */
function refusedArguments({ inputs }: GivenBlock, scope: TypeScope): CheckFinding[] {
  return inputs.flatMap(({ name, line, value }) => {
    const [said] = expressionsIn(value).flatMap((of) => refusedPart(of, scope) ?? [])
    const message = `${plainLine(name)} cannot be evaluated. ${said}`
    return said === undefined ? [] : [{ line, code: 'block_refused' as const, message }]
  })
}

function expressionsIn(value: GivenValue): readonly Expression[] {
  if (value.kind === 'list') return value.items.flatMap(expressionsIn)
  if (value.kind === 'object') return value.entries.flatMap(([, inner]) => expressionsIn(inner))
  return value.kind === 'expression' && value.of !== undefined ? [value.of] : []
}

/** A text may be a number. Terraform takes a set of anything until it knows the elements; a `sequence` may be a set. */
const NEVER: Readonly<Record<'count' | 'for_each', ReadonlySet<ValueType['kind']>>> = {
  count: new Set(['bool', 'list', 'set', 'tuple', 'sequence', 'map', 'object', 'mapping']),
  for_each: new Set(['string', 'number', 'bool', 'list', 'tuple']),
}

function refusedBlock({ line, kind, name }: BlockFault): CheckFinding {
  const shown = plainLine(name)
  const messages = {
    nested: `A module block takes no block "${shown}": Terraform refuses it. Write an argument: ${shown} = { … }, or a list of such objects.`,
    name: `"${shown}" cannot be the name of a module block: it takes letters, digits, _ and -, and starts with a letter or _.`,
    depends_on: 'depends_on must be a list of references, as in [module.network, aws_vpc.main].',
    count: 'count must be a whole number of 0 or more.',
    for_each: 'for_each must be a map or a set of strings: toset([…]) makes one of a list.',
    misplaced:
      shown === 'self'
        ? 'A module block has no self: only provisioners and conditions of resources have it.'
        : `The block reads ${shown === 'count' ? 'count.index' : 'each'}, but has no ${shown}.`,
    bare: `${shown} is not a reference. Write "${shown}" in quotes if it is a string, else the whole reference: var.${shown}, local.${shown}.`,
  }
  return { line, code: 'block_refused', message: messages[kind] }
}

function checkConstraint({ version, isVersionLiteral }: GivenBlock, line: number): CheckFinding[] {
  if (version === undefined || !isVersionLiteral || isConstraint(version)) return []
  const suggestion = correctedConstraint(version)
  const next =
    suggestion === undefined
      ? 'Write it as in "~> 1.2" or ">= 1.0, < 2.0", or leave version out for the newest.'
      : `Did you mean "${suggestion}"?`
  const said = plainLine(JSON.stringify(version))
  const message = `${said} is not a version constraint that Terraform can read: it refuses the call. ${next}`
  const code = 'version_constraint_invalid'
  return [{ line, code, message, ...(suggestion !== undefined && { suggestion }) }]
}

/** A template may be a registry address: nothing is known of it. */
function takesVersion(source: string): boolean {
  const { kind } = parseSource(source)
  const [base = ''] = source.split('//', 1) // gitlab.com has a registry beside its repositories
  return (
    kind === 'registry' ||
    kind === 'other' ||
    source.includes('${') ||
    parseRegistryAddress(base) !== undefined
  )
}

/** Findings about the outputs that are read of a call, and the providers that are passed to it. */
export function checkUse(
  block: GivenBlock,
  outputs: readonly ReadOutput[],
  summary: Pick<ModuleSummary, 'outputs' | 'providers'>,
): CheckFinding[] {
  const known = summary.outputs.map(({ name }) => name)
  const unknown = outputs.filter(({ name, isTried }) => !isTried && !known.includes(name))
  return [...unknown.map((output) => unknownOutput(block, output, known)), ...checkProviders(block, summary)]
}

function unknownOutput(
  { name, file }: GivenBlock,
  output: ReadOutput,
  known: readonly string[],
): CheckFinding {
  const near = nearInput(output.name, known)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  return {
    line: output.line,
    code: 'unknown_output',
    message: `module.${plainLine(name)} has no output "${plainLine(output.name)}".${hint}`,
    ...(near === undefined ? {} : { suggestion: near }),
    ...(output.file === undefined || output.file === file ? {} : { file: output.file }),
  }
}

/**
 * Terraform wants each alias that the module declares. It only warns of one that is not declared: that is a mistake here
 * if it was probably meant for one that is missing.
 */
function checkProviders(
  { providers, meta, line }: GivenBlock,
  summary: Pick<ModuleSummary, 'providers'>,
): CheckFinding[] {
  const isUnreadable = providers === undefined && meta?.has('providers') === true
  if (isUnreadable) return []
  const wanted = summary.providers.flatMap((provider) => provider.configuration_aliases ?? [])
  const given = providers ?? []
  const at = meta?.get('providers') ?? line
  const missing = wanted.filter((alias) => !given.includes(alias))
  const unknown =
    missing.length === 0 ? [] : given.filter((key) => key.includes('.') && !wanted.includes(key))
  return [
    ...unknown.map((key) => {
      const message = `The module declares no provider configuration ${plainLine(key)}. It declares ${plainLine(missing.join(', '))}.`
      return { line: at, code: 'unknown_provider' as const, message }
    }),
    ...missing.map((alias) => ({
      line: at,
      code: 'missing_provider' as const,
      message: `The module wants a provider configuration ${plainLine(alias)}: pass it in providers.`,
      suggestion: `providers = { ${alias} = … }`,
    })),
  ]
}
