/** What two versions of a module require of Terraform and its providers. */
import { type Change, change } from './change.ts'
import { compareVersions, floorOf, refusesMore } from './constraint.ts'
import { plainLine } from './hcl-text.ts'
import { isTofuFile } from './module-files.ts'
import { match, spaceless } from './named-pairs.ts'
import { providerAddress } from './providers.ts'
import type { ModuleSummary, ProviderRequirement } from './summary.ts'

/** The changes of providers and of the Terraform version. Which of its files states that version is not known. */
export function requirementChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const tofu = [...before.files, ...after.files].find(isTofuFile)
  return [...providerChanges(before, after), ...forOpenTofu(versionChanges(before, after), tofu)]
}

/** Changes of what a `.tofu` file states: what Terraform reads beside it may have changed in another way. */
function forOpenTofu(changes: readonly Change[], tofu: string | undefined): readonly Change[] {
  if (tofu === undefined) return changes
  const said = `So it is for OpenTofu: Terraform does not read ${plainLine(tofu)}.`
  return changes.map((one) => ({
    ...one,
    ...(one.class === 'patch' && { class: 'review' as const }),
    message: `${one.message} ${said}`,
  }))
}

function providerChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const { removed, added, kept } = match(before.providers, after.providers)
  return [
    ...removed.map(({ name }) =>
      change('patch', 'provider_removed', name, `The provider ${name} is no longer needed.`),
    ),
    ...added.map(({ name }) => change('minor', 'provider_added', name, `The provider ${name} is new.`)),
    ...kept.flatMap(([old, now]) => forOpenTofu(providerChange(old, now), tofuOf([old, now]))),
  ]
}

function tofuOf(stated: readonly ProviderRequirement[]): string | undefined {
  return stated.map(({ position }) => position?.file ?? '').find(isTofuFile)
}

function providerChange(old: ProviderRequirement, now: ProviderRequirement): Change[] {
  const { name } = now
  // A source that is only inferred is a guess, and was never stated.
  if (!old.inferred && !now.inferred && providerAddress(old) !== providerAddress(now)) {
    return [
      change(
        'breaking',
        'provider_source_changed',
        name,
        `The provider ${name} comes from ${plainLine(now.source)}.`,
      ),
    ]
  }
  const known = new Set(old.configuration_aliases)
  const aliases = (now.configuration_aliases ?? []).filter((alias) => !known.has(alias))
  const passed = aliases.map((alias) =>
    change(
      'breaking',
      'provider_alias_added',
      name,
      `The caller has to pass the provider ${plainLine(alias)}.`,
    ),
  )
  return [...passed, ...constraintChange(old, now)]
}

function constraintChange(old: ProviderRequirement, now: ProviderRequirement): Change[] {
  const { name } = now
  if (spaceless(old.version) === spaceless(now.version)) return []
  const what = fromTo(old.version, now.version)
  // Without a constraint it is not known which versions worked before.
  if (old.version === '') {
    const message = `The provider ${name} has a constraint: ${what}.`
    return [change('minor', 'provider_constraint_added', name, message)]
  }
  if ((floorOf(now.version)[0] ?? 0) > (floorOf(old.version)[0] ?? 0)) {
    const message = `The provider ${name} needs a newer major version: ${what}.`
    return [change('breaking', 'provider_major_raised', name, message)]
  }
  const message = `The constraint of the provider ${name} changed: ${what}.`
  // A version that is refused now may be the one that the caller has locked.
  const kind = refusesMore(old.version, now.version) ? 'minor' : 'patch'
  return [change(kind, 'provider_constraint_changed', name, message)]
}

function fromTo(old: string, now: string): string {
  return `${plainLine(old) || 'any version'} to ${plainLine(now) || 'any version'}`
}

function versionChanges(before: ModuleSummary, after: ModuleSummary): Change[] {
  const [old, now] = [before.required_version ?? '', after.required_version ?? '']
  if (spaceless(old) === spaceless(now)) return []
  const raised = compareVersions(floorOf(now), floorOf(old)) > 0
  const what = fromTo(old, now)
  if (old === '') {
    return [
      change('review', 'required_version_added', 'terraform', `A Terraform version is required: ${what}.`),
    ]
  }
  return raised
    ? [change('breaking', 'required_version_raised', 'terraform', `A newer Terraform is needed: ${what}.`)]
    : [
        change(
          refusesMore(old, now) ? 'review' : 'patch',
          'required_version_changed',
          'terraform',
          `The required Terraform version changed: ${what}.`,
        ),
      ]
}
