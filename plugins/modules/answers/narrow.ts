import { cleanText, parsedJson } from '../../../server/plugin.ts'
import { nearInput } from '../domain/near-input.ts'
import type { ModuleSummary, Output, Variable } from '../domain/summary.ts'
import { describeType, parseType } from '../domain/type-constraint.ts'
import { typePaths } from '../domain/type-paths.ts'
import { refusals } from '../reasons.ts'
import { ruleText } from './rule-text.ts'

/** What is asked of a module. */
export interface Asked {
  /** Names of inputs. */
  readonly inputs?: readonly string[] | undefined
  /** Names of outputs. */
  readonly outputs?: readonly string[] | undefined
  /** A text that a name, a path in a value or a description has; absent: all. */
  readonly match?: string | undefined
}

const RULE_CHARS = 600

/** In place of a name: all of them. */
const ALL = '*'

/**
 * Inputs with every place in their values as a row of its own (`rules[].port`), and outputs; of the two what is asked for,
 * with `match` alone both.
 * Errors: `invalid`/`options_invalid` for an input or output that the module does not have.
 */
export function narrowModule(summary: ModuleSummary, asked: Asked): Record<string, unknown> {
  const isBoth = asked.inputs === undefined && asked.outputs === undefined
  const inputs = isBoth ? [ALL] : asked.inputs
  const outputs = isBoth ? [ALL] : asked.outputs
  const isMatching = matching(asked.match)
  return {
    ...(inputs && {
      variables: chosen(summary.variables, inputs, 'input').flatMap(rowsOf).filter(isMatching),
    }),
    ...(outputs && {
      outputs: chosen(summary.outputs, outputs, 'output').map(outputRow).filter(isMatching),
    }),
  }
}

function chosen<T extends Row>(rows: readonly T[], names: readonly string[], what: string): readonly T[] {
  const known = rows.map(({ name }) => name)
  const unknown = names.find((name) => name !== ALL && !known.includes(name))
  if (unknown !== undefined) {
    const near = nearInput(unknown, known)
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    throw refusals.input_unknown({ what, name: JSON.stringify(unknown), hint })
  }
  return names.includes(ALL) ? rows : rows.filter(({ name }) => names.includes(name))
}

interface Row {
  readonly name: string
  readonly description?: string
}

function matching(match: string | undefined): (row: Row) => boolean {
  const wanted = match?.toLowerCase()
  return ({ name, description = '' }) =>
    wanted === undefined || `${name}\n${description}`.toLowerCase().includes(wanted)
}

function rowsOf(variable: Variable): Row[] {
  const { name, type, required, description, default: stated, sensitive, nullable, deprecated } = variable
  const { validations = [] } = variable
  const whole = {
    name,
    type: describeType(parseType(type)),
    required,
    ...(description !== '' && { description: oneLine(description) }),
    ...(!required && { default: stated }),
    ...(variable.default_expression && { default_expression: true }),
    ...(validations.length > 0 && {
      rules: validations.map((rule) => oneLine(ruleText(rule, RULE_CHARS))),
    }),
    ...(sensitive === true && { sensitive }),
    ...(nullable === false && { nullable }),
    ...(deprecated !== undefined && { deprecated: oneLine(deprecated) }),
  }
  const inside = typePaths(name, type).map(({ path, type: text, required: isNeeded, fallback }) => ({
    name: path,
    type: text,
    ...(isNeeded && { required: true }),
    ...(fallback !== undefined && statedDefault(fallback)),
  }))
  return [whole, ...inside]
}

/** A literal as what it is, anything else as its source text. */
function statedDefault(text: string): Record<string, unknown> {
  const value = parsedJson(text)
  return value === undefined
    ? { default: text.replace(/ ?\. ?/g, '.'), default_expression: true }
    : { default: value }
}

function outputRow({ name, description, sensitive }: Output): Row {
  return {
    name,
    ...(description !== '' && { description: oneLine(description) }),
    ...(sensitive && { sensitive }),
  }
}

function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}
