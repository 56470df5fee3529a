import { type Harness, PROMPT, startHooks } from '../harness.ts'

export const continueCli: Harness = {
  name: 'Continue',
  package: '@continuedev/cli',
  version: '1.5.47',
  files: (stage) => ({
    '.continue/settings.json': { hooks: startHooks(stage, 'continue') },
    'config.yaml': {
      name: 'lab',
      version: '1.0.0',
      schema: 'v1',
      models: [
        {
          name: 'stub',
          provider: 'openai',
          model: 'stub',
          apiBase: `${stage.url}/v1`,
          apiKey: 'none',
          roles: ['chat'],
          capabilities: ['tool_use'],
        },
      ],
      mcpServers: Object.entries(stage.servers).map(([name, server]) => ({ name, ...server })),
    },
  }),
  process: ({ installed, home, url }) => ({
    args: [
      `${installed}/node_modules/@continuedev/cli/dist/cn.js`,
      '--print',
      '--auto',
      '--config',
      `${home}/config.yaml`,
      PROMPT,
    ],
    env: {
      CONTINUE_API_BASE: `${url}/`,
      CONTINUE_TELEMETRY_ENABLED: '0',
      CONTINUE_CLI_ENABLE_TELEMETRY: '0',
      CONTINUE_CLI_AUTO_UPDATED: 'true',
    },
  }),
}
