import { z } from 'zod'
import { clientFacts, clientNames } from '../../client-facts.ts'
import { SatchelError } from '../../contract/errors.ts'
import type { RunningHost } from '../../host.ts'
import { nearest } from '../../nearest.ts'
import { priceOf, type ToolPrice } from '../../tool-prices.ts'
import { defineHostVerb } from '../host-verb.ts'
import { printDocument, printText } from '../render.ts'
import { commaList, settingsOf } from './settings.ts'

const input = z.object({
  profile: z.enum(['core', 'standard', 'full']).optional().describe('the profile to price'),
  client: z.string().optional().describe('a client whose ceilings are checked, as claude-code'),
  tools: z.string().optional().describe('further tools to list, separated by commas'),
  exclude: z.string().optional().describe('tools not to list, separated by commas'),
  read_only: z.boolean().default(false).describe('list only tools that change nothing'),
})

/** `satchel tools`: what a client lists, and what it costs a model to know it. */
export const toolsVerb = defineHostVerb({
  path: ['tools'],
  summary: 'list the tools and what each costs a model',
  description: [
    'Lists the tools that an MCP client gets, with the size of each in tokens (bytes / 4 of name, title, description and',
    'input schema; output schemas beside it). With --client, also what exceeds the ceilings of that client.',
  ].join(' '),
  input,
  typing: {},
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
    const host = await doors.setUpHost({ kind: 'all' }, config, line)
    try {
      const prices = (await doors.descriptors(host)).map((one) => withOwner(priceOf(one), host))
      const total = prices.reduce((sum, { tokens }) => sum + tokens, 0)
      const warnings = client ? ceilingsHit(client, prices) : []
      if (terminal.json) {
        const { profile } = config.tools
        printDocument(terminal, {
          profile,
          tools: prices,
          total_tokens: total,
          ...(client && { client: client.client, warnings }),
        })
      } else {
        printText(terminal, table(prices, total))
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

function withOwner(price: ToolPrice, host: RunningHost): OwnedPrice {
  const owned = host.registry.tool(price.name)
  return { ...price, plugin: owned?.plugin ?? '', profile: owned?.tool.profile ?? '' }
}

type Client = ReturnType<typeof clientFacts>

function factsOf(name: string): NonNullable<Client> {
  const facts = clientFacts(name)
  if (facts) return facts
  const near = nearest(name, clientNames())
  const hint = near ? ` Did you mean "${near}"?` : ` Known: ${clientNames().join(', ')}.`
  throw new SatchelError(
    'not_found',
    'unknown_client',
    `No facts are kept about the client "${name}".${hint}`,
  )
}

function ceilingsHit(client: NonNullable<Client>, prices: readonly OwnedPrice[]): string[] {
  const { limits } = client
  const tooLong = prices.flatMap(({ name, description_chars: chars }) => {
    const limit = limits.description_chars
    return limit !== undefined && chars > limit
      ? [`${name}: the description has ${chars} characters, ${client.client} cuts at ${limit}`]
      : []
  })
  const named = prices.flatMap(({ name }) => {
    const limit = limits.qualified_name_chars
    const shown = `satchel${name}`.length
    return limit !== undefined && shown > limit
      ? [`${name}: server and tool name have ${shown} characters, ${client.client} takes ${limit}`]
      : []
  })
  const many = limits.tools !== undefined && prices.length > limits.tools
  return [
    ...tooLong,
    ...named,
    ...(many
      ? [`${prices.length} tools, ${client.client} takes ${limits.tools}: use --profile or --exclude`]
      : []),
  ]
}

function table(prices: readonly OwnedPrice[], total: number): string {
  const width = Math.max(5, ...prices.map(({ name }) => name.length))
  const row = (name: string, profile: string, tokens: string, output: string): string =>
    `${name.padEnd(width)}  ${profile.padEnd(8)}  ${tokens.padStart(6)}  ${output.padStart(6)}`
  return [
    row('tool', 'profile', 'tokens', 'output'),
    ...prices.map((price) =>
      row(price.name, price.profile, String(price.tokens), String(price.output_tokens)),
    ),
    row(`${prices.length} tools`, '', String(total), ''),
  ].join('\n')
}
