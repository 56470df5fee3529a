/** The mistakes that people and models make in calls, seeded into real ones. */
import type { CheckCode, GivenBlock, GivenInput } from '../../../../plugins/modules/domain/check.ts'
import type { GivenValue } from '../../../../plugins/modules/domain/given-value.ts'
import type { ModuleSummary, Variable } from '../../../../plugins/modules/domain/summary.ts'
import { parseType, type TypeConstraint } from '../../../../plugins/modules/domain/type-constraint.ts'

/** A call with one mistake, and what a check of it should say. */
export interface SeededCall {
  readonly kind: MistakeKind
  readonly block: GivenBlock
  readonly code: CheckCode
  /** A text that the message of the finding holds. */
  readonly about: string
  /** The name that a suggestion may give; undefined: none is right. */
  readonly right: string | undefined
  /** An output of the call that is read. */
  readonly read?: string
}

/** Picks one of a list, the same one in every run. */
export type Pick = <T>(list: readonly T[]) => T | undefined

/** The parts of a call that a mistake is made in. */
interface Seed {
  readonly block: GivenBlock
  readonly summary: ModuleSummary
  readonly pick: Pick
}

type Mistake = (seed: Seed) => Omit<SeededCall, 'kind'> | undefined

/** What can go wrong, by name. Undefined: the call has no place for this mistake. */
export const MISTAKES = {
  'a letter too few': renamed((name) =>
    name.length > 4 ? `${name.slice(0, 2)}${name.slice(3)}` : undefined,
  ),
  'two letters swapped': renamed(swapped),
  'another word order': renamed((name) => {
    const words = name.split('_')
    return words.length === 2 ? `${words[1]}_${words[0]}` : undefined
  }),
  'camel case': renamed((name) =>
    name.includes('_') ? name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase()) : undefined,
  ),
  'singular for plural': renamed((name) => (name.endsWith('s') ? name.slice(0, -1) : `${name}s`)),
  'the name of the service in front': prefixed,
  'an invented input': invented,
  'a required input left out': leftOut,
  'a word for a number or flag': wrongScalar,
  'a list for one value, or a text for many': wrongShape,
  'a misspelt key inside a value': misspeltKey,
  'a wrong value inside a value': wrongInside,
  'a required key inside a value left out': keyLeftOut,
  'an output that does not exist': wrongOutput,
  'count with for_each': countAndForEach,
  'a version on a local source': versionNotTaken,
} as const satisfies Record<string, Mistake>

export type MistakeKind = keyof typeof MISTAKES

/** The call with a mistake of each kind that it has a place for. */
export function seededCalls(seed: Seed): readonly SeededCall[] {
  return (Object.keys(MISTAKES) as MistakeKind[]).flatMap((kind) => {
    const made = MISTAKES[kind](seed)
    return made === undefined ? [] : [{ kind, ...made }]
  })
}

/** Inputs that are declared and that nothing else is known to be wrong with. */
function declared({
  block,
  summary,
}: Seed): readonly { input: GivenInput; variable: Variable; type: TypeConstraint }[] {
  return block.inputs.flatMap((input) => {
    const variable = summary.variables.find(({ name }) => name === input.name)
    return variable === undefined ? [] : [{ input, variable, type: parseType(variable.type) }]
  })
}

function isTaken({ block, summary }: Seed, name: string): boolean {
  return (
    summary.variables.some((variable) => variable.name === name) ||
    block.inputs.some((input) => input.name === name)
  )
}

function withInput(block: GivenBlock, name: string, now: GivenInput): GivenBlock {
  return { ...block, inputs: block.inputs.map((input) => (input.name === name ? now : input)) }
}

function renamed(rename: (name: string) => string | undefined): Mistake {
  return (seed) => {
    const places = declared(seed).flatMap(({ input }) => {
      const name = rename(input.name)
      return name === undefined || name === input.name || isTaken(seed, name) ? [] : [{ input, name }]
    })
    const place = seed.pick(places)
    if (place === undefined) return undefined
    const { input, name } = place
    const block = withInput(seed.block, input.name, { ...input, name })
    return { block, code: 'unknown_input', about: `"${name}"`, right: input.name }
  }
}

function swapped(name: string): string | undefined {
  const at = Math.floor(name.length / 2)
  const [a, b] = [name[at - 1], name[at]]
  return name.length > 4 && a !== b && a !== '_' && b !== '_'
    ? `${name.slice(0, at - 1)}${b}${a}${name.slice(at + 1)}`
    : undefined
}

/** `cluster_version` where the input is `version`. */
function prefixed(seed: Seed): ReturnType<Mistake> {
  const service = serviceOf(seed.summary)
  if (service === '') return undefined
  return renamed((name) => (name.startsWith(service) ? undefined : `${service}_${name}`))(seed)
}

/** `eks` of `terraform-aws-eks`; a bare repository may have any name, so all parts of its address are looked at. */
function serviceOf({ repository }: ModuleSummary): string {
  const name = repository.split(/[/+]/).findLast((part) => part.startsWith('terraform-'))
  return (
    name
      ?.replace(/\.git$/, '')
      .split('-')
      .at(-1) ?? ''
  )
}

const INVENTED = ['enable_autopilot_mode', 'quantum_safe', 'billing_alert_email', 'use_spot_fleet_hint']

function invented(seed: Seed): ReturnType<Mistake> {
  const name = seed.pick(INVENTED.filter((one) => !isTaken(seed, one)))
  if (name === undefined) return undefined
  const input: GivenInput = { name, line: seed.block.line + 1, value: { kind: 'literal', value: true } }
  const block = { ...seed.block, inputs: [...seed.block.inputs, input] }
  return { block, code: 'unknown_input', about: `"${name}"`, right: undefined }
}

function leftOut(seed: Seed): ReturnType<Mistake> {
  const place = seed.pick(declared(seed).filter(({ variable }) => variable.required))
  if (place === undefined) return undefined
  const { name } = place.input
  const block = { ...seed.block, inputs: seed.block.inputs.filter((input) => input.name !== name) }
  return { block, code: 'missing_input', about: `"${name}"`, right: name }
}

/** What no conversion of Terraform turns into the type. */
function badScalar(type: TypeConstraint): GivenValue | undefined {
  return type.kind === 'number' || type.kind === 'bool' ? { kind: 'literal', value: 'enabled' } : undefined
}

function badShape(type: TypeConstraint): GivenValue | undefined {
  if (type.kind === 'string' || type.kind === 'map' || type.kind === 'object') {
    return { kind: 'list', items: [{ kind: 'literal', value: 'a' }] }
  }
  return type.kind === 'list' || type.kind === 'set' ? { kind: 'literal', value: 'a' } : undefined
}

function wrongValue(
  seed: Seed,
  badOf: (type: TypeConstraint) => GivenValue | undefined,
): ReturnType<Mistake> {
  const places = declared(seed).flatMap(({ input, type }) => {
    const value = badOf(type)
    return value === undefined ? [] : [{ input, value }]
  })
  const place = seed.pick(places)
  if (place === undefined) return undefined
  const { name } = place.input
  const block = withInput(seed.block, name, { ...place.input, value: place.value })
  return { block, code: 'wrong_type', about: name, right: `${name} = ["a"]` }
}

function wrongScalar(seed: Seed): ReturnType<Mistake> {
  return wrongValue(seed, badScalar)
}

function wrongShape(seed: Seed): ReturnType<Mistake> {
  return wrongValue(seed, badShape)
}

type Entries = readonly (readonly [key: string, value: GivenValue])[]
type Attributes = (TypeConstraint & { kind: 'object' })['attributes']

/** What an object of a known type becomes, and which of its keys that is about; undefined: nothing can be done there. */
type Spoil = (
  entries: Entries,
  attributes: Attributes,
) => { readonly entries: Entries; readonly about: string; readonly right?: string } | undefined

function misspeltKey(seed: Seed): ReturnType<Mistake> {
  return inside(seed, 'unknown_attribute', (entries, attributes) => {
    const at = entries.findIndex(([key]) => {
      const name = attributes.get(key)?.optional === true ? swapped(key) : undefined
      return name !== undefined && !attributes.has(name)
    })
    const [key, value] = entries[at] ?? []
    const name = key && swapped(key)
    if (key === undefined || value === undefined || name === undefined) return undefined
    return { entries: entries.with(at, [name, value]), about: name, right: key }
  })
}

function wrongInside(seed: Seed): ReturnType<Mistake> {
  return inside(seed, 'wrong_type', (entries, attributes) => {
    for (const [at, [key]] of entries.entries()) {
      const type = attributes.get(key)?.type
      const value = type && (badScalar(type) ?? badShape(type))
      if (value !== undefined) return { entries: entries.with(at, [key, value]), about: key }
    }
    return undefined
  })
}

function keyLeftOut(seed: Seed): ReturnType<Mistake> {
  return inside(seed, 'wrong_type', (entries, attributes) => {
    const found = entries.find(([key]) => attributes.get(key)?.optional === false)
    return found && { entries: entries.filter((entry) => entry !== found), about: found[0] }
  })
}

function wrongOutput({ block, summary, pick }: Seed): ReturnType<Mistake> {
  const names = summary.outputs.map(({ name }) => name)
  const places = names.flatMap((right) => {
    const read = swapped(right)
    return read === undefined || names.includes(read) ? [] : [{ right, read }]
  })
  const place = pick(places)
  return place && { block, code: 'unknown_output', about: `"${place.read}"`, ...place }
}

function countAndForEach({ block }: Seed): ReturnType<Mistake> {
  const meta = new Map([
    ...(block.meta ?? []),
    ['count', block.line] as const,
    ['for_each', block.line] as const,
  ])
  return { block: { ...block, meta }, code: 'count_and_for_each', about: 'for_each', right: undefined }
}

function versionNotTaken({ block }: Seed): ReturnType<Mistake> {
  const meta = new Map([...(block.meta ?? []), ['version', block.line] as const])
  const now = { ...block, meta, version: '1.0.0' }
  return { block: now, code: 'version_not_taken', about: 'version', right: undefined }
}

function inside(seed: Seed, code: CheckCode, spoil: Spoil): ReturnType<Mistake> {
  const places = declared(seed).flatMap(({ input, type }) => {
    const spoiled = spoiledValue(opened(input.value), type, spoil)
    return spoiled === undefined ? [] : [{ input, spoiled }]
  })
  const place = seed.pick(places)
  if (place === undefined) return undefined
  const { value, about, right } = place.spoiled
  const block = withInput(seed.block, place.input.name, { ...place.input, value })
  return { block, code, about, right }
}

interface Spoiled {
  readonly value: GivenValue
  readonly about: string
  readonly right: string | undefined
}

/** The value with the first object spoiled that can be; undefined where none can. */
function spoiledValue(value: GivenValue, type: TypeConstraint, spoil: Spoil): Spoiled | undefined {
  if (value.kind === 'list' && (type.kind === 'list' || type.kind === 'set')) {
    return firstSpoiled(value.items, type.of, spoil, (at, now) => ({
      ...value,
      items: value.items.with(at, now),
    }))
  }
  if (value.kind !== 'object') return undefined
  const put = (at: number, now: GivenValue): GivenValue => {
    const key = value.entries[at]?.[0] ?? ''
    return { ...value, entries: value.entries.with(at, [key, now]) }
  }
  if (type.kind === 'map') {
    return firstSpoiled(
      value.entries.map(([, inner]) => inner),
      type.of,
      spoil,
      put,
    )
  }
  if (type.kind !== 'object') return undefined
  const here = spoil(value.entries, type.attributes)
  if (here !== undefined)
    return { value: { ...value, entries: here.entries }, about: here.about, right: here.right }
  for (const [at, [key, inner]] of value.entries.entries()) {
    const attribute = type.attributes.get(key)
    const found = attribute && spoiledValue(inner, attribute.type, spoil)
    if (found) return { ...found, value: put(at, found.value) }
  }
  return undefined
}

function firstSpoiled(
  items: readonly GivenValue[],
  type: TypeConstraint,
  spoil: Spoil,
  put: (at: number, now: GivenValue) => GivenValue,
): Spoiled | undefined {
  for (const [at, item] of items.entries()) {
    const found = spoiledValue(item, type, spoil)
    if (found) return { ...found, value: put(at, found.value) }
  }
  return undefined
}

/** A literal list or object as a list or object of literals. */
function opened(value: GivenValue): GivenValue {
  if (value.kind === 'list') return { ...value, items: value.items.map(opened) }
  if (value.kind === 'object')
    return { ...value, entries: value.entries.map(([key, inner]) => [key, opened(inner)]) }
  if (value.kind !== 'literal' || value.value === null || typeof value.value !== 'object') return value
  const literal = (inner: unknown): GivenValue =>
    opened({ kind: 'literal', value: inner as typeof value.value })
  if (Array.isArray(value.value)) return { kind: 'list', items: value.value.map(literal) }
  return { kind: 'object', entries: Object.entries(value.value).map(([key, inner]) => [key, literal(inner)]) }
}
