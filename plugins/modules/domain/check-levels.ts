/** How much each kind of finding matters, and what it says. */
import type { CheckCode } from './check.ts'

/**
 * `error`: Terraform refuses it. `warning`: Terraform takes it, or it could not be compared though it should have been.
 * `note`: what is called is not here to be compared with.
 */
export const CHECK_LEVELS = ['error', 'warning', 'note'] as const
export type CheckLevel = (typeof CHECK_LEVELS)[number]

interface CheckRule {
  readonly level: CheckLevel
  /** One sentence for lists of rules. */
  readonly about: string
}

/** A text that could not be read has findings of its own. */
export type RuleCode = CheckCode | 'unreadable'

/** Every kind of finding. */
export const CHECK_RULES: Readonly<Record<RuleCode, CheckRule>> = {
  unknown_input: { level: 'error', about: 'The module has no input of this name.' },
  unknown_attribute: {
    level: 'warning',
    about: 'The type, or the overridden block, has no such name; Terraform drops it silently.',
  },
  missing_input: { level: 'error', about: 'A required input is missing.' },
  wrong_type: { level: 'error', about: 'The value cannot become the type of the input.' },
  null_not_allowed: { level: 'error', about: 'The input does not take null.' },
  deprecated_input: { level: 'warning', about: 'The input is deprecated.' },
  unknown_ref: { level: 'warning', about: 'The version is not indexed, so the call was not compared.' },
  short_commit: { level: 'warning', about: 'The ref is the start of a commit id.' },
  module_not_indexed: { level: 'note', about: 'No indexed module has this source.' },
  module_missing: { level: 'warning', about: 'The ref has no module in this directory.' },
  ambiguous_source: { level: 'note', about: 'The source fits several repositories.' },
  block_refused: { level: 'error', about: 'Terraform refuses the block as it is written.' },
  source_computed: { level: 'note', about: 'The source or version is an expression.' },
  source_refused: { level: 'error', about: 'Terraform does not know this kind of source.' },
  source_missing: { level: 'error', about: 'The block has no source.' },
  duplicate_name: { level: 'error', about: 'Two module blocks of one directory have one name.' },
  count_and_for_each: { level: 'error', about: 'The block has count and for_each.' },
  version_not_taken: { level: 'error', about: 'Only a registry source takes version.' },
  version_constraint_invalid: { level: 'error', about: 'Terraform cannot read the version constraint.' },
  unknown_output: { level: 'error', about: 'The module has no output of this name.' },
  undeclared_name: { level: 'error', about: 'No file of the directory declares this name.' },
  wrong_index: {
    level: 'error',
    about: 'A block with count or for_each is read without an index, or one without them with one.',
  },
  unknown_provider: { level: 'warning', about: 'The module declares no such provider configuration.' },
  missing_provider: { level: 'error', about: 'A provider configuration that the module wants is missing.' },
  rule_broken: { level: 'error', about: 'A literal breaks a validation rule of the input.' },
  local_module_missing: { level: 'error', about: 'The local directory is not a module.' },
  local_module_outside: { level: 'note', about: 'The local directory is outside of what is read.' },
  module_not_whole: {
    level: 'warning',
    about: 'A file of the module could not be read, or Terraform refuses the module itself.',
  },
  provider_conflict: { level: 'error', about: 'No version of a provider fits all modules that are called.' },
  terraform_conflict: { level: 'error', about: 'No version of Terraform fits all modules that are called.' },
  unreadable: { level: 'error', about: 'The file could not be read as Terraform code.' },
}

/** Whether a finding of this kind matters at least this much. */
export function isAtLeast(code: RuleCode, level: CheckLevel): boolean {
  return CHECK_LEVELS.indexOf(CHECK_RULES[code].level) <= CHECK_LEVELS.indexOf(level)
}
