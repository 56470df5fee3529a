/** Arguments against the `validation` rules of an input. */
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import { parseExpression } from './parse-expression.ts'
import { evaluateRule, type RuleInput } from './rule-value.ts'
import type { Variable } from './summary.ts'
import { parseType } from './type-constraint.ts'
import { type RuleValue, typedValue } from './typed-value.ts'

/** Rules that are longer or nested deeper than rules commonly are: not evaluated. */
const MAX_CHARS = 8_000
const MAX_DEPTH = 40

/** What a rule says that a value certainly breaks: its condition is false for every value of the unknown parts. */
export function brokenRules(
  { name, validations = [] }: Pick<Variable, 'name' | 'validations'>,
  given: Omit<RuleInput, 'name'>,
): readonly string[] {
  if (given.value.kind === 'expression') return []
  const broken = validations.filter(({ condition }) => {
    const rule = condition.length > MAX_CHARS ? undefined : parseExpression(condition, MAX_DEPTH)
    return rule !== undefined && evaluateRule(rule, { ...given, name }) === false
  })
  return broken.map(({ condition, error_message }) => plainLine(error_message) || plainLine(condition))
}

/** What each input of a module is in a call. The value of an input that is absent, or null where it takes none, is its default. */
export function inputValues(
  variables: readonly Variable[],
  inputs: readonly { readonly name: string; readonly value: GivenValue }[],
): (name: string) => RuleValue {
  const given = new Map(inputs.map(({ name, value }) => [name, value]))
  const declared = new Map(variables.map((variable) => [variable.name, variable]))
  return (name) => {
    const variable = declared.get(name)
    if (variable === undefined) return undefined
    const type = parseType(variable.type)
    const value = given.get(name)
    const typed = value && typedValue(value, type)
    if (value !== undefined && (typed !== null || variable.nullable !== false)) return typed
    return variable.required || variable.default_expression
      ? undefined
      : typedValue({ kind: 'literal', value: variable.default }, type)
  }
}
