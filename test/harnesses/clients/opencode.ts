import { readdirSync } from 'node:fs'
import { type Harness, PROMPT } from '../harness.ts'

export const openCode: Harness = {
  name: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  withoutHooks: 'it has no hooks that are commands',
  files: ({ servers, url }) => ({
    '.config/opencode/opencode.json': {
      autoupdate: false,
      share: 'disabled',
      model: 'stub/stub',
      small_model: 'stub/stub',
      permission: 'allow',
      enabled_providers: ['stub'],
      provider: {
        stub: {
          npm: '@ai-sdk/openai-compatible',
          name: 'stub',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { stub: { name: 'stub', tool_call: true, limit: { context: 200_000, output: 8_000 } } },
        },
      },
      mcp: Object.fromEntries(
        Object.entries(servers).map(([name, { command, args }]) => [
          name,
          { type: 'local', command: [command, ...args], enabled: true, timeout: 60_000 },
        ]),
      ),
    },
  }),
  process: ({ installed }) => ({
    program: nativeProgram(installed),
    args: ['run', PROMPT],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_PURE: '1',
    },
  }),
}

/** The program for this platform, which the package's install script would link. */
function nativeProgram(installed: string): string {
  const modules = `${installed}/node_modules`
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `opencode-${platform}-${process.arch}`
  const found = readdirSync(modules).find((each) => each === name || each === `${name}-baseline`)
  if (found === undefined) throw new Error(`the package has no program for ${platform}-${process.arch}`)
  return `${modules}/${found}/bin/opencode${platform === 'windows' ? '.exe' : ''}`
}
