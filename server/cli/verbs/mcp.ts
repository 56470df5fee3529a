import { resolve } from 'node:path'
import { z } from 'zod'
import { defineHostVerb } from '../host-verb.ts'
import type { Settings } from '../settings.ts'
import { commaList, settingsOf } from './settings.ts'

const input = z.object({
  transport: z
    .enum(['streamable-http', 'sse'])
    .optional()
    .describe('serve over HTTP instead of standard input and output'),
  host: z.string().optional().describe('address to listen at (default 127.0.0.1)'),
  port: z.int().min(0).max(65535).optional().describe('port to listen at; 0 takes a free one'),
  room: z.string().optional().describe('markdown file of the room to work in'),
  connect: z.string().optional().describe('URL of a running room to join'),
  invite: z.string().optional().describe('invitation to redeem, once'),
  name: z.string().optional().describe('name of this participant'),
  as: z.enum(['owner']).optional().describe('take part as the owner of the room'),
  profile: z.enum(['core', 'standard', 'full']).optional().describe('how many tools are listed'),
  tools: z.string().optional().describe('further tools to list, separated by commas'),
  exclude: z.string().optional().describe('tools not to list, separated by commas'),
  read_only: z.boolean().default(false).describe('list only tools that change nothing'),
})

/** `satchel mcp`: stdio unless a transport is named. */
export const mcpVerb = defineHostVerb({
  path: ['mcp'],
  summary: 'serve MCP over stdio or HTTP',
  description: [
    'Serves MCP to one client over standard input and output until the client is gone,',
    'or over HTTP with --transport (then at 127.0.0.1 unless --host says otherwise).',
  ].join(' '),
  input,
  typing: {},
  examples: ['satchel mcp --profile core', 'satchel mcp --transport streamable-http --port 8000'],
  async run(world, flags) {
    const settings: Settings = settingsOf({
      'http.host': flags.host,
      'http.port': flags.port,
      'tools.profile': flags.profile,
      'tools.include': commaList(flags.tools),
      'tools.exclude': commaList(flags.exclude),
      'tools.read_only': flags.read_only ? true : undefined,
      // Typed paths start where they are typed, those of the file at the project root.
      'workspace.file': flags.room === undefined ? undefined : resolve(world.io.cwd, flags.room),
      'workspace.connect': flags.connect,
      'workspace.invite': flags.invite,
      'workspace.name': flags.name,
      'workspace.as': flags.as,
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
