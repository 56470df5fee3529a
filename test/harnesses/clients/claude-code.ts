import { type Harness, PROMPT, startHooks } from '../harness.ts'

/** `--mcp-config` names the servers: those of a project's `.mcp.json` wait for a person's approval. */
export const claudeCode: Harness = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  files: (stage) => ({
    'mcp.json': { mcpServers: stage.servers },
    'settings.json': { hooks: startHooks(stage, 'claude-code') },
  }),
  process: ({ installed, home, url }) => ({
    args: [
      `${installed}/node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs`,
      '--print',
      PROMPT,
      '--mcp-config',
      `${home}/mcp.json`,
      '--strict-mcp-config',
      '--settings',
      `${home}/settings.json`,
      '--allowedTools',
      'mcp__satchel,mcp__marks',
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECT_TIMEOUT_MS: '60000',
      MCP_TIMEOUT: '60000',
      MCP_CONNECTION_NONBLOCKING: '0', // else its first request may leave before the tools are known
    },
  }),
}
