import { cleanText } from '../../../server/plugin.ts'
import type { ModuleSummary, Output, Variable } from '../domain/summary.ts'

/** About 4,000 tokens (modules design 7), leaving room for the text around the rows. */
const BUDGET_CHARS = 13_000
const MAX_TYPE_CHARS = 120
const MAX_DESCRIPTION_CHARS = 160
const MAX_DEFAULT_CHARS = 120

/** A part of a compact view. */
export interface CompactPage {
  readonly module: Record<string, unknown>
  /** Where the next page begins; absent: this was all. */
  readonly nextRow?: number
}

interface Row {
  readonly list: 'variables' | 'outputs'
  readonly value: Record<string, unknown>
}

/**
 * What a caller needs to use a module, in pages of about 4,000 tokens: required inputs first, long texts cut, no
 * README. The first page has the head; `fromRow` counts inputs and outputs already given.
 */
export function compactPage(summary: ModuleSummary, fromRow: number): CompactPage {
  const rows = rowsOf(summary)
  const head = fromRow === 0 ? headOf(summary) : {}
  let left = BUDGET_CHARS - JSON.stringify(head).length
  let to = fromRow
  for (const row of rows.slice(fromRow)) {
    left -= JSON.stringify(row.value).length
    if (left < 0 && to > fromRow) break
    to++
  }
  const shown = rows.slice(fromRow, to)
  const list = (name: Row['list']) => shown.filter((row) => row.list === name).map(({ value }) => value)
  const module = { ...head, variables: list('variables'), outputs: list('outputs') }
  return to < rows.length ? { module, nextRow: to } : { module }
}

function headOf(summary: ModuleSummary): Record<string, unknown> {
  return {
    description: summary.description,
    required_version: summary.required_version,
    licence: summary.licence,
    providers: summary.providers.map(({ name, source, version, configuration_aliases }) => ({
      name,
      source,
      version,
      ...(configuration_aliases && { configuration_aliases }),
    })),
    modules: summary.modules.slice(0, 40).map(({ name, source, version }) => ({ name, source, version })),
    resource_types: countedTypes(summary).slice(0, 60),
    problems: summary.diagnostics.length,
  }
}

/** `aws_subnet (4)`, most first. */
function countedTypes(summary: ModuleSummary): string[] {
  const counted = new Map<string, number>()
  for (const { type } of summary.resources) counted.set(type, (counted.get(type) ?? 0) + 1)
  return [...counted]
    .sort((a, b) => b[1] - a[1])
    .map(([type, count]) => (count === 1 ? type : `${type} (${count})`))
}

function rowsOf(summary: ModuleSummary): Row[] {
  const inputs = [...summary.variables].sort((a, b) => Number(b.required) - Number(a.required))
  return [
    ...inputs.map((input): Row => ({ list: 'variables', value: compactVariable(input) })),
    ...summary.outputs.map((output): Row => ({ list: 'outputs', value: compactOutput(output) })),
  ]
}

function compactVariable(variable: Variable): Record<string, unknown> {
  const stated = JSON.stringify(variable.default)
  const { name, required, sensitive, nullable, deprecated, default_expression } = variable
  return {
    name,
    type: cut(variable.type, MAX_TYPE_CHARS),
    required,
    ...(variable.description !== '' && { description: cut(variable.description, MAX_DESCRIPTION_CHARS) }),
    ...(!required &&
      (stated.length > MAX_DEFAULT_CHARS ? { default_cut: true } : { default: variable.default })),
    ...(default_expression && { default_expression }),
    ...(sensitive === true && { sensitive }),
    ...(nullable === false && { nullable }),
    ...(deprecated !== undefined && { deprecated: cut(deprecated, MAX_DESCRIPTION_CHARS) }),
  }
}

function compactOutput({ name, description, sensitive }: Output): Record<string, unknown> {
  return {
    name,
    ...(description !== '' && { description: cut(description, MAX_DESCRIPTION_CHARS) }),
    ...(sensitive && { sensitive }),
  }
}

/** One line of text others wrote, without what a reader cannot see. */
function cut(text: string, chars: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim()
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`
}
