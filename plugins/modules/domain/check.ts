/** Whether a proposed `module` block fits the module it calls. */
import { brokenRules, inputValues } from './check-rules.ts'
import { isEphemeral } from './ephemeral-value.ts'
import type { Expression } from './expression.ts'
import { NO_SCOPE, type TypeScope } from './expression-type.ts'
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import { isTofuFile } from './module-files.ts'
import type { Resolution } from './module-source.ts'
import { nearInput } from './near-input.ts'
import { isNoRepository, refusedSource } from './refused-source.ts'
import { shownSource } from './shown-source.ts'
import type { ModuleSummary, Variable } from './summary.ts'
import { parseType, type TypeConstraint } from './type-constraint.ts'
import type { RuleValue } from './typed-value.ts'
import { unknownAttributes } from './unknown-attributes.ts'
import { unreadFiles } from './unread-files.ts'
import { placeholder } from './usage.ts'
import { findMismatch, isNull } from './value-mismatch.ts'

/** A `module` block as written. Lines count from 1. */
export interface GivenBlock {
  readonly name: string
  /** Where a configuration has several files; absent: the only text. */
  readonly file?: string
  readonly line: number
  /** `isComputed`: an expression or a template, which OpenTofu evaluates. */
  readonly source?: { readonly text: string; readonly line: number; readonly isComputed?: true }
  readonly version?: string
  /** Whether `version` is a string without expressions: only then is it judged. */
  readonly isVersionLiteral?: boolean
  /** Terraform's own arguments that the block states, with their lines. */
  readonly meta?: ReadonlyMap<string, number>
  /** The keys of `for_each`, where they are written out. */
  readonly keys?: readonly string[]
  /** The expressions of `count` and `for_each`. */
  readonly repeats?: ReadonlyMap<'count' | 'for_each', Expression>
  /** The keys of `providers`, where it is an object. */
  readonly providers?: readonly string[]
  /**
   * The arguments that the block itself states; absent without override files. Terraform wants what the module requires
   * there, and drops names without a word that the module does not have.
   */
  readonly own?: ReadonlySet<string>
  /** What Terraform refuses of it as it is written. */
  readonly faults?: readonly BlockFault[]
  /** Every argument but Terraform's own (`source`, `version`, `providers`, `count`, `for_each`, `depends_on`). */
  readonly inputs: readonly GivenInput[]
}

/**
 * `nested`: a block in the block, which takes none; `count`, `for_each`: a value that it cannot have; `misplaced`: a reading
 * of `count.index` or of `each` in a block without `name`, or of `self`; `bare`: a word that is neither a text nor a reference;
 * `depends_on`: no list; `name`: that of the block, which cannot be one.
 */
export interface BlockFault {
  readonly line: number
  readonly kind: 'nested' | 'count' | 'for_each' | 'misplaced' | 'bare' | 'depends_on' | 'name'
  readonly name: string
}

/** One argument of a block. */
export interface GivenInput {
  readonly name: string
  readonly line: number
  readonly value: GivenValue
}

/** One thing wrong with a block. `suggestion` is a replacement text, where there is a good one. */
export interface CheckFinding {
  readonly line: number
  readonly code: CheckCode
  readonly message: string
  readonly suggestion?: string
  /** Where it is, when not in the file of the block. */
  readonly file?: string
}

/** Every code a finding can have. */
export type CheckCode =
  | 'unknown_input'
  | 'unknown_attribute'
  | 'missing_input'
  | 'wrong_type'
  | 'null_not_allowed'
  | 'deprecated_input'
  | 'unknown_ref'
  | 'short_commit'
  | 'module_not_indexed'
  | 'module_missing'
  | 'ambiguous_source'
  | 'block_refused'
  | 'source_missing'
  | 'source_computed'
  | 'source_refused'
  | 'duplicate_name'
  | 'count_and_for_each'
  | 'version_not_taken'
  | 'version_constraint_invalid'
  | 'unknown_output'
  | 'undeclared_name'
  | 'wrong_index'
  | 'unknown_provider'
  | 'missing_provider'
  | 'rule_broken'
  | 'local_module_missing'
  | 'local_module_outside'
  | 'module_not_whole'
  | 'provider_conflict'
  | 'terraform_conflict'

/** Findings about the source of a block; empty when it names an indexed version or a local path. */
export function checkSource(block: GivenBlock, resolution: Resolution): CheckFinding[] {
  const { source } = block
  if (source === undefined) {
    const message = `The module block "${block.name}" has no source.`
    return [{ line: block.line, code: 'source_missing', message, suggestion: 'source = "…"' }]
  }
  if (resolution.kind === 'computed') {
    const message =
      'The source or version is an expression, so its module is not known here and the arguments were not checked.'
    return [{ line: source.line, code: 'source_computed', message }]
  }
  const refused = refusedSource(source.text)
  if (refused !== undefined) return [{ line: source.line, code: 'source_refused', ...refused }]
  if (resolution.kind === 'not_indexed') {
    const said = isNoRepository(source.text)
      ? 'Only repositories of git and registries are read, so the arguments were not checked'
      : 'Ingest its repository, or search for it'
    const message = `No indexed module has the source ${shownSource(source.text)}. ${said}.`
    return [{ line: source.line, code: 'module_not_indexed', message }]
  }
  if (resolution.kind === 'no_module')
    return [{ line: source.line, code: 'module_missing', message: resolution.why }]
  if (resolution.kind === 'short_commit') {
    const { commit, ref } = resolution.module
    const message = `${resolution.ref} is the start of a commit, that of ${ref}; pin the whole id, ${commit}.`
    return [{ line: source.line, code: 'short_commit', message, suggestion: commit }]
  }
  if (resolution.kind === 'ambiguous') {
    const message = `The source fits several repositories: ${resolution.repositories.join(', ')}. Name one in registry_aliases, or its URL in the source.`
    return [{ line: source.line, code: 'ambiguous_source', message }]
  }
  return resolution.kind === 'unknown_ref' ? [unknownRef(source, resolution)] : []
}

/** A finding if files of the module were not read whole: its arguments cannot be judged. `unread`: files without a diagnostic. */
export function checkWhole(
  { source, line }: GivenBlock,
  summary: Pick<ModuleSummary, 'diagnostics'>,
  unread: readonly string[] = [],
): CheckFinding[] {
  const problems = [
    ...unread.map((file) => `${plainLine(file)}: it could not be read`),
    ...unreadFiles(summary).map(({ file = 'a file', message }) => `${plainLine(file)}: ${message}`),
  ]
  const [first] = problems
  if (first === undefined) return []
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
  const message = `The module was not read whole, so the arguments were not checked. ${first}${more}`
  return [{ line: source?.line ?? line, code: 'module_not_whole', message }]
}

/** A finding if Terraform refuses the module itself: it states an input twice, or overrides one that it does not have. */
export function checkRefused(
  { source, line }: GivenBlock,
  { diagnostics }: Pick<ModuleSummary, 'diagnostics'>,
): CheckFinding[] {
  const [first] = diagnostics.filter(
    ({ severity, code, file = '' }) =>
      (severity === 'error' && code === 'duplicate_block') ||
      (code === 'override_without_target' && !isTofuFile(file)),
  )
  if (first === undefined) return []
  const message = `The module does not load: ${plainLine(first.message)}`
  return [{ line: source?.line ?? line, code: 'module_not_whole', message }]
}

function unknownRef(
  { text, line }: NonNullable<GivenBlock['source']>,
  { ref, latest, meant, why = '' }: Resolution & { kind: 'unknown_ref' },
): CheckFinding {
  const of = latest === undefined ? 'this module' : latest.repository
  const newest = latest === undefined ? '' : `; the latest is ${latest.ref}`
  const said = `${plainLine(ref)} is not an indexed version of ${of}, so the arguments were not checked${newest}.`
  const message = [said, slipIn(text, ref), why].filter((sentence) => sentence !== '').join(' ')
  const suggestion = meant ?? latest?.ref
  return { line, code: 'unknown_ref', message, ...(suggestion !== undefined && { suggestion }) }
}

/** What is wrong with how a source states its ref, as a sentence. */
function slipIn(source: string, ref: string): string {
  if (ref.includes(' ') && source.includes('+'))
    return 'Terraform reads a + there as a blank; write it as %2B.'
  return ref.includes('//') ? 'Write the directory before the ?, as in //modules/x?ref=v1.' : ''
}

/** Findings about the arguments of a block, in the order of their lines. `scope`: what is known of names that they read. */
export function checkInputs(
  block: GivenBlock,
  summary: Pick<ModuleSummary, 'variables'>,
  scope: TypeScope = NO_SCOPE,
): CheckFinding[] {
  const variables = new Map(summary.variables.map((variable) => [variable.name, variable]))
  const given = new Set(block.inputs.map(({ name }) => name))
  const free = [...variables.keys()].filter((name) => !given.has(name))
  const others = inputValues(summary.variables, block.inputs)
  let hints = 0
  const stated = block.inputs.flatMap((input) => {
    const variable = variables.get(input.name)
    if (variable !== undefined) return checkInput(input, variable, { scope, others })
    hints += 1
    const near = hints <= MAX_HINTS ? nearInput(input.name, free) : undefined
    return [block.own === undefined ? unknownInput(input, near) : droppedInput(input, near)]
  })
  const absent = summary.variables.filter(({ name }) => !given.has(name))
  const isOwn = ({ name }: Variable): boolean => block.own?.has(name) ?? given.has(name)
  const missing = summary.variables.filter((variable) => variable.required && !isOwn(variable))
  return [
    ...missing.map((variable) => missingInput(block, variable)),
    ...absent.flatMap((variable) => brokenDefault(block, variable, others)),
    ...stated,
  ].sort((a, b) => a.line - b.line)
}

/** What is known around an input: names of the configuration, and the other inputs. */
interface AroundInput {
  readonly scope: TypeScope
  readonly others: (name: string) => RuleValue
}

/** Looking for a near name costs time: a block with more unknown inputs than this is of another module. */
const MAX_HINTS = 10

function unknownInput(input: GivenInput, near: string | undefined): CheckFinding {
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  return {
    line: input.line,
    code: 'unknown_input',
    message: `The module has no input "${plainLine(input.name)}".${hint}`,
    ...(near === undefined ? {} : { suggestion: near }),
  }
}

function droppedInput(input: GivenInput, near: string | undefined): CheckFinding {
  const { message, ...finding } = unknownInput(input, near)
  const said = `${message} Terraform drops it without a word, as the block is overridden.`
  return { ...finding, code: 'unknown_attribute', message: said }
}

function missingInput(block: GivenBlock, variable: Variable): CheckFinding {
  const isOverride = block.inputs.some(({ name }) => name === variable.name)
  const where = isOverride ? 'stated in an override file only: the block itself must have it' : 'missing'
  return {
    line: block.line,
    code: 'missing_input',
    message: `The required input "${variable.name}" (${plainLine(variable.type)}) is ${where}.`,
    suggestion: `${variable.name} = ${placeholder(parseType(variable.type))}`,
  }
}

function checkInput(input: GivenInput, variable: Variable, { scope, others }: AroundInput): CheckFinding[] {
  const { name, line, value } = input
  const findings: CheckFinding[] = []
  if (variable.deprecated !== undefined) {
    findings.push({
      line,
      code: 'deprecated_input',
      message: `The input "${name}" is deprecated: ${plainLine(variable.deprecated)}`,
    })
  }
  if (isNull(value)) {
    // With a default, null means that default (hashicorp/terraform#29832).
    if (variable.nullable !== false) return [...findings, ...broken(input, variable, others)]
    if (!variable.required) return [...findings, ...brokenDefault(input, variable, others)]
    const message = `The input "${name}" does not take null.`
    const suggestion = `${name} = ${placeholder(parseType(variable.type))}`
    return [...findings, { line, code: 'null_not_allowed', message, suggestion }]
  }
  if (variable.ephemeral !== true && isEphemeral(value, scope)) {
    const message = `The input "${name}" is not ephemeral, so Terraform refuses a value that follows from an ephemeral one. ephemeralasnull(…) gives null in its place.`
    findings.push({ line, code: 'block_refused', message })
  }
  const type = parseType(variable.type)
  findings.push(...unknownFindings(input, type))
  const mismatch = findMismatch(value, type, name, scope)
  if (mismatch === undefined) {
    return [...findings, ...broken(input, variable, others)]
  }
  const message = `${plainLine(mismatch.path)} must be ${mismatch.wanted}, not ${mismatch.got}.`
  return [...findings, { line, code: 'wrong_type', message, ...inList(input, type) }]
}

function broken(
  { name, line, value }: GivenInput,
  variable: Variable,
  others: AroundInput['others'],
): CheckFinding[] {
  const known: GivenValue = isNull(value) ? { kind: 'literal', value: null } : value
  return brokenRules(variable, { type: parseType(variable.type), value: known, others }).map((said) => ({
    line,
    code: 'rule_broken',
    message: `The value of "${plainLine(name)}" breaks a rule of the module: ${said}`,
  }))
}

/** Terraform holds a default to the rules too, which may be about what the call gives. */
function brokenDefault(
  { line }: Pick<GivenBlock, 'line'>,
  variable: Variable,
  others: AroundInput['others'],
): CheckFinding[] {
  if (variable.required || variable.default_expression) return []
  const value: GivenValue = { kind: 'literal', value: variable.default }
  return brokenRules(variable, { type: parseType(variable.type), value, others }).map((said) => ({
    line,
    code: 'rule_broken',
    message: `The default of "${plainLine(variable.name)}" breaks a rule of the module: ${said} Give it a value that fits.`,
  }))
}

/** A suggestion keeps what was written: the only sure one is a list around the one element that was given. */
function inList({ name, value }: GivenInput, type: TypeConstraint): { suggestion?: string } {
  if (value.kind !== 'literal' || (type.kind !== 'list' && type.kind !== 'set')) return {}
  const isElement =
    typeof value.value !== 'object' && findMismatch(value, type.of, name, NO_SCOPE) === undefined
  return isElement ? { suggestion: `${name} = [${JSON.stringify(value.value)}]` } : {}
}

function unknownFindings({ line, value, name }: GivenInput, type: TypeConstraint): CheckFinding[] {
  return unknownAttributes(value, type, name).map((unknown, at) => {
    const near = at < MAX_HINTS ? nearInput(unknown.name, unknown.free) : undefined
    const hint = near === undefined ? '' : ` Did you mean "${plainLine(near)}"?`
    return {
      line,
      code: 'unknown_attribute',
      message: `${plainLine(unknown.path)} is not an attribute of its type: Terraform drops it without a word.${hint}`,
      ...(near === undefined ? {} : { suggestion: near }),
    }
  })
}
