import { type Harness, PROMPT, startHooks } from '../harness.ts'

/** A folder must be trusted before its servers are started. */
export const geminiCli: Harness = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  files: (stage) => ({
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      mcpServers: stage.servers,
      hooks: startHooks(stage, 'gemini-cli'),
    },
  }),
  process: ({ installed, url }) => ({
    args: [
      `${installed}/node_modules/@google/gemini-cli/bundle/gemini.js`,
      '--approval-mode',
      'yolo',
      '--model',
      'gemini-2.5-flash',
      '--prompt',
      PROMPT,
    ],
    env: {
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
  }),
}
