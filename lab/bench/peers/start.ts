import type { LabContext } from '../../context.ts'
import { builtProgram } from '../host/child.ts'
import { type Compared, compare, type Metric, type Peer, type Side } from './comparison.ts'
import type { PackageCache } from './package-cache.ts'
import { outputOf } from './program-output.ts'
import { measureServerStart, type ServerStart } from './server-start.ts'

const ROUNDS = 5

const METRICS: Readonly<Record<keyof ServerStart, Metric>> = {
  wall: { what: 'from the start of a server to its list of tools', unit: 'ms', sense: 'at_most' },
  cpu: { what: 'processor time until then', unit: 'ms', sense: 'at_most' },
  rss: { what: 'resident memory then', unit: 'MiB', sense: 'at_most' },
  bytes: { what: 'size of the list of tools', unit: 'bytes', sense: 'at_most' },
}

const FASTMCP_HELLO = `import { FastMCP } from 'fastmcp'
import * as z from 'zod'
const server = new FastMCP({ name: 'hello', version: '1.0.0' })
server.addTool({
  name: 'hello',
  description: 'Says hello.',
  parameters: z.object({ name: z.string() }),
  execute: async ({ name }) => 'Hello ' + name,
})
await server.start({ transportType: 'stdio' })
`

const SDK_HELLO = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as z from 'zod'
const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.registerTool('hello', { description: 'Says hello.', inputSchema: { name: z.string() } }, async ({ name }) => ({
  content: [{ type: 'text', text: 'Hello ' + name }],
}))
await server.connect(new StdioServerTransport())
`

/** Rivals by name: the package, and the program of it or a script of ours. */
const SERVERS = {
  'server-filesystem': {
    packages: ['@modelcontextprotocol/server-filesystem@2026.8.31'],
    program: 'mcp-server-filesystem',
    args: ['.'],
  },
  'playwright-mcp': { packages: ['@playwright/mcp@0.0.83'], program: 'playwright-mcp', args: [] },
  context7: { packages: ['@upstash/context7-mcp@4.1.1'], program: 'context7-mcp', args: [] },
  'backlog.md': {
    packages: ['backlog.md@1.52.0'],
    program: 'backlog',
    first: ['init', 'bench', '--defaults', '--integration-mode', 'none', '--no-git'],
    args: ['mcp', 'start'],
  },
  'task-master-ai': { packages: ['task-master-ai@0.43.1'], program: 'task-master-ai', args: [] },
  'fastmcp-hello': { packages: ['fastmcp@4.20.16', 'zod@4.6.7'], script: FASTMCP_HELLO },
  'sdk-hello': { packages: ['@modelcontextprotocol/sdk@1.32.2', 'zod@4.6.7'], script: SDK_HELLO },
} as const satisfies Record<string, Server>

type Server = {
  readonly packages: readonly string[]
} /** `first`: what its users run once in a project. */ & (
  | { readonly program: string; readonly args: readonly string[]; readonly first?: readonly string[] }
  | { readonly script: string }
)

/** From start to list of tools, against other servers, each as its users start it, in the project at `folder`. */
export async function compareStart(
  cache: PackageCache,
  folder: string,
  { signal, note }: LabContext,
): Promise<Compared> {
  return await compare({
    name: 'peers.start',
    rounds: ROUNDS,
    metrics: METRICS,
    ours: started([builtProgram(), 'mcp'], folder),
    peers: Object.entries(SERVERS).map(([name, server]) => peerOf(name, server, { cache, folder, signal })),
    signal,
    note,
  })
}

interface Place {
  readonly cache: PackageCache
  readonly folder: string
  readonly signal: AbortSignal
}

function peerOf(name: string, server: Server, { cache, folder, signal }: Place): Peer<keyof ServerStart> {
  return {
    name,
    async open() {
      if ('script' in server)
        return started([await cache.script(server.packages, 'hello.mjs', server.script)], folder)
      const program = await cache.program(server.packages, server.program)
      if (server.first) await outputOf([process.execPath, program, ...server.first], { cwd: folder, signal })
      return started([program, ...server.args], folder)
    },
  }
}

function started(args: readonly string[], folder: string): Side<keyof ServerStart> {
  return { measure: () => measureServerStart(args, folder) }
}
