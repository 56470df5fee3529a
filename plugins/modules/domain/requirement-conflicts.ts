/** Whether some version of each provider, and of Terraform, fits a directory and all modules that it calls. */
import type { CheckFinding, GivenBlock } from './check.ts'
import { admitTogether } from './constraint.ts'
import { plainLine } from './hcl-text.ts'
import { isTofuFile } from './module-files.ts'
import { providerAddress } from './providers.ts'
import type { ModuleSummary } from './summary.ts'

/** One constraint: `subject` is the address of a provider, or `terraform`. */
export interface Requirement {
  readonly subject: string
  readonly constraint: string
  /** Who states it, as a message names it. */
  readonly by: string
  /** Stated in a `.tofu` file, which Terraform does not read. */
  readonly isOfTofu?: true
}

/** What one call needs. */
export interface NeedsOfCall {
  readonly block: GivenBlock
  readonly needs: readonly Requirement[]
}

/** The constraints that a module states itself. Which of its files states the version of Terraform is not known. */
export function requirementsOf(
  { providers, required_version, files }: Pick<ModuleSummary, 'providers' | 'required_version' | 'files'>,
  by: string,
): Requirement[] {
  const stated = providers.filter(({ inferred, version }) => !inferred && version !== '')
  const hasTofu = files.some(isTofuFile)
  const given = (subject: string, constraint: string, isOfTofu: boolean): Requirement => {
    return { subject, constraint, by, ...(isOfTofu && { isOfTofu }) }
  }
  return [
    ...stated.map((one) =>
      given(
        providerAddress(one),
        one.version,
        one.position === undefined ? hasTofu : isTofuFile(one.position.file),
      ),
    ),
    ...(required_version === null ? [] : [given(TERRAFORM, required_version, hasTofu)]),
  ]
}

const TERRAFORM = 'terraform'

/**
 * A finding for the first call whose needs fit no version that all before it admit, and what fits: the needs of the
 * directory for those that call it. Unreadable constraints admit everything.
 */
export function requirementConflicts(
  own: readonly Requirement[],
  calls: readonly NeedsOfCall[],
): {
  readonly findings: readonly { readonly block: GivenBlock; readonly finding: CheckFinding }[]
  readonly needs: readonly Requirement[]
} {
  const taken = new Map<string, Requirement[]>()
  const findings: { block: GivenBlock; finding: CheckFinding }[] = []
  const take = (need: Requirement): readonly Requirement[] | undefined => {
    const earlier = taken.get(need.subject) ?? []
    if (!admitTogether([...earlier, need].map(({ constraint }) => constraint))) return earlier
    taken.set(need.subject, [...earlier, need])
    return undefined
  }
  for (const need of own) take(need)
  for (const { block, needs } of calls) {
    for (const need of needs) {
      const against = take(need)
      if (against !== undefined) findings.push({ block, finding: conflict(block, need, against) })
    }
  }
  return { findings, needs: [...taken.values()].flat() }
}

function conflict(block: GivenBlock, need: Requirement, earlier: readonly Requirement[]): CheckFinding {
  const one = earlier.find(({ constraint }) => !admitTogether([constraint, need.constraint]))
  const others = one === undefined ? earlier : [one]
  const said = others.map(({ constraint, by }) => `${plainLine(constraint)} (${plainLine(by)})`).join(', ')
  const message = `No version of ${plainLine(need.subject)} is ${plainLine(need.constraint)} (${plainLine(need.by)}) and ${said}.`
  const code = need.subject === TERRAFORM ? 'terraform_conflict' : 'provider_conflict'
  return { line: block.line, code, message }
}
