/** What another version of a module means for one call of it. */
import { CHANGE_CLASSES, type Change, type ChangeClass, change } from './change.ts'
import { type CheckFinding, checkInputs, type GivenBlock, type GivenInput } from './check.ts'
import { diffModules, type ModuleVersion } from './diff.ts'
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import { guessNested } from './nested-inputs.ts'
import { type Parting, partingWords } from './parting-words.ts'
import { guessRenames, type Rename, withRenames } from './renames.ts'
import { SAME_PLACE } from './same-place.ts'
import { parseType } from './type-constraint.ts'
import { placeholder } from './usage.ts'

/** An output of the called module that the configuration reads. */
export interface OutputUse {
  readonly name: string
  readonly line: number
  /** Absent: the text that holds the call. */
  readonly file?: string
  /** Read inside `try()` or `can()`, which take an output that does not exist. */
  readonly isTried?: true
}

/** A call as written, and what is read of it. */
export interface UsedCall {
  readonly block: GivenBlock
  readonly outputs: readonly OutputUse[]
}

/** A change that concerns the call. `line` is that of the call, or of the reading in `file`. */
export interface CallChange extends Change {
  readonly line?: number
  readonly file?: string
}

/** How the arguments of the call have to change; nothing that is written is dropped. */
export interface CallEdit {
  readonly renamed: readonly Rename[]
  /** Inputs that no longer exist and have no likely new name. */
  readonly retired: readonly string[]
  readonly added: readonly { readonly name: string; readonly value: string; readonly sensitive: boolean }[]
}

/** What the newer version means for the call; `verdict` is the worst class of `changes`, `none` where there is none. */
export interface UpgradePlan {
  readonly verdict: ChangeClass | 'none'
  readonly changes: readonly CallChange[]
  /** Guesses for the names that the call uses, where the value may stay as it is. */
  readonly renames: readonly Rename[]
  /** How many changes of the module are not in `changes`: they do not concern the call, or are more to be reviewed. */
  readonly others: number
  readonly edit: CallEdit
}

/** Judges the call against both versions; pure. */
export function planUpgrade(call: UsedCall, before: ModuleVersion, after: ModuleVersion): UpgradePlan {
  const given = new Map(call.block.inputs.map((input) => [input.name, input]))
  const used = new Map(call.outputs.map((use) => [use.name, use]))
  const guesses = guessRenames(before, after)
  const told = guesses.filter(({ kind, from, to }) =>
    kind === 'input' ? given.has(from) && !given.has(to) : used.has(from),
  )
  const renames = told.filter(({ isOnlyTold }) => isOnlyTold !== true)
  const nested = guessNested(before, after)
  const view: CallView = { given, used: call.outputs, told, renames, nested, before, after }
  const all = diffModules(withRenames(before, guesses), after).changes
  const concerning = all.flatMap((one) => concernOf(one, view))
  const found = [...firstReviewed(concerning), ...checkedChanges(call.block, before, after)]
  const changes = CHANGE_CLASSES.flatMap((rank) => found.filter((one) => one.class === rank))
  const subjects = new Set(found.map(({ code, subject }) => `${code} ${subject}`))
  return {
    verdict: changes[0]?.class ?? 'none',
    changes,
    renames,
    others: all.filter(({ code, subject }) => !subjects.has(`${code} ${subject}`)).length,
    edit: editOf(view),
  }
}

/** A major release may change a hundred blocks: as many are named as a reader looks at. */
const MAX_REVIEWED = 10

function firstReviewed(changes: readonly CallChange[]): readonly CallChange[] {
  const reviewed = changes.filter((one) => one.class === 'review' && one.line === undefined)
  const left = new Set(reviewed.slice(MAX_REVIEWED))
  return changes.filter((one) => !left.has(one))
}

interface CallView {
  readonly given: ReadonlyMap<string, GivenInput>
  readonly used: readonly OutputUse[]
  readonly told: readonly Rename[]
  /** Those of them that the edit follows. */
  readonly renames: readonly Rename[]
  /** Attributes of other inputs that removed ones may be now. */
  readonly nested: ReadonlyMap<string, string>
  readonly before: ModuleVersion
  readonly after: ModuleVersion
}

type Concern = (one: Change, view: CallView) => readonly CallChange[]

/** What decides whether a change concerns a call; every other code concerns it when it is breaking or to be reviewed. */
const CONCERNS: Readonly<Record<string, Concern>> = {
  input_removed: ifGiven((one, view) => withGuess(one, 'input', view)),
  type_changed: ifGiven(withExpression),
  type_stated: ifGiven(withExpression),
  type_widened: () => [],
  input_not_nullable: ifGiven(withExpression),
  input_nullable: () => [],
  input_null_is_default: ifGiven((one, { given }) => (isNull(given.get(one.subject)) ? one : undefined)),
  validation_added: ifGiven((one) => one),
  input_deprecated: ifGiven((one) => one),
  required_input_added: ifAbsent,
  input_became_required: ifAbsent,
  default_changed: (one, { given }) => {
    const input = given.get(one.subject)
    return input === undefined || isNull(input) ? [one] : []
  },
  output_removed: ifRead((one, view) => withGuess(one, 'output', view)),
  output_became_sensitive: ifRead((one) => one),
  output_deprecated: ifRead((one) => one),
  address_gone: (one) => [one],
  provider_added: (one) => [one],
  provider_constraint_added: (one) => [one],
  provider_constraint_changed: (one) => [one],
  required_version_changed: (one) => [one],
}

function concernOf(one: Change, view: CallView): readonly CallChange[] {
  const concern = CONCERNS[one.code]
  if (concern !== undefined) return concern(one, view)
  return one.class === 'breaking' || one.class === 'review' ? [one] : []
}

function ifGiven(say: (one: Change, view: CallView) => Change | undefined): Concern {
  return (one, view) => {
    const input = view.given.get(one.subject)
    const said = input && say(one, view)
    return input === undefined || said === undefined ? [] : [{ ...said, line: input.line }]
  }
}

function ifAbsent(one: Change, { given }: CallView): readonly CallChange[] {
  return given.has(one.subject) ? [] : [one]
}

function ifRead(say: (one: Change, view: CallView) => Change): Concern {
  return (one, view) =>
    view.used
      .filter(({ name }) => name === one.subject)
      .map(({ line, file }) => ({ ...say(one, view), line, ...(file === undefined ? {} : { file }) }))
}

function withGuess(one: Change, kind: Rename['kind'], view: CallView): Change {
  const { told, nested, before } = view
  const guess = told.find((rename) => rename.kind === kind && rename.from === one.subject)
  const path = kind === 'input' ? nested.get(one.subject) : undefined
  const own: readonly Parting[] = before.summary[kind === 'input' ? 'variables' : 'outputs']
  const parting = own.find(({ name }) => name === one.subject)
  const words = parting && partingWords(parting)
  const said = words === undefined ? '' : ` Its description said: "${plainLine(words)}"`
  return { ...one, message: `${one.message}${said}${guessed(guess, path)}` }
}

/** An attribute of the same place says more than an input of another type. */
function guessed(guess: Rename | undefined, path: string | undefined): string {
  if (path !== undefined && (guess === undefined || guess.otherType !== undefined))
    return ` Perhaps it is an attribute now, ${path} (a guess: ${SAME_PLACE}).`
  if (guess === undefined) return ''
  const type = guess.otherType === undefined ? '' : ` Its type is another: ${guess.otherType}.`
  return ` Perhaps it is ${guess.to} now (a guess: ${guess.why}).${type}`
}

/** Of a value without expressions the check of the new version tells whether it fits. */
function withExpression(one: Change, { given }: CallView): Change | undefined {
  const value = given.get(one.subject)?.value
  if (value === undefined || !holdsExpression(value)) return undefined
  return { ...one, message: `${one.message} The value is an expression and was not evaluated: check it.` }
}

function holdsExpression(value: GivenValue): boolean {
  if (value.kind === 'list') return value.items.some(holdsExpression)
  if (value.kind === 'object') return value.entries.some(([, inner]) => holdsExpression(inner))
  return value.kind === 'expression'
}

function isNull(input: GivenInput | undefined): boolean {
  return input?.value.kind === 'literal' && input.value.value === null
}

/** Findings that only the newer version gives, without those that a change already says. */
const CHECKED: Readonly<Partial<Record<CheckFinding['code'], ChangeClass>>> = {
  wrong_type: 'breaking',
  null_not_allowed: 'breaking',
  unknown_attribute: 'review',
}

function checkedChanges(block: GivenBlock, before: ModuleVersion, after: ModuleVersion): CallChange[] {
  const known = new Set(checkInputs(block, before.summary).map(({ line, message }) => `${line} ${message}`))
  return checkInputs(block, after.summary).flatMap(({ line, code, message }) => {
    const rank = CHECKED[code]
    if (rank === undefined || known.has(`${line} ${message}`)) return []
    const subject = block.inputs.findLast((input) => input.line <= line)?.name ?? block.name
    return [{ ...change(rank, code, subject, message), line }]
  })
}

function editOf({ given, renames, before, after }: CallView): CallEdit {
  const now = new Set(after.summary.variables.map(({ name }) => name))
  const old = new Set(before.summary.variables.map(({ name }) => name))
  const renamed = renames.filter(({ kind }) => kind === 'input')
  const filled = new Set([...given.keys(), ...renamed.map(({ to }) => to)])
  return {
    renamed,
    retired: [...given.keys()].filter(
      (name) => old.has(name) && !now.has(name) && !renamed.some(({ from }) => from === name),
    ),
    added: after.summary.variables
      .filter(({ name, required }) => required && !filled.has(name))
      .map(({ name, type, sensitive }) => ({
        name: plainLine(name),
        value: placeholder(parseType(type), '  '),
        sensitive: sensitive === true,
      })),
  }
}
