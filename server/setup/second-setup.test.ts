import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHome, write } from './testing/home.ts'

test('a second setup keeps the flags of the entry that it does not give, and says which', async (t) => {
  const { home, run } = await openHome(t)
  const args = () => JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers.satchel.args

  await run('claude-code', '--room', 'plan.md', '--profile', 'core')
  const first = args()
  const hooks = await run('claude-code', '--hooks')
  const kept = args()
  const data = await run('claude-code', '--profile', 'full', '--json')
  const renewed = args()
  await run('claude-code', '--room', '', '--profile', 'standard')
  const without = args()

  assert.deepEqual(first.slice(-4), ['--room', join(home, 'work/my project/plan.md'), '--profile', 'core'])
  assert.deepEqual(kept, first)
  assert.match(hooks.out, /Claude Code \(user\): kept --room '.*plan\.md' --profile core\n/)
  assert.deepEqual(renewed.slice(-4), [...first.slice(-4, -1), 'full'])
  assert.deepEqual(JSON.parse(data.out).clients[0].kept_flags, first.slice(-4, -2))
  assert.deepEqual(without.slice(-2), ['--profile', 'standard'])
  assert.ok(!without.includes('--room'))
})

test('a file that the server is to use and that is not there is told, and one that is there is not', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, 'work/my project/there.md'), '# There\n')

  const missing = await run('claude-code', '--room', 'nowhere.md')
  const present = await run('claude-code', '--room', 'there.md')

  assert.deepEqual([missing.code, present.code], [0, 0])
  assert.match(missing.err, /--room: there is no file .*nowhere\.md yet\. Create it/)
  assert.doesNotMatch(present.err, /no file/)
})

for (const [client, file] of [
  ['codex', '.codex/config.toml'],
  ['opencode', '.config/opencode/opencode.json'],
  ['continue', '.continue/config.yaml'],
] as const) {
  test(`a second setup of ${client} without flags changes nothing`, async (t) => {
    const { home, run } = await openHome(t)
    await run(client, '--profile', 'core')
    const first = readFileSync(join(home, file), 'utf8')

    const second = await run(client)

    assert.match(second.out, /: unchanged .*\n.*: kept --profile core\n/)
    assert.equal(readFileSync(join(home, file), 'utf8'), first)
  })
}

test('a flag that a user added by hand stays; arguments of another program do not become flags', async (t) => {
  const { home, run } = await openHome(t)
  const entry = (path: string) => JSON.parse(readFileSync(join(home, path), 'utf8')).mcpServers.satchel
  write(
    join(home, '.cursor/mcp.json'),
    '{"mcpServers":{"satchel":{"command":"npx","args":["satchel","mcp","--read-only"]}}}',
  )
  write(
    join(home, '.qwen/settings.json'),
    '{"mcpServers":{"satchel":{"command":"docker","args":["run","mcp","--rm"]}}}',
  )

  await run('cursor', 'qwen-code')

  assert.equal(entry('.cursor/mcp.json').args.at(-1), '--read-only')
  assert.equal(entry('.qwen/settings.json').args.at(-1), 'mcp')
})

test('what hooks do not do at a compaction is told, and the first step of a project without records', async (t) => {
  const { home, run } = await openHome(t)

  const gemini = await run('gemini-cli', '--hooks')
  const cursor = await run('cursor', '--hooks')
  const code = await run('vscode', '--hooks')
  const claude = await run('claude-code', '--hooks')
  mkdirSync(join(home, 'work/my project/.handoffs'))
  const later = await run('claude-code', '--hooks')
  const plain = await run('gemini-cli')

  assert.match(gemini.err, /Gemini CLI: the hooks save before \/compress.*handoff_resume/)
  assert.match(cursor.err, /Cursor: the hook saves before a compaction\. Cursor has no event after one/)
  assert.match(code.err, /satchel does not set up --hooks for VS Code\..*handoff_create.*handoff_resume/)
  assert.doesNotMatch(code.err, /First, in the project/)
  assert.doesNotMatch(claude.err, /no event|does not set up/)
  for (const { err } of [gemini, cursor, claude])
    assert.match(err, /without \.handoffs\/\. First, in the project: satchel handoff note .*\n$/)
  assert.doesNotMatch(later.err, /First, in the project/)
  assert.doesNotMatch(plain.err, /compress|First/)
})

test('Gemini CLI, Qwen Code and Cursor are given their hook before a compaction', async (t) => {
  const { home, run } = await openHome(t)
  const hooksIn = (path: string) => JSON.parse(readFileSync(join(home, path), 'utf8')).hooks

  await run('gemini-cli', 'qwen-code', 'cursor', '--hooks')
  const [gemini, qwen] = [hooksIn('.gemini/settings.json'), hooksIn('.qwen/settings.json')]
  const cursor = hooksIn('.cursor/hooks.json')

  assert.deepEqual(Object.keys(gemini), ['SessionStart', 'PreCompress', 'SessionEnd'])
  // It comes with "auto" before every request of the model.
  assert.equal(gemini.PreCompress[0].matcher, 'manual')
  assert.match(gemini.PreCompress[0].hooks[0].command, / handoff hook pre-compact --harness gemini-cli$/)
  assert.deepEqual(Object.keys(qwen), ['SessionStart', 'PreCompact', 'Stop', 'SessionEnd'])
  assert.match(qwen.PreCompact[0].hooks[0].command, / handoff hook pre-compact --harness qwen-code$/)
  assert.deepEqual(Object.keys(cursor), ['preCompact'])
  assert.match(cursor.preCompact[0].command, / handoff hook pre-compact --harness cursor$/)
})

test('an entry that is disabled is told as that, with the step that enables it, at a check and at a setup', async (t) => {
  const { home, run } = await openHome(t)
  await run('codex', 'windsurf', 'gemini-cli', 'zed')
  const edit = (path: string, from: string, to: string) =>
    write(join(home, path), readFileSync(join(home, path), 'utf8').replace(from, to))
  edit('.codex/config.toml', '[mcp_servers.satchel]\n', '[mcp_servers.satchel]\nenabled = false\n')
  edit('.codeium/windsurf/mcp_config.json', '"args"', '"disabled": true, "args"')
  edit('.gemini/settings.json', '"mcpServers"', '"mcp": { "excluded": ["satchel"] }, "mcpServers"')
  edit('.config/zed/settings.json', '"args"', '"enabled": true, "args"')

  const checked = await run('--check')
  const data = await run('codex', '--check', '--json')
  const repeated = await run('codex')

  const step = 'Take that out to enable it.'
  for (const told of [
    `Codex (user): disabled: "enabled" is false in its entry. ${step}`,
    `Windsurf (user): disabled: "disabled" is true in its entry. ${step}`,
    `Gemini CLI (user): disabled: "mcp.excluded" names it. ${step}`,
    'Zed (user): connected: ',
  ]) {
    assert.ok(checked.out.includes(told), `${told}\n${checked.out}`)
  }
  assert.deepEqual(JSON.parse(data.out).clients[0].connection, {
    kind: 'disabled',
    by: '"enabled" is false in its entry',
  })
  assert.match(repeated.out, /Codex \(user\): disabled: /)
  assert.deepEqual([checked.code, data.code, repeated.code], [3, 3, 3])
})
