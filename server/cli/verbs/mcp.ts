import { resolve } from 'node:path'
import * as z from 'zod'
import { ANSWER_TOKENS, CHANNEL_SETTINGS } from '../../answer/bounds.ts'
import { BUILTIN_PLUGINS, type McpFlag } from '../../builtin-plugins.ts'
import type { Settings } from '../global-flags.ts'
import { defineHostVerb } from '../host-verb.ts'
import { commaList, completersOf, settingsOf, TRUST_PROXY } from './settings.ts'

const PLUGIN_FLAGS = BUILTIN_PLUGINS.flatMap(({ mcpFlags = [] }) => mcpFlags)

const input = z.object({
  transport: z
    .enum(['streamable-http', 'sse'])
    .optional()
    .describe('serve over HTTP instead of standard input and output'),
  host: z.string().optional().describe('address to listen at (default 127.0.0.1)'),
  port: z.int().min(0).max(65535).optional().describe('port to listen at; 0 takes a free one'),
  trust_proxy: TRUST_PROXY,
  ...Object.fromEntries(PLUGIN_FLAGS.map((flag) => [flag.name, fieldOf(flag)])),
  profile: z.enum(['core', 'standard', 'full']).optional().describe('how many tools are listed'),
  tools: z.string().optional().describe('further tools to list, separated by commas'),
  exclude: z.string().optional().describe('tools not to list, separated by commas'),
  answer_channel: z
    .enum(CHANNEL_SETTINGS)
    .optional()
    .describe('what the model gets of an answer; auto decides by the name of the client'),
  answer_tokens: z
    .int()
    .min(ANSWER_TOKENS.min)
    .max(ANSWER_TOKENS.max)
    .optional()
    .describe(`longest answer in tokens (default ${ANSWER_TOKENS.default})`),
  read_only: z.boolean().default(false).describe('list only tools that change nothing'),
})

/** `satchel mcp`: serves MCP over stdio unless `--transport` names another transport. */
export const mcpVerb = defineHostVerb({
  path: ['mcp'],
  summary: 'serve MCP over stdio or HTTP',
  description: [
    'Serves MCP to one client over standard input and output until the client closes its end,',
    'or over HTTP with --transport (at 127.0.0.1 unless --host names another address).',
  ].join(' '),
  input,
  typing: { completes: completersOf(PLUGIN_FLAGS) },
  examples: ['satchel mcp --profile core', 'satchel mcp --transport streamable-http --port 8000'],
  async run(world, flags) {
    const settings: Settings = settingsOf({
      'http.host': flags.host,
      'http.port': flags.port,
      'http.trust_proxy': commaList(flags.trust_proxy),
      'tools.profile': flags.profile,
      'tools.include': commaList(flags.tools),
      'tools.exclude': commaList(flags.exclude),
      'tools.answer_channel': flags.answer_channel,
      'tools.answer_tokens': flags.answer_tokens,
      'tools.read_only': flags.read_only ? true : undefined,
      ...pluginSettings(flags, world.io.cwd),
    })
    if (flags.transport === undefined) {
      if (world.terminal.stdinIsTty)
        world.terminal.note('waiting for MCP messages, one JSON document a line; Ctrl-D ends')
      return world.doors.serveStdio(world, settings)
    }
    return world.doors.serveHttp(world, {
      surface: flags.transport,
      flags: settings,
      defaults: { 'http.host': '127.0.0.1' },
    })
  },
})

function fieldOf({ summary, choices }: McpFlag) {
  return (choices ? z.enum([...choices]) : z.string()).optional().describe(summary)
}

/** Resolves a typed path against the working directory; a path in the configuration file is relative to the project root. */
function pluginSettings(flags: Readonly<Record<string, unknown>>, cwd: string): Settings {
  const typed = PLUGIN_FLAGS.map(({ name, key, isPath }) => {
    const value = flags[name]
    return [key, isPath && typeof value === 'string' ? resolve(cwd, value) : value]
  })
  return Object.fromEntries(typed)
}
