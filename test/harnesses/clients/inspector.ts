import type { PlainClient } from '../harness.ts'

/** It prints the whole result of a call, both channels. */
export const inspector: PlainClient = {
  name: 'MCP Inspector',
  package: '@modelcontextprotocol/inspector',
  version: '2.12.0',
  node: '22.23.3',
  files: ({ servers }) => ({ 'mcp.json': { mcpServers: servers } }),
  call: ({ installed, home }, { tool, args }) => ({
    args: [
      `${installed}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`,
      '--cli',
      '--config',
      `${home}/mcp.json`,
      '--server',
      tool.startsWith('marks_') ? 'marks' : 'satchel',
      '--method',
      'tools/call',
      '--tool-name',
      tool,
      ...Object.entries(args).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ]),
    ],
  }),
}
