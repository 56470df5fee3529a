import { cleanText } from '../../../server/plugin.ts'
import type { ModuleSummary, Output, Variable } from '../domain/summary.ts'
import { sourceLine } from '../hcl/source-line.ts'
import { ruleText } from './rule-text.ts'

/** Lengths in characters above which a text is cut; those of a required input are whole unless they are far too long. */
const CUT_AT = {
  required: { type: 2000, description: 600 },
  optional: { type: 120, description: 160 },
} as const
const MAX_DEFAULT_CHARS = 400
const RULE_CHARS = 120
const MAX_RULES = 3
const MAX_RESOURCE_TYPES = 60
/** Descriptions of outputs are as long as lets all outputs fit on the first page of an answer, beside the first inputs. */
const OUTPUTS_CHARS = 4_500
const OUTPUT_DESCRIPTION_CHARS = [160, 60, 30] as const

/** The compact view, and whether it holds texts that end with the mark of a cut. */
export interface CompactModule {
  readonly module: Record<string, unknown>
  readonly isCut: boolean
}

/**
 * What a caller needs to use a module: what it gives, then its inputs, the required ones first; no README. A text that
 * is cut ends with `[+N characters]`.
 */
export function compactModule(summary: ModuleSummary): CompactModule {
  let isCut = false
  const cut = (text: string, maxChars: number): string => {
    const line = cleanText(text).replace(/\s+/g, ' ').trim()
    if (line.length <= maxChars) return line
    isCut = true
    const kept = line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')
    return `${kept} [+${line.length - kept.length} characters]`
  }
  const outputs = compactOutputs(summary.outputs, cut)
  if (outputs.some((output, at) => !('description' in output) && summary.outputs[at]?.description))
    isCut = true
  if (summary.variables.some(({ validations = [] }) => validations.length > MAX_RULES)) isCut = true
  const inputs = [...summary.variables].sort((a, b) => Number(b.required) - Number(a.required))
  const types = countedTypes(summary)
  const module = {
    description: cut(summary.description, CUT_AT.required.description),
    required_version: summary.required_version,
    providers: summary.providers.map(({ name, source, version, configuration_aliases }) => ({
      name,
      source,
      version,
      ...(configuration_aliases && { configuration_aliases }),
    })),
    outputs,
    variables: inputs.map((input) => compactVariable(input, cut)),
    modules: summary.modules.map(({ name, source, version }) => ({ name, source, version })),
    licence: summary.licence,
    resource_types: [
      ...types.slice(0, MAX_RESOURCE_TYPES),
      ...(types.length > MAX_RESOURCE_TYPES ? [`[+${types.length - MAX_RESOURCE_TYPES} types]`] : []),
    ],
    problems: summary.diagnostics.length,
  }
  return { module, isCut: isCut || types.length > MAX_RESOURCE_TYPES }
}

/** `aws_subnet (4)`, most first. */
function countedTypes(summary: ModuleSummary): string[] {
  const counted = new Map<string, number>()
  for (const { type } of summary.resources) counted.set(type, (counted.get(type) ?? 0) + 1)
  return [...counted]
    .sort((a, b) => b[1] - a[1])
    .map(([type, count]) => (count === 1 ? type : `${type} (${count})`))
}

type Cut = (text: string, maxChars: number) => string

function compactVariable(variable: Variable, cut: Cut): Record<string, unknown> {
  const stated = JSON.stringify(variable.default)
  const { name, required, sensitive, nullable, deprecated, default_expression } = variable
  const at = required ? CUT_AT.required : CUT_AT.optional
  return {
    name,
    type: cut(sourceLine(variable.type), at.type),
    required,
    ...(variable.description !== '' && { description: cut(variable.description, at.description) }),
    ...(!required &&
      (stated.length > MAX_DEFAULT_CHARS
        ? { default_cut: cut(stated, MAX_DEFAULT_CHARS / 2) }
        : { default: variable.default })),
    ...(default_expression && { default_expression }),
    ...compactRules(variable, cut),
    ...(sensitive === true && { sensitive }),
    ...(nullable === false && { nullable }),
    ...(deprecated !== undefined && { deprecated: cut(deprecated, at.description) }),
  }
}

/** What the validation of an input demands: a model that does not know it learns it from a failing check. */
function compactRules({ validations = [] }: Variable, cut: Cut): { rules?: string[] } {
  if (validations.length === 0) return {}
  const shown = validations.slice(0, MAX_RULES).map((rule) => cut(ruleText(rule, RULE_CHARS), RULE_CHARS))
  const more = validations.length - shown.length
  return { rules: [...shown, ...(more > 0 ? [`[+${more} rules]`] : [])] }
}

/** A description that would be cut very short is left out of every output. */
function compactOutputs(outputs: readonly Output[], cut: Cut): Record<string, unknown>[] {
  const lengthAt = (maxChars: number): number =>
    outputs.reduce(
      (sum, { name, description }) => sum + name.length + Math.min(description.length, maxChars),
      0,
    )
  const maxChars = OUTPUT_DESCRIPTION_CHARS.find((length) => lengthAt(length) <= OUTPUTS_CHARS)
  return outputs.map(({ name, description, sensitive }) => ({
    name,
    ...(description !== '' && maxChars !== undefined && { description: cut(description, maxChars) }),
    ...(sensitive && { sensitive }),
  }))
}
