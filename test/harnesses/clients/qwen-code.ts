import { type Harness, PROMPT, startHooks } from '../harness.ts'

export const qwenCode: Harness = {
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  version: '0.15.10',
  files: (stage) => ({
    '.qwen/settings.json': {
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      tools: { exclude: ['tool_search'] }, // else the tools of a server are offered after a search only
      mcpServers: stage.servers,
      hooks: startHooks(stage, 'qwen-code'),
    },
  }),
  process: ({ installed, url }) => ({
    args: [
      `${installed}/node_modules/@qwen-code/qwen-code/cli.js`,
      '--approval-mode',
      'yolo',
      '--prompt',
      PROMPT,
    ],
    env: {
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'stub',
      QWEN_CODE_NO_RELAUNCH: 'true',
    },
  }),
}
