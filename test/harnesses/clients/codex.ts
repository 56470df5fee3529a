import { type Harness, PROMPT, startHooks } from '../harness.ts'

/** It asks whether a hook is trusted. `required`: else its first request may leave before the tools are known. */
export const codex: Harness = {
  name: 'Codex',
  package: '@openai/codex',
  version: '0.169.0',
  files: (stage) => ({
    '.codex/hooks.json': { hooks: startHooks(stage, 'codex') },
    '.codex/config.toml': [
      'model = "stub"',
      'model_provider = "stub"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      'check_for_update_on_startup = false',
      '[features]', // these reach for hosts of their maker
      'apps = false',
      'plugins = false',
      'remote_plugin = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.stub]',
      'name = "stub"',
      `base_url = "${stage.url}/v1"`,
      'wire_api = "responses"',
      'request_max_retries = 0',
      ...Object.entries(stage.servers).flatMap(([name, { command, args }]) => [
        `[mcp_servers.${name}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        'required = true',
        'startup_timeout_sec = 60',
        'default_tools_approval_mode = "approve"',
      ]),
      '',
    ].join('\n'),
  }),
  process: ({ installed }) => ({
    args: [
      `${installed}/node_modules/@openai/codex/bin/codex.js`,
      'exec',
      '--dangerously-bypass-hook-trust',
      '--skip-git-repo-check',
      PROMPT,
    ],
  }),
}
