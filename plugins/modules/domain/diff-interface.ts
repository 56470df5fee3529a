/** What two summaries of a module show to have changed. */
import { type Change, change } from './change.ts'
import { requirementChanges } from './diff-requirements.ts'
import { plainLine } from './hcl-text.ts'
import { match, type Named, spaceless } from './named-pairs.ts'
import { computesOnly, isStateOnly } from './state-only.ts'
import type { ModuleSummary, Output, Variable } from './summary.ts'
import { compareTypes, type TypeDifference } from './type-change.ts'
import { parseType, type TypeConstraint } from './type-constraint.ts'

/** The changes that two summaries show, in no particular order. */
export function interfaceChanges(
  before: ModuleSummary,
  after: ModuleSummary,
  forgotten: ReadonlySet<string>,
): Change[] {
  return [
    ...inputChanges(before, after),
    ...outputChanges(before, after),
    ...addressChanges(before, after, forgotten),
    ...requirementChanges(before, after),
    ...textChanges(before, after),
  ]
}

function inputChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const { removed, added, kept } = match(before.variables, after.variables)
  return [
    ...removed.map(({ name }) => change('breaking', 'input_removed', name, `The input ${name} was removed.`)),
    ...added.map(({ name, required }) =>
      required
        ? change('breaking', 'required_input_added', name, `The required input ${name} is new.`)
        : change('minor', 'optional_input_added', name, `The optional input ${name} is new.`),
    ),
    ...kept.flatMap(([old, now]) => inputChange(old, now)),
  ]
}

function inputChange(old: Variable, now: Variable): Change[] {
  const { name } = now
  const changes = [...typeChange(old, now)]
  if (!old.required && now.required) {
    changes.push(change('breaking', 'input_became_required', name, `The input ${name} lost its default.`))
  }
  changes.push(...nullChange(old, now))
  if (!now.required && (old.required || defaultOf(old) !== defaultOf(now))) {
    changes.push(
      change('minor', 'default_changed', name, `The default of ${name} changed${defaults(old, now)}.`),
    )
  }
  const conditions = new Set(old.validations?.map(({ condition }) => spaceless(condition)))
  if (now.validations?.some(({ condition }) => !conditions.has(spaceless(condition)))) {
    changes.push(change('minor', 'validation_added', name, `The input ${name} has a new validation.`))
  }
  return [...changes, ...deprecation('input', old, now), ...description('input', old, now)]
}

/** With a default, null to an input that is not nullable means that default (hashicorp/terraform#29832). */
function nullChange(old: Variable, now: Variable): Change[] {
  const { name } = now
  if ((old.nullable ?? true) === (now.nullable ?? true)) return []
  if (now.nullable !== false)
    return [change('minor', 'input_nullable', name, `The input ${name} now takes null.`)]
  return now.required
    ? [change('breaking', 'input_not_nullable', name, `The input ${name} no longer takes null.`)]
    : [change('minor', 'input_null_is_default', name, `The input ${name} now takes null as its default.`)]
}

const TYPE_CODES = {
  narrowed: ['breaking', 'type_changed'],
  stated: ['review', 'type_stated'],
  widened: ['minor', 'type_widened'],
} as const
const SHOWN_PATHS = 5

function typeChange(old: Variable, now: Variable): Change[] {
  const type = parseType(now.type)
  const found = compareTypes(parseType(old.type), type, now.name).map((one) => byDefault(one, old, type))
  return (['narrowed', 'stated', 'widened'] as const).flatMap((effect) => {
    const all = found.filter((one) => one.effect === effect)
    if (all.length === 0) return []
    const shown = all.slice(0, SHOWN_PATHS).map(({ path, what }) => `${plainLine(path)} ${what}`)
    const more = all.length > shown.length ? [`and ${all.length - shown.length} more differences`] : []
    const [rank, code] = TYPE_CODES[effect]
    return [change(rank, code, now.name, `The type of ${now.name}: ${[...shown, ...more].join('; ')}.`)]
  })
}

/** A text that the module itself gave, such as `auto`, tells that others than numbers and flags were meant. */
function byDefault(
  one: TypeDifference,
  { name, default: given }: Variable,
  type: TypeConstraint,
): TypeDifference {
  if (one.effect !== 'stated' || one.path !== name || typeof given !== 'string') return one
  return isParsed(given, type) ? one : { ...one, effect: 'narrowed' }
}

/** Whether Terraform converts a text to a value of the type. */
function isParsed(text: string, { kind }: TypeConstraint): boolean {
  if (kind === 'bool') return /^(?:true|false|0|1)$/.test(text)
  return kind !== 'number' || /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
}

function defaultOf(variable: Variable): string {
  return JSON.stringify([variable.default, variable.default_expression ?? false])
}

const SHOWN_DEFAULT_CHARS = 60

/** Both defaults where they are short. */
function defaults(old: Variable, now: Variable): string {
  const [was, is] = [old, now].map((one) => plainLine(one.required ? 'none' : JSON.stringify(one.default)))
  return was && is && was !== is && Math.max(was.length, is.length) <= SHOWN_DEFAULT_CHARS
    ? ` from ${was} to ${is}`
    : ''
}

interface Described extends Named {
  readonly description: string
  readonly deprecated?: string
}

function deprecation(kind: string, old: Described, now: Described): Change[] {
  if (now.deprecated === undefined || old.deprecated !== undefined) return []
  return [change('minor', `${kind}_deprecated`, now.name, `The ${kind} ${now.name} is deprecated.`)]
}

function description(kind: string, old: Described, now: Described): Change[] {
  if (old.description === now.description) return []
  return [
    change('patch', 'description_changed', now.name, `The description of the ${kind} ${now.name} changed.`),
  ]
}

function outputChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const { removed, added, kept } = match(before.outputs, after.outputs)
  return [
    ...removed.map(({ name }) =>
      change('breaking', 'output_removed', name, `The output ${name} was removed.`),
    ),
    ...added.map(({ name }) => change('minor', 'output_added', name, `The output ${name} is new.`)),
    ...kept.flatMap(([old, now]) => outputChange(old, now)),
  ]
}

function outputChange(old: Output, now: Output): Change[] {
  const changes = [...deprecation('output', old, now), ...description('output', old, now)]
  if (!old.sensitive && now.sensitive) {
    changes.push(
      change('breaking', 'output_became_sensitive', now.name, `The output ${now.name} is now sensitive.`),
    )
  }
  if (old.sensitive && !now.sensitive) {
    changes.push(
      change('patch', 'output_not_sensitive', now.name, `The output ${now.name} is no longer sensitive.`),
    )
  }
  return changes
}

/** Resources and nested modules that were removed without a `moved` block would be destroyed. */
function addressChanges(
  before: ModuleSummary,
  after: ModuleSummary,
  forgotten: ReadonlySet<string>,
): Change[] {
  const moved = new Set(after.moved.map(({ from }) => from.replace(/\[[^\]]*\]/g, '')))
  const resources = match(before.resources.map(addressed), after.resources.map(addressed))
  const modules = match(before.modules, after.modules)
  const lost = [
    ...resources.removed.map(({ name }) => name),
    ...modules.removed.map(({ name }) => `module.${name}`),
  ].filter((address) => !moved.has(address))
  return [
    ...lost.map((address) => addressGone(address, isEmpty(address, before), forgotten)),
    ...resources.added.map(({ name }) =>
      change('minor', 'resource_added', name, `The resource ${name} is new.`),
    ),
    ...modules.added.map(({ name }) =>
      change('minor', 'module_added', name, `The nested module ${name} is new.`),
    ),
  ]
}

/** The change of an address that was removed; `isEmpty`: nothing outside the state would be destroyed. */
export function addressGone(address: string, isEmpty: boolean, forgotten: ReadonlySet<string>): Change {
  const shown = plainLine(address)
  if (forgotten.has(address)) {
    const message = `${shown} was removed; a removed block drops it from the state and destroys nothing.`
    return change('review', 'address_gone', address, message)
  }
  const message = `${shown} was removed and no moved block says where to.`
  return change(isEmpty ? 'minor' : 'breaking', 'address_gone', address, message)
}

/** Whether what is at an address has nothing outside the state that its removal would destroy. */
function isEmpty(address: string, { modules }: ModuleSummary): boolean {
  const call = modules.find(({ name }) => `module.${name}` === address)
  return call === undefined ? isStateOnly(address) : computesOnly(call.source)
}

function addressed({ type, name }: { readonly type: string; readonly name: string }): Named {
  return { name: `${type}.${name}` }
}

function textChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const changes: Change[] = []
  if (before.description !== after.description) {
    changes.push(change('patch', 'description_changed', 'module', 'The description of the module changed.'))
  }
  if (before.readme_content !== after.readme_content) {
    changes.push(change('patch', 'readme_changed', 'module', 'The README changed.'))
  }
  for (const kind of ['variables', 'outputs'] as const) {
    const { kept } = match<Named>(before[kind], after[kind])
    const now = kept.map(([, entry]) => entry.name)
    const old = before[kind].map(({ name }) => name).filter((name) => now.includes(name))
    if (old.join('\n') !== now.join('\n')) {
      changes.push(change('patch', 'order_changed', kind, `The ${kind} are in another order.`))
    }
  }
  return changes
}
