import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHome, treeOf, write } from './testing/home.ts'

const HOOK = 'handoff hook stop --harness claude-code'
const OWN: Readonly<Record<string, readonly [file: string, text: string]>> = {
  cursor: [
    '.cursor/mcp.json',
    '{"mcpServers":{"satchel":{"command":"satchel","args":["mcp"],"env":{"TOKEN":"x"}}}}',
  ],
  zed: ['.config/zed/settings.json', '{"context_servers":{"satchel":{"command":"docker","args":["run"]}}}'],
  codex: ['.codex/config.toml', 'mcp_servers = { satchel = { command = "q" }, other = { command = "o" } }\n'],
  continue: ['.continue/config.yaml', 'mcpServers:\n  - name: satchel\n    command: mine\n'],
  'claude-code': [
    '.claude/settings.json',
    `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"LOG=1 satchel ${HOOK}"}]}]}}`,
  ],
}

for (const [client, [file, text]] of Object.entries(OWN)) {
  test(`an entry of ${client} that no setup wrote stays, and the removal says so`, async (t) => {
    const { home, run } = await openHome(t)
    write(join(home, file), text)
    const before = treeOf(home)

    const told = await run(client, '--remove', '--yes')
    const data = await run('--remove', '--json')

    assert.equal(told.code, 4)
    assert.match(told.err, /was not written by a setup, and is left as it is\. Delete it by hand/)
    assert.ok(told.err.includes(file), told.err)
    assert.equal(JSON.parse(data.out).error.reason, 'entry_not_of_setup')
    assert.deepEqual(treeOf(home), before)
  })
}

test('a plain entry and a plain hook go although no setup is known here; what is not plain stays', async (t) => {
  const { home, run } = await openHome(t)
  const plain = { command: 'satchel', args: ['mcp', '--profile', 'core'] }
  const hook = (command: string) => ({ hooks: [{ type: 'command', command }] })
  write(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { satchel: plain, other: plain } }))
  write(
    join(home, '.claude/settings.json'),
    JSON.stringify({
      hooks: {
        Stop: [hook(`/usr/bin/node /x/satchel.js ${HOOK}`)],
        PreCompact: [hook(`LOG=1 satchel ${HOOK.replace('stop', 'pre-compact')}`)],
      },
    }),
  )
  write(
    join(home, '.qwen/settings.json'),
    JSON.stringify({ mcpServers: { satchel: { ...plain, env: { A: 'b' } } }, theme: 'x' }),
  )

  const { code, out, err } = await run('--remove')

  assert.equal(code, 0)
  assert.match(out, /Cursor \(user\): entries removed/)
  assert.match(err, /mcpServers\.satchel in ~\/\.qwen\/settings\.json was not written by a setup/)
  assert.deepEqual(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')), {
    mcpServers: { other: plain },
  })
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'))
  assert.deepEqual([hooks.Stop.length, hooks.PreCompact.length], [0, 1])
  assert.match(err, /hooks\.PreCompact in ~\/\.claude\/settings\.json was not written by a setup/)
})

test('an entry of another program that took the place of that of a setup stays', async (t) => {
  const { home, run } = await openHome(t)
  await run('cursor')
  const own = '{"mcpServers":{"satchel":{"command":"docker","args":["run"]}}}'
  write(join(home, '.cursor/mcp.json'), own)

  const { code } = await run('cursor', '--remove')

  assert.equal(code, 4)
  assert.equal(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'), own)
})

test('folders that a setup made go with their last file; one that was there, or holds more, stays', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.gemini/skills/mine/SKILL.md'), 'Mine.\n')

  await run('vscode', 'windsurf', 'gemini-cli', 'claude-code', '--skill', '--hooks')
  const { code } = await run('--remove')

  assert.equal(code, 0)
  const left = readdirSync(home).sort()
  assert.deepEqual(left, ['.gemini', '.local', 'work'])
  assert.deepEqual(readdirSync(join(home, '.gemini/skills')), ['mine'])
  assert.ok(!existsSync(join(home, '.config')))
})

test('a form that satchel cannot edit is refused with the lines to add by hand, and the file stays', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.codex/config.toml'), '[[mcp_servers]]\ncommand = "q"\n')
  const before = treeOf(home)

  const { code, err } = await run('codex')

  assert.equal(code, 3)
  assert.match(
    err,
    /~\/\.codex\/config\.toml is valid and is left as it is, but satchel cannot edit its form/,
  )
  assert.match(err, /^\[mcp_servers\.satchel\]\ncommand = ".*"\nargs = \[.*"mcp"\]\n/)
  assert.match(err, /Add these lines by hand\./)
  assert.deepEqual(treeOf(home), before)
})
