/** Arguments against the `validation` rules of an input. */
import { plainLine } from './hcl-text.ts'
import { parseRule } from './rule-syntax.ts'
import { evaluateRule, type RuleInput } from './rule-value.ts'
import type { Variable } from './summary.ts'

/**
 * A message for each rule that a value certainly breaks: its condition is false for every value of the unknown parts. A rule
 * that is not understood gives none.
 */
export function brokenRules(
  { name, validations = [] }: Pick<Variable, 'name' | 'validations'>,
  given: Pick<RuleInput, 'type' | 'value'>,
): readonly string[] {
  if (given.value.kind === 'expression') return []
  if (given.value.kind === 'literal' && given.value.value === null) return []
  const broken = validations.filter(({ condition }) => {
    const rule = parseRule(condition)
    return rule !== undefined && evaluateRule(rule, { ...given, name }) === false
  })
  return broken.map(({ condition, error_message }) => {
    const said = plainLine(error_message) || plainLine(condition)
    return `The value of "${plainLine(name)}" breaks a rule of the module: ${said}`
  })
}
