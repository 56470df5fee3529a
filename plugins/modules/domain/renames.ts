/** Guesses what a removed input or output of a module is called now. */
import type { ModuleVersion } from './diff.ts'
import { match, type Named, spaceless } from './named-pairs.ts'
import { nearInput } from './near-input.ts'
import { successorIn } from './parting-words.ts'
import { INPUT, mostOf, SAME_PLACE, samePlaces } from './same-place.ts'
import type { Output, Variable } from './summary.ts'
import { compareTypes } from './type-change.ts'
import { describeType, parseType, type TypeConstraint } from './type-constraint.ts'
import { typeMismatch } from './value-type.ts'

/** A guess, never a fact: `why` says what it rests on. */
export interface Rename {
  readonly kind: 'input' | 'output'
  readonly from: string
  readonly to: string
  readonly why: string
  /** The value may have to change too. */
  readonly isOnlyTold?: true
  /** The type of the other input, where no value of the removed one is meant by it. */
  readonly otherType?: string
}

/** One guess at most for each removed name, and no other name twice. */
export function guessRenames(before: ModuleVersion, after: ModuleVersion): readonly Rename[] {
  return [...inputRenames(before, after), ...outputRenames(before.summary.outputs, after.summary.outputs)]
}

/** The older version as if the guesses were right: its code uses the new names of inputs. Those that it has are left alone. */
export function withRenames({ summary, code }: ModuleVersion, renames: readonly Rename[]): ModuleVersion {
  const own = new Set(summary.variables.map(nameOf))
  const names = new Map(
    renames.flatMap(({ kind, from, to }) => (kind === 'input' && !own.has(to) ? [[from, to]] : [])),
  )
  if (code === undefined || names.size === 0) return { summary, code }
  const renamed = (text: string): string =>
    text.replace(INPUT, (whole, name: string) => (names.has(name) ? `var.${names.get(name)}` : whole))
  const blocks = code.blocks.map(({ address, attributes }) => {
    const texts = Object.entries(attributes).map(([path, text]) => [path, renamed(text)])
    return { address, attributes: Object.fromEntries(texts) }
  })
  return { summary, code: { ...code, blocks } }
}

const STATED = 'its description names it'
const SAME_TEXT = 'its description is the same'
const SAME_VALUE = 'its value is the same'
const ALIKE = 'the names are alike'

function inputRenames(before: ModuleVersion, after: ModuleVersion): Rename[] {
  const { removed, added } = match(before.summary.variables, after.summary.variables)
  const pairs = createPairs('input', removed, added)
  const [old, now] = [new Set(removed.map(nameOf)), new Set(added.map(nameOf))]
  const votes = samePlaces(before, after, (text, other) => [
    { text, pattern: INPUT, holds: (name) => old.has(name) },
    { text: other, pattern: INPUT, holds: (name) => now.has(name) },
  ])
  const all = new Map(after.summary.variables.map((one) => [one.name, one]))
  pairs.pair(STATED, (old) => successorIn(old, new Set(all.keys())))
  pairs.pair(SAME_PLACE, ({ name }) => mostOf(votes.get(name)))
  pairs.pair(SAME_TEXT, (old, free) => onlyOne(free, (now) => saysTheSame(old, now)))
  pairs.pair(ALIKE, (old, free) => {
    const near = nearInput(old.name, free.map(nameOf))
    const now = free.find(({ name }) => name === near)
    return now !== undefined && (fits(old, now) || isListOf(old, now)) ? now.name : undefined
  })
  const older = new Map(removed.map((one) => [one.name, one]))
  return pairs.found().map((one) => ({ ...one, ...doubtOf(one, older.get(one.from), all.get(one.to)) }))
}

/** Authors send to inputs that say the same in other words: `platform = "linux"` is no `ami_type`. */
function doubtOf(
  { from, to, why }: Rename,
  old: Variable | undefined,
  now: Variable | undefined,
): Pick<Rename, 'isOnlyTold' | 'otherType'> {
  const type = old && now && otherType(old, now)
  if (type !== undefined) return { isOnlyTold: true, otherType: type }
  return why === STATED && nearInput(from, [to]) === undefined ? { isOnlyTold: true } : {}
}

function outputRenames(before: readonly Output[], after: readonly Output[]): Rename[] {
  const { removed, added } = match(before, after)
  const pairs = createPairs('output', removed, added)
  const names = new Set(after.map(nameOf))
  pairs.pair(STATED, (old) => successorIn(old, names))
  pairs.pair(SAME_VALUE, (old, free) => onlyOne(free, (now) => isSameValue(old, now)))
  pairs.pair(SAME_TEXT, (old, free) => onlyOne(free, (now) => saysTheSame(old, now)))
  pairs.pair(ALIKE, (old, free) => nearInput(old.name, free.map(nameOf)))
  return pairs.found()
}

/** Pairs removed with added names, the surest rule first; a name that two removed ones claim is given to neither. */
function createPairs<T extends Named>(kind: Rename['kind'], removed: readonly T[], added: readonly T[]) {
  const found = new Map<string, Rename>()
  const taken = new Set<string>()
  return {
    pair(why: string, find: (old: T, free: readonly T[]) => string | undefined): void {
      const free = added.filter(({ name }) => !taken.has(name))
      const claims = removed
        .filter(({ name }) => !found.has(name))
        .slice(0, MAX_GUESSED)
        .map((old) => ({ from: old.name, to: find(old, free) }))
      for (const { from, to } of claims) {
        if (to === undefined || taken.has(to) || claims.some((one) => one.from !== from && one.to === to))
          continue
        found.set(from, { kind, from, to, why })
      }
      for (const { to } of found.values()) taken.add(to)
    },
    found: (): Rename[] => removed.flatMap(({ name }) => found.get(name) ?? []),
  }
}

/** Guessing costs time: a version that removes more is another module. */
const MAX_GUESSED = 100

function nameOf({ name }: Named): string {
  return name
}

function onlyOne<T extends Named>(list: readonly T[], holds: (entry: T) => boolean): string | undefined {
  const found = list.filter(holds)
  return found.length === 1 ? found[0]?.name : undefined
}

const TELLING_CHARS = 12

function saysTheSame(old: { readonly description: string }, now: { readonly description: string }): boolean {
  const text = spaceless(old.description)
  return text.length >= TELLING_CHARS && text === spaceless(now.description)
}

function isSameValue(old: Output, now: Output): boolean {
  const isText = typeof old.value === 'string' && typeof now.value === 'string'
  return isText && old.value_expression === true && spaceless(old.value) === spaceless(now.value)
}

function fits(old: Variable, now: Variable): boolean {
  const differences = compareTypes(parseType(old.type), parseType(now.type), now.name)
  return otherType(old, now) === undefined && !differences.some(({ effect }) => effect === 'narrowed')
}

/** One value became several. */
function isListOf(old: Variable, now: Variable): boolean {
  const type = parseType(now.type)
  return (
    (type.kind === 'list' || type.kind === 'set') &&
    describeType(type.of) === describeType(parseType(old.type))
  )
}

/** Terraform makes a text of a flag, but no author means `"true"` by a text. What an object lacks can be added. */
function otherType(old: Variable, now: Variable): string | undefined {
  const [from, to] = [typeOf(old), typeOf(now)]
  const isFlag = to.kind === 'bool' && /^(?:true|false)$/.test(String(old.default))
  const isText = from.kind === 'string' && to.kind === 'bool' && !isFlag
  const isOther =
    isText ||
    (from.kind === 'bool' && to.kind === 'string') ||
    typeMismatch(from, to, now.name)?.got !== undefined
  return isOther ? describeType(to) : undefined
}

/** Of `any` the default tells a list from a map. */
function typeOf({ type, default: given }: Variable): TypeConstraint {
  const stated = parseType(type)
  if (stated.kind !== 'any' || typeof given !== 'object' || given === null) return stated
  return { kind: Array.isArray(given) ? 'list' : 'map', of: { kind: 'any' } }
}
