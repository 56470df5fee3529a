import type { ClientFacts } from '../client-facts.ts'
import type { Tool } from '../contract/tool.ts'
import { cleanText } from '../platform/untrusted.ts'
import { priceOf } from '../tool-prices.ts'
import { inputSchemaProblems, outputSchemaProblems } from './schema-rules.ts'

/** A violation of a rule by a tool. */
export interface ToolFinding {
  readonly rule:
    | 'name'
    | 'text'
    | 'hints'
    | 'schema'
    | 'budget'
    | 'hidden_text'
    | 'client'
    | 'example'
    | 'licence'
    | 'flag'
  /** Empty: the package as a whole. */
  readonly tool: string
  readonly detail: string
}

type Rule = ToolFinding['rule']

const NAME = /^[a-z0-9_]{1,48}$/ // surface, section 7
const DESCRIPTION_MAX_CHARS = 1000 // surface, section 7
const TOOL_MAX_TOKENS = 700 // quality, section 2
const MEAN_MAX_TOKENS = 220 // quality, section 2

/** Instructions that a model must not take from a description (quality, section 4 "tool poisoning"). */
const ORDERS: readonly RegExp[] = [
  /\b(ignore|disregard|forget)\b.{0,30}\b(previous|prior|above|other|all)\b/i,
  /\b(do not|don't|never)\b.{0,20}\b(tell|mention|inform|reveal|show)\b.{0,20}\b(user|human|person)\b/i,
  /\b(before|instead of)\b.{0,20}\b(any|every|all) other tools?\b/i,
  /\b(you must|always) (first )?(call|use|run|read|send)\b/i,
  /<\/?(important|system|instructions?|secret)>/i,
  /\bsystem prompt\b/i,
  /\b(id_rsa|\.ssh|\.env|api[ _-]?keys?|passwords?)\b.{0,60}\b(send|pass|include|attach)\b/i,
]

/** Finds problems for clients, models and reviewers in the declaration of one tool; `descriptor` comes from `tools/list`. */
export function toolFindings(
  tool: Tool,
  descriptor: Readonly<Record<string, unknown>>,
  clients: readonly ClientFacts[],
): readonly ToolFinding[] {
  const found: readonly (readonly [Rule, readonly string[]])[] = [
    ['name', NAME.test(tool.name) ? [] : ['the name must be 1 to 48 of a-z, 0-9 and _']],
    ['text', textProblems(tool)],
    ['hints', hintProblems(tool)],
    ['schema', schemaProblems(descriptor)],
    ['budget', budgetProblems(descriptor)],
    ['hidden_text', hiddenText(tool, descriptor)],
    ['client', clients.flatMap((client) => clientProblems(tool, client))],
  ]
  return found.flatMap(([rule, details]) => details.map((detail) => ({ rule, tool: tool.name, detail })))
}

/** Checks the mean size of all tools of a plugin. */
export function meanFinding(
  descriptors: readonly Readonly<Record<string, unknown>>[],
): readonly ToolFinding[] {
  const tokens = descriptors.reduce((sum, descriptor) => sum + priceOf(descriptor).tokens, 0)
  const mean = Math.round(tokens / Math.max(1, descriptors.length))
  if (mean <= MEAN_MAX_TOKENS) return []
  return [
    {
      rule: 'budget',
      tool: '',
      detail: `a tool costs ${mean} tokens on average, the budget is ${MEAN_MAX_TOKENS}`,
    },
  ]
}

function textProblems({ title, description }: Tool): string[] {
  return [
    ...(title.trim() === '' ? ['it has no title'] : []),
    ...(description.trim() === '' ? ['it has no description'] : []),
    ...(description.length > DESCRIPTION_MAX_CHARS
      ? [`the description has ${description.length} characters, the limit is ${DESCRIPTION_MAX_CHARS}`]
      : []),
  ]
}

function hintProblems({ annotations, http }: Tool): string[] {
  const hints = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const
  const missing = hints.filter((hint) => typeof annotations?.[hint] !== 'boolean')
  if (missing.length > 0) return missing.map((hint) => `the hint ${hint} is not stated`)
  const isGet = [http ?? []].flat().some(({ method }) => method === 'GET')
  return [
    ...(annotations.readOnly && annotations.destructive ? ['it is readOnly and destructive'] : []),
    ...(isGet && !annotations.readOnly ? ['it answers GET but is not readOnly'] : []),
  ]
}

function schemaProblems({ inputSchema, outputSchema }: Readonly<Record<string, unknown>>): string[] {
  return [...inputSchemaProblems(Object(inputSchema)), ...outputSchemaProblems(Object(outputSchema))]
}

function budgetProblems(descriptor: Readonly<Record<string, unknown>>): string[] {
  const { tokens } = priceOf(descriptor)
  return tokens > TOOL_MAX_TOKENS ? [`it costs ${tokens} tokens, the budget is ${TOOL_MAX_TOKENS}`] : []
}

function hiddenText(tool: Tool, descriptor: Readonly<Record<string, unknown>>): string[] {
  const texts = [tool.title, ...textsIn(descriptor)]
  const hidden = texts.some((text) => cleanText(text) !== text)
  const ordered = texts.flatMap((text) => ORDERS.flatMap((pattern) => pattern.exec(text)?.[0] ?? []))
  return [
    ...(hidden ? ['a text holds characters or comments that a reader cannot see'] : []),
    ...[...new Set(ordered)].map((words) => `a text gives the model orders: ${JSON.stringify(words)}`),
  ]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function clientProblems({ name, description }: Tool, { client, limits }: ClientFacts): string[] {
  const qualified = `mcp__satchel__${name}`.length
  return [
    ...(limits.description_chars !== undefined && description.length > limits.description_chars
      ? [`${client} cuts the description at ${limits.description_chars} characters`]
      : []),
    ...(limits.qualified_name_chars !== undefined && qualified > limits.qualified_name_chars
      ? [
          `${client} takes ${limits.qualified_name_chars} characters of server and tool name, this has ${qualified}`,
        ]
      : []),
  ]
}
