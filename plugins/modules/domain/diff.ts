/** What changed for the users of a module between two of its refs. */
import { compareVersions, floorOf } from './constraint.ts'
import { plainLine } from './hcl-text.ts'
import type { ModuleSummary, Output, ProviderRequirement, Variable } from './summary.ts'
import { compareTypes, parseType } from './type-constraint.ts'

/** From worst to best; the semver part that each requires to be raised. design modules 6 */
export const CHANGE_CLASSES = ['breaking', 'minor', 'patch'] as const
export type ChangeClass = (typeof CHANGE_CLASSES)[number]

/** One change. `subject` is the name or address it is about. */
export interface Change {
  readonly class: ChangeClass
  readonly code: string
  readonly subject: string
  readonly message: string
}

/** The changes from worst to least, and the worst class as verdict (`none` without changes). */
export interface ModuleDiff {
  readonly verdict: ChangeClass | 'none'
  readonly changes: readonly Change[]
}

/** Compares two summaries of one module; pure. */
export function diffModules(before: ModuleSummary, after: ModuleSummary): ModuleDiff {
  const changes = [
    ...inputChanges(before, after),
    ...outputChanges(before, after),
    ...addressChanges(before, after),
    ...providerChanges(before, after),
    ...versionChanges(before, after),
    ...textChanges(before, after),
  ]
  const ordered = CHANGE_CLASSES.flatMap((rank) => changes.filter((change) => change.class === rank))
  return { verdict: ordered[0]?.class ?? 'none', changes: ordered }
}

function change(rank: ChangeClass, code: string, subject: string, message: string): Change {
  return { class: rank, code, subject, message }
}

interface Named {
  readonly name: string
}

/** Removed names, added names, and the remaining ones as pairs, in the order of the lists. */
function match<T extends Named>(before: readonly T[], after: readonly T[]) {
  const old = firstOfEach(before)
  const now = firstOfEach(after)
  return {
    removed: [...old.values()].filter(({ name }) => !now.has(name)),
    added: [...now.values()].filter(({ name }) => !old.has(name)),
    kept: [...now.values()].flatMap((entry): [T, T][] => {
      const earlier = old.get(entry.name)
      return earlier === undefined ? [] : [[earlier, entry]]
    }),
  }
}

/** Invalid modules declare a name twice: the first counts, as in summaries. */
function firstOfEach<T extends Named>(entries: readonly T[]): ReadonlyMap<string, T> {
  const first = new Map<string, T>()
  for (const entry of entries) if (!first.has(entry.name)) first.set(entry.name, entry)
  return first
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
  if ((old.nullable ?? true) !== (now.nullable ?? true)) {
    changes.push(
      now.nullable === false
        ? change('breaking', 'input_not_nullable', name, `The input ${name} no longer takes null.`)
        : change('minor', 'input_nullable', name, `The input ${name} now takes null.`),
    )
  }
  if (!now.required && (old.required || defaultOf(old) !== defaultOf(now))) {
    changes.push(change('minor', 'default_changed', name, `The default of ${name} changed.`))
  }
  const conditions = new Set(old.validations?.map(({ condition }) => spaceless(condition)))
  if (now.validations?.some(({ condition }) => !conditions.has(spaceless(condition)))) {
    changes.push(change('minor', 'validation_added', name, `The input ${name} has a new validation.`))
  }
  return [...changes, ...deprecation('input', old, now), ...description('input', old, now)]
}

function typeChange(old: Variable, now: Variable): Change[] {
  const verdict = compareTypes(parseType(old.type), parseType(now.type))
  const what = `${plainLine(old.type)} to ${plainLine(now.type)}`
  if (verdict === 'changed')
    return [change('breaking', 'type_changed', now.name, `The type of ${now.name} changed: ${what}.`)]
  if (verdict === 'same') return []
  return [change('minor', 'type_widened', now.name, `The type of ${now.name} takes more: ${what}.`)]
}

function defaultOf(variable: Variable): string {
  return JSON.stringify([variable.default, variable.default_expression ?? false])
}

function spaceless(text: string): string {
  return text.replace(/\s+/g, '')
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
function addressChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const moved = new Set(after.moved.map(({ from }) => from.replace(/\[[^\]]*\]/g, '')))
  const resources = match(before.resources.map(addressed), after.resources.map(addressed))
  const modules = match(before.modules, after.modules)
  const lost = [
    ...resources.removed.map(({ name }) => name),
    ...modules.removed.map(({ name }) => `module.${name}`),
  ].filter((address) => !moved.has(address))
  return [
    ...lost.map((address) =>
      change('breaking', 'address_gone', address, `${address} was removed and no moved block says where to.`),
    ),
    ...resources.added.map(({ name }) =>
      change('minor', 'resource_added', name, `The resource ${name} is new.`),
    ),
    ...modules.added.map(({ name }) =>
      change('minor', 'module_added', name, `The nested module ${name} is new.`),
    ),
    ...modules.kept.flatMap(([old, now]) =>
      old.source === now.source && old.version === now.version
        ? []
        : [
            change(
              'patch',
              'module_changed',
              now.name,
              `The nested module ${now.name} has another source or version.`,
            ),
          ],
    ),
  ]
}

function addressed({ type, name }: { readonly type: string; readonly name: string }): Named {
  return { name: `${type}.${name}` }
}

function providerChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const { removed, added, kept } = match(before.providers, after.providers)
  return [
    ...removed.map(({ name }) =>
      change('patch', 'provider_removed', name, `The provider ${name} is no longer needed.`),
    ),
    ...added.map(({ name }) => change('minor', 'provider_added', name, `The provider ${name} is new.`)),
    ...kept.flatMap(([old, now]) => providerChange(old, now)),
  ]
}

function providerChange(old: ProviderRequirement, now: ProviderRequirement): Change[] {
  const { name } = now
  if (old.source.toLowerCase() !== now.source.toLowerCase()) {
    return [
      change(
        'breaking',
        'provider_source_changed',
        name,
        `The provider ${name} comes from ${plainLine(now.source)}.`,
      ),
    ]
  }
  if (spaceless(old.version) === spaceless(now.version)) return []
  const raised = (floorOf(now.version)[0] ?? 0) > (floorOf(old.version)[0] ?? 0)
  const what = fromTo(old.version, now.version)
  return raised
    ? [
        change(
          'breaking',
          'provider_major_raised',
          name,
          `The provider ${name} needs a newer major version: ${what}.`,
        ),
      ]
    : [
        change(
          'patch',
          'provider_constraint_changed',
          name,
          `The constraint of the provider ${name} changed: ${what}.`,
        ),
      ]
}

function fromTo(old: string, now: string): string {
  return `${plainLine(old) || 'any version'} to ${plainLine(now) || 'any version'}`
}

function versionChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const [old, now] = [before.required_version ?? '', after.required_version ?? '']
  if (spaceless(old) === spaceless(now)) return []
  const raised = compareVersions(floorOf(now), floorOf(old)) > 0
  const what = fromTo(old, now)
  return raised
    ? [change('breaking', 'required_version_raised', 'terraform', `A newer Terraform is needed: ${what}.`)]
    : [
        change(
          'patch',
          'required_version_changed',
          'terraform',
          `The required Terraform version changed: ${what}.`,
        ),
      ]
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
