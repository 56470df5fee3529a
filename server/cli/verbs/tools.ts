import * as z from 'zod'
import { clientFacts, clientNames } from '../../client-facts.ts'
import type { RunningHost } from '../../host.ts'
import { didYouMean, nearest } from '../../platform/nearest.ts'
import { priceOf, type ToolPrice, tokensOf } from '../../tool-prices.ts'
import { defineHostVerb } from '../host-verb.ts'
import { refusals } from '../refusals.ts'
import { printDocument, printText } from '../render.ts'
import type { ListedCatalog } from '../world.ts'
import { commaList, settingsOf } from './settings.ts'

const input = z.object({
  profile: z.enum(['core', 'standard', 'full']).optional().describe('the profile to price'),
  client: z.string().optional().describe('a client whose ceilings are checked, as claude-code'),
  tools: z.string().optional().describe('further tools to list, separated by commas'),
  exclude: z.string().optional().describe('tools not to list, separated by commas'),
  read_only: z.boolean().default(false).describe('list only tools that change nothing'),
})

/** `satchel tools`: prints the tools that a client lists and their size in tokens. */
export const toolsVerb = defineHostVerb({
  path: ['tools'],
  summary: 'list the tools and what each costs a model',
  description: [
    'Lists the tools that an MCP client gets, with the size of each in tokens (bytes / 4 of name, title, description and',
    'input schema; output schemas beside it). With --client, also what exceeds the ceilings of that client.',
  ].join(' '),
  input,
  examples: ['satchel tools --profile core --client cursor'],
  async run({ doors, line, terminal }, flags) {
    const client = flags.client === undefined ? undefined : factsOf(flags.client)
    const config = await doors.loadConfig(
      line,
      settingsOf({
        'tools.profile': flags.profile,
        'tools.include': commaList(flags.tools),
        'tools.exclude': commaList(flags.exclude),
        'tools.read_only': flags.read_only ? true : undefined,
      }),
    )
    const host = await doors.setUpHost({ kind: 'served' }, config, line)
    try {
      const catalog = await doors.catalog(host)
      const bill = billOf(catalog, host)
      const warnings = client ? ceilingsHit(client, bill.tools, catalog.instructions) : []
      if (terminal.json) {
        const { profile } = config.tools
        printDocument(terminal, { profile, ...bill, ...(client && { client: client.client, warnings }) })
      } else {
        printText(terminal, table(bill))
        for (const warning of warnings) terminal.note(warning)
      }
      return warnings.length > 0 ? 3 : 0
    } finally {
      await host.stop()
    }
  },
})

interface OwnedPrice extends ToolPrice {
  readonly plugin: string
  readonly profile: string
}

/** The size in tokens of the texts that a model reads. */
interface Bill {
  readonly tools: readonly OwnedPrice[]
  readonly total_tokens: number
  readonly prompts: readonly { readonly name: string; readonly tokens: number }[]
  readonly instructions_tokens: number
}

function billOf({ tools, prompts, instructions }: ListedCatalog, host: RunningHost): Bill {
  const priced = tools.map((one) => withOwner(priceOf(one), host))
  return {
    tools: priced,
    total_tokens: priced.reduce((sum, { tokens }) => sum + tokens, 0),
    prompts: prompts.map((prompt) => ({ name: String(prompt['name']), tokens: tokensOf(prompt) })),
    instructions_tokens: tokensOf(instructions),
  }
}

function withOwner(price: ToolPrice, host: RunningHost): OwnedPrice {
  const owned = host.registry.tool(price.name)
  return { ...price, plugin: owned?.plugin ?? '', profile: owned?.tool.profile ?? '' }
}

type Client = ReturnType<typeof clientFacts>

function factsOf(name: string): NonNullable<Client> {
  const facts = clientFacts(name)
  if (facts) return facts
  const near = nearest(name, clientNames())
  throw refusals.unknown_client({ client: name, hint: didYouMean(near, clientNames()) })
}

function ceilingsHit(
  { client, limits }: NonNullable<Client>,
  tools: readonly OwnedPrice[],
  instructions: string,
): string[] {
  const over = (value: number, limit: number | undefined, sentence: string): string[] =>
    limit !== undefined && value > limit ? [`${sentence}: ${value}, ${client} takes ${limit}`] : []
  return [
    ...tools.flatMap(({ name, description_chars: chars }) => [
      ...over(chars, limits.description_chars, `${name}: characters of the description`),
      ...over(
        `mcp__satchel__${name}`.length,
        limits.qualified_name_chars,
        `${name}: characters of server and tool name`,
      ),
    ]),
    ...over(instructions.length, limits.instructions_chars, 'characters of the instructions'),
    ...over(tools.length, limits.tools, 'tools'),
  ]
}

function table({ tools, total_tokens: total, prompts, instructions_tokens: instructions }: Bill): string {
  const width = Math.max(12, ...tools.map(({ name }) => name.length))
  const row = (name: string, profile: string, tokens: string, output: string): string =>
    `${name.padEnd(width)}  ${profile.padEnd(8)}  ${tokens.padStart(6)}  ${output.padStart(6)}`.trimEnd()
  const prompting = prompts.reduce((sum, { tokens }) => sum + tokens, 0)
  return [
    row('tool', 'profile', 'tokens', 'output'),
    ...tools.map((price) =>
      row(price.name, price.profile, String(price.tokens), String(price.output_tokens)),
    ),
    row(`${tools.length} tools`, '', String(total), ''),
    row(`${prompts.length} prompts`, '', String(prompting), ''),
    row('instructions', '', String(instructions), ''),
  ].join('\n')
}
