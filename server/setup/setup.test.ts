import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { startCli } from '../cli/testing/run-cli.ts'
import { additionTo, removalFrom } from './change.ts'
import { SCOPES, type Scope, SETUP_CLIENTS, type SetupClient } from './clients.ts'
import { folderOf, type SetupPlace, stateFolder } from './folders.ts'
import { offeredHooks, plansOf } from './plans.ts'
import { samplesOf } from './testing/corpus.ts'
import { environmentOf, openHome, treeOf, write } from './testing/home.ts'

const SERVER = { command: 'satchel', args: ['mcp', '--profile', 'core'] }
const PROGRAM = { command: 'satchel', args: [] }
const NAMES = SETUP_CLIENTS.map(({ name }) => name)

function pathOf(client: SetupClient, scope: Scope, at: SetupPlace): string {
  const place = client.servers[scope]
  assert.ok(place)
  return join(folderOf(place.in, at), place.names[0] ?? '')
}

for (const client of SETUP_CLIENTS) {
  test(`${client.title}: a removal restores each file of the corpus byte by byte, and makes no new one`, async (t) => {
    const { at } = await openHome(t)
    const parts = { server: SERVER, program: PROGRAM, hooks: offeredHooks(), skills: [] }
    for (const scope of SCOPES.filter((each) => client.servers[each])) {
      const path = pathOf(client, scope, at)
      const [plan] = plansOf(client, scope, parts)
      assert.ok(plan)
      const samples = samplesOf(plan.place.format, client.key)
      assert.ok(samples.length >= 60, `${samples.length} files`)
      for (const { name, text } of samples) {
        write(path, text)
        chmodSync(path, 0o640)

        await (await additionTo(plan, at)).write()
        const put = readFileSync(path)
        const again = await additionTo(plan, at)
        await (await removalFrom(plan, at))?.write()

        assert.ok(put.length > Buffer.byteLength(text), name)
        assert.equal(again.changes, false, name)
        assert.equal(readFileSync(path, 'utf8'), text, `${scope}, ${name}`)
        assert.equal(statSync(path).mode & 0o777, 0o640)
      }
    }
    assert.deepEqual(readdirSync(stateFolder(at)), [])
  })
}

test('all ten clients are set up, checked and undone; nothing is left in the home', async (t) => {
  const { home, run } = await openHome(t)

  const done = await run(...NAMES, '--hooks', '--edit-hooks', '--skill', '--profile', 'core', '--json')
  const checked = await run('--check')
  const removed = await run('--remove')
  const again = await run('--remove', '--json')

  const { clients } = JSON.parse(done.out)
  assert.equal(done.code, 0, done.out)
  assert.deepEqual(
    clients.map((each: { client: string; connection: { kind: string; tools: number } }) => [
      each.client,
      each.connection.kind,
      each.connection.tools,
    ]),
    NAMES.map((name) => [name, 'connected', 9]),
  )
  assert.equal(checked.code, 0)
  assert.equal(checked.out.match(/ \(user\): connected: 9 tools, 1,\d{3} tokens, [\d,]+ ms\n/g)?.length, 10)
  assert.equal(removed.code, 0)
  assert.deepEqual(treeOf(home), {})
  assert.deepEqual([again.code, JSON.parse(again.out).error.reason], [4, 'not_set_up'])
})

test('edit hooks run at the edit tools of a client alone; a client without hooks is told', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.claude/settings.json'), '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}]}}\n')
  const before = treeOf(home)

  const claude = await run('claude-code', '--edit-hooks')
  const codex = await run('codex', '--edit-hooks')
  const gemini = await run('gemini-cli', '--edit-hooks')
  const cursor = await run('cursor', '--edit-hooks')
  const qwen = await run('qwen-code', '--edit-hooks')
  const zed = await run('zed', '--edit-hooks')
  const hooksIn = (path: string) => JSON.parse(readFileSync(join(home, path), 'utf8')).hooks
  const hooks = hooksIn('.claude/settings.json')
  const [ofCodex, ofGemini] = [hooksIn('.codex/hooks.json'), hooksIn('.gemini/settings.json')]
  const [ofCursor, ofQwen] = [hooksIn('.cursor/hooks.json'), hooksIn('.qwen/settings.json')]
  const cursorFile = readFileSync(join(home, '.cursor/hooks.json'), 'utf8')
  const again = await run('cursor', '--edit-hooks', '--json')
  await run('--remove')

  for (const { code, out } of [claude, codex, gemini, cursor, qwen, zed, again]) assert.equal(code, 0, out)
  assert.deepEqual(Object.keys(hooks), ['PreToolUse', 'PostToolUse'])
  assert.deepEqual([hooks.PreToolUse.length, hooks.PreToolUse[1].matcher], [2, 'Edit|MultiEdit|Write'])
  assert.match(hooks.PreToolUse[1].hooks[0].command, / workspace hook pre-edit --harness claude-code$/)
  assert.match(hooks.PostToolUse[0].hooks[0].command, / workspace hook post-edit --harness claude-code$/)
  assert.equal(ofCodex.PreToolUse[0].matcher, 'apply_patch|Edit|Write')
  assert.match(ofCodex.PreToolUse[0].hooks[0].command, / workspace hook pre-edit --harness codex$/)
  assert.equal(ofGemini.BeforeTool[0].matcher, 'replace|write_file')
  assert.match(ofGemini.BeforeTool[0].hooks[0].command, / workspace hook pre-edit --harness gemini-cli$/)
  assert.equal(JSON.parse(cursorFile).version, 1)
  assert.deepEqual(Object.keys(ofCursor), ['preToolUse', 'afterFileEdit'])
  assert.deepEqual([ofCursor.preToolUse.length, ofCursor.preToolUse[0].matcher], [1, 'Write|StrReplace'])
  assert.match(ofCursor.preToolUse[0].command, / workspace hook pre-edit --harness cursor$/)
  assert.match(ofCursor.afterFileEdit[0].command, / workspace hook post-edit --harness cursor$/)
  assert.equal(ofQwen.PreToolUse[0].matcher, 'edit|write_file')
  assert.match(ofQwen.PreToolUse[0].hooks[0].command, / workspace hook pre-edit --harness qwen-code$/)
  assert.match(zed.err, /satchel does not set up --edit-hooks for Zed\./)
  assert.doesNotMatch(claude.err + codex.err + gemini.err + cursor.err + qwen.err, /does not set up/)
  assert.deepEqual(treeOf(home), before)
})

test('codex is given the hooks that docs/handoffs.md has for it', async (t) => {
  const { home, run } = await openHome(t)

  const { code, out } = await run('codex', '--hooks')
  const { hooks } = JSON.parse(readFileSync(join(home, '.codex/hooks.json'), 'utf8'))
  const guide = readFileSync(join(import.meta.dirname, '../../docs/handoffs.md'), 'utf8')
  const [, shown = ''] = /Codex, in `\.codex\/hooks\.json`.*?```json\n(.*?)```/s.exec(guide) ?? []

  assert.equal(code, 0, out)
  assert.deepEqual(Object.keys(hooks).sort(), Object.keys(JSON.parse(shown).hooks).sort())
  assert.match(hooks.PreCompact[0].hooks[0].command, / handoff hook pre-compact --harness codex$/)
  assert.equal(hooks.PreCompact[0].matcher, undefined) // before those that a person asks for and those that come by themselves
})

test('where the project is the home, each file is checked and restored once', async (t) => {
  const { home } = await openHome(t)
  const env = environmentOf(home)
  const run = (...words: readonly string[]) =>
    startCli(['setup', ...words, '--project', home], { cwd: home, env }).done

  await run('claude-code', 'cursor', '--hooks', '--skill')
  const checked = await run('--check', '--json')
  const removed = await run('--remove')

  assert.equal(JSON.parse(checked.out).clients.length, 2)
  assert.equal(removed.code, 0, removed.err)
  assert.deepEqual(treeOf(home), {})
})

test('a link inside the home is followed and stays a link; one that leads out is refused', async (t) => {
  const { home, run } = await openHome(t)
  const dotfile = join(home, 'dotfiles/cursor.json')
  write(dotfile, '{ "a": 1 }\n')
  mkdirSync(join(home, '.cursor'))
  symlinkSync('../dotfiles/cursor.json', join(home, '.cursor/mcp.json'))
  const outside = join(home, '../outside.json')
  write(outside, '{}\n')
  mkdirSync(join(home, '.qwen'))
  symlinkSync(outside, join(home, '.qwen/settings.json'))

  const cursor = await run('cursor', '--json', '--dry-run')
  await run('cursor', '--json')
  const put = readFileSync(dotfile, 'utf8')
  await run('cursor', '--remove')
  const qwen = await run('qwen-code', '--json')

  assert.equal(cursor.code, 0)
  assert.match(put, /satchel/)
  assert.equal(readFileSync(dotfile, 'utf8'), '{ "a": 1 }\n')
  assert.deepEqual([qwen.code, JSON.parse(qwen.out).error.reason], [6, 'config_link_leads_out'])
  assert.equal(readFileSync(outside, 'utf8'), '{}\n')
})

const REFUSED: readonly (readonly [
  what: string,
  make: (path: string) => void,
  code: number,
  reason: string,
])[] = [
  ['that does not parse', (path) => write(path, '{\n  "a": [1,\n}\n'), 3, 'config_not_parsed'],
  ['that is read-only', (path) => write(path, '{}\n', 0o444), 6, 'config_read_only'],
  ['that is a folder', (path) => void mkdirSync(path, { recursive: true }), 3, 'config_not_a_file'],
  ['that is a link to nothing', (path) => symlinkSync('nowhere', path), 6, 'config_link_leads_out'],
  [
    'that is not UTF-8',
    (path) => write(path, Buffer.from('{ "a": "\xff" }', 'latin1')),
    3,
    'config_not_utf8',
  ],
]

for (const [what, make, code, reason] of REFUSED) {
  test(`a file ${what} is left alone, and stops no other client`, async (t) => {
    const { home, at, run } = await openHome(t)
    const [gemini] = SETUP_CLIENTS.filter(({ name }) => name === 'gemini-cli')
    assert.ok(gemini)
    mkdirSync(dirname(pathOf(gemini, 'user', at)), { recursive: true })
    make(pathOf(gemini, 'user', at))
    const before = treeOf(home)

    const alone = await run('gemini-cli', '--json')
    const both = await run('gemini-cli', 'qwen-code', '--json')

    assert.deepEqual([alone.code, JSON.parse(alone.out).error.reason], [code, reason])
    assert.equal(both.code, code)
    const [first, second] = JSON.parse(both.out).clients
    assert.equal(first.error.reason, reason)
    assert.equal(second.connection.kind, 'connected')
    await run('qwen-code', '--remove')
    assert.deepEqual(treeOf(home), before)
  })
}

test('a fault of the text is told with its line', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.codex/config.toml'), 'model = "x"\n\n[tui\n')

  const { code, err } = await run('codex')

  assert.equal(code, 3)
  assert.match(err, /~\/\.codex\/config\.toml, line 4: /)
})

test('a file that changes between the diff and the write is left alone', async (t) => {
  const { at } = await openHome(t)
  const [client] = SETUP_CLIENTS
  assert.ok(client)
  const path = pathOf(client, 'user', at)
  const [plan] = plansOf(client, 'user', { server: SERVER, program: PROGRAM, hooks: [], skills: [] })
  assert.ok(plan)
  write(path, '{}\n')
  const change = await additionTo(plan, at)
  write(path, '{ "other": true }\n')

  await assert.rejects(change.write(), { code: 'conflict', reason: 'config_changed' })

  assert.equal(readFileSync(path, 'utf8'), '{ "other": true }\n')
  assert.equal(await removalFrom(plan, at), undefined)
})

test('after an edit of the user a removal takes out the entries only, and says so', async (t) => {
  const { home, run } = await openHome(t)
  const path = join(home, '.gemini/settings.json')
  write(path, '{\n  // mine\n  "theme": "x"\n}\n')
  await run('gemini-cli', '--hooks')
  const edited = readFileSync(path, 'utf8')
    .replace('"theme": "x"', '"theme": "y"')
    .replace('"mcp"]', '"mcp", "--read-only"]')
  write(path, edited)

  const removed = await run('gemini-cli', '--remove')

  assert.equal(removed.code, 0)
  assert.match(removed.out, /Gemini CLI \(user\): entries removed ~\/\.gemini\/settings\.json/)
  assert.equal(readFileSync(path, 'utf8'), '{\n  // mine\n  "theme": "y"\n}\n')
})

test('an entry and a hook that the user had before are restored with the bytes of the file', async (t) => {
  const { home, run } = await openHome(t)
  const hook = '/old/satchel handoff hook stop --harness claude-code'
  const had = {
    '.claude.json':
      '{"mcpServers":{"satchel":{"command":"old","args":["x"],"env":{"K":"v"}}},"numStartups":3}',
    '.claude/settings.json': `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"${hook}"}]}]}}`,
    '.codex/config.toml': '[mcp_servers.satchel]\ncommand = "old"\nargs = ["x"] # mine\n',
    '.continue/config.yaml': 'name: x\nmcpServers:\n  - name: satchel\n    command: old # mine\n',
    '.claude/skills/satchel/SKILL.md': 'Mine.\n',
  }
  for (const [path, text] of Object.entries(had)) write(join(home, path), text)
  const before = treeOf(home)

  await run('claude-code', 'codex', 'continue', '--hooks', '--skill')
  const put = treeOf(home)
  const removed = await run('--remove')

  assert.equal(removed.code, 0, removed.err)
  for (const path of Object.keys(before)) assert.notEqual(put[path], before[path], path)
  assert.deepEqual(treeOf(home), before)
})

for (const setups of [1, 2]) {
  test(`an entry that the user had before is put back in a file that changed after setup ${setups}`, async (t) => {
    const { home, run } = await openHome(t)
    const own = { command: 'old', args: ['x'], env: { K: 'v' } }
    const hooks = {
      Stop: [{ hooks: [{ type: 'command', command: '/old handoff hook stop --harness claude-code' }] }],
    }
    const settings = { hooks: { ...hooks, Notification: [] } }
    write(join(home, '.claude.json'), JSON.stringify({ mcpServers: { satchel: own }, numStartups: 3 }))
    write(join(home, '.claude/settings.json'), JSON.stringify(settings))
    write(join(home, '.codex/config.toml'), '[mcp_servers.satchel]\ncommand = "old"\n')
    write(join(home, '.continue/config.yaml'), 'mcpServers:\n  - name: satchel\n    command: old\n')
    const read = (path: string) => readFileSync(join(home, path), 'utf8')
    const edit = (path: string, from: string, to: string) =>
      write(join(home, path), read(path).replace(from, to))

    for (let at = 0; at < setups; at++) {
      await run('claude-code', 'codex', 'continue', '--hooks', ...(at > 0 ? ['--profile', 'core'] : []))
      edit('.claude.json', `"numStartups":${3 + at}`, `"numStartups":${4 + at}`)
      edit('.claude/settings.json', '"Notification":[]', '"Notification":[],"Other":[]')
      write(join(home, '.codex/config.toml'), `# ${at}\n${read('.codex/config.toml')}`)
      write(join(home, '.continue/config.yaml'), `# ${at}\n${read('.continue/config.yaml')}`)
    }
    const removed = await run('--remove')

    assert.equal(removed.code, 0, removed.err)
    assert.deepEqual(JSON.parse(read('.claude.json')), {
      mcpServers: { satchel: own },
      numStartups: 3 + setups,
    })
    assert.deepEqual(JSON.parse(read('.claude/settings.json')).hooks.Stop, hooks.Stop)
    assert.match(read('.codex/config.toml'), /^(# \d\n)+\[mcp_servers.satchel\]\ncommand = "old"\n$/)
    assert.match(
      read('.continue/config.yaml'),
      /^(# \d\n)+mcpServers:\n {2}- name: satchel\n {4}command: old\n$/,
    )
    assert.doesNotMatch(read('.claude/settings.json'), /PreCompact/)
  })
}

test('a second setup with other flags is undone to the bytes before the first', async (t) => {
  const { home, run } = await openHome(t)
  const path = join(home, '.cursor/mcp.json')
  write(path, '{"mcpServers":{}}')

  await run('cursor')
  await run('cursor', '--profile', 'core')
  const put = readFileSync(path, 'utf8')
  await run('cursor', '--remove')

  assert.match(put, /"--profile", "core"/)
  assert.equal(readFileSync(path, 'utf8'), '{"mcpServers":{}}')
})

test('skills are files of their own: a removal takes them, but leaves one that the user edited', async (t) => {
  const { home, run } = await openHome(t)
  const skill = (name: string) => join(home, '.claude/skills', name, 'SKILL.md')

  const done = await run('claude-code', '--skill')
  const names = readdirSync(join(home, '.claude/skills')).sort()
  write(skill('satchel-handoff'), `${readFileSync(skill('satchel-handoff'), 'utf8')}Mine.\n`)
  await run('--remove')

  assert.equal(done.code, 0)
  assert.deepEqual(names, ['satchel', 'satchel-handoff', 'satchel-modules'])
  assert.deepEqual(Object.keys(treeOf(home)), [relative(home, skill('satchel-handoff'))])
})

test('two setups that run together both succeed, one after the other', async (t) => {
  const { home, run } = await openHome(t)

  const ended = await Promise.all([run('cursor', '--json'), run('cursor', '--json'), run('zed', '--json')])

  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0],
  )
  assert.equal(readFileSync(join(home, '.cursor/mcp.json'), 'utf8').match(/"satchel"/g)?.length, 1)
  await run('--remove')
  assert.deepEqual(treeOf(home), {})
})

test('a file of 10 MB is edited and restored', async (t) => {
  const { at } = await openHome(t)
  const client = SETUP_CLIENTS.find(({ name }) => name === 'claude-code')
  assert.ok(client)
  const path = pathOf(client, 'user', at)
  const text = `{\n  "history": [\n${`    "${'x'.repeat(1000)}",\n`.repeat(10_000)}    ""\n  ]\n}\n`
  write(path, text)
  const [plan] = plansOf(client, 'user', { server: SERVER, program: PROGRAM, hooks: [], skills: [] })
  assert.ok(plan)

  await (await additionTo(plan, at)).write()
  const put = readFileSync(path, 'utf8')
  await (await removalFrom(plan, at))?.write()

  assert.match(put.slice(-300), /"satchel"/)
  assert.ok(readFileSync(path, 'utf8') === text)
})

test('what undoes a setup is readable for its user only', async (t) => {
  const { home, at, run } = await openHome(t)
  write(join(home, '.cursor/mcp.json'), '{ "mcpServers": { "a": { "env": { "TOKEN": "secret" } } } }')

  await run('cursor')

  const folder = stateFolder(at)
  const kept = readdirSync(folder).filter((name) => name.endsWith('.json'))
  assert.equal(kept.length, 1)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder, kept[0] ?? '')).mode & 0o777, 0o600)
})

test('wrong names and scopes are refused with what to do', async (t) => {
  const { run } = await openHome(t)

  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [['claude'], 4, 'client_unknown'],
    [['windsurf', '--scope', 'project'], 3, 'client_without_scope'],
    [[], 4, 'no_client_found'],
    [['--check'], 4, 'not_set_up'],
    [['--check', '--remove'], 2, 'setup_flags'],
  ]
  for (const [words, code, reason] of cases) {
    const ran = await run(...words, '--json')
    assert.deepEqual([ran.code, JSON.parse(ran.out).error.reason], [code, reason], words.join(' '))
  }
})

test('without a name the clients found are listed; without a terminal nothing is written but with --yes', async (t) => {
  const { home, run } = await openHome(t)
  mkdirSync(join(home, '.gemini'))
  mkdirSync(join(home, '.continue'))

  const asked = await run()
  const told = await run('--yes')

  assert.equal(asked.code, 3)
  assert.match(asked.err, /Found: Gemini CLI, Continue\.\n.*Nothing was written/)
  assert.match(asked.out, /\+\+\+ ~\/\.gemini\/settings\.json/)
  assert.equal(told.code, 0)
  assert.equal(Object.keys(treeOf(home)).length, 2)
})

test('a check tells why a configured server does not start, with exit code 3', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.cursor/mcp.json'), '{ "mcpServers": { "satchel": { "command": "no-such-program" } } }')
  write(
    join(home, '.qwen/settings.json'),
    `{ "mcpServers": { "satchel": { "command": ${JSON.stringify(process.execPath)}, "args": ["--eval", "throw 'broken'"] } } }`,
  )

  const { code, out } = await run('--check')

  assert.equal(code, 3)
  assert.match(out, /Cursor \(user\): not connected: there is no program no-such-program/)
  assert.match(out, /Qwen Code \(user\): not connected: .* ended before it answered/)
})

test('an entry that has an address becomes one that has a program only, and is put back', async (t) => {
  const { home, run } = await openHome(t)
  const codex =
    '# own\n[mcp_servers.satchel]\nurl = "http://127.0.0.1:8000/mcp"\nbearer_token_env_var = "T"\n'
  const entry = '"satchel":{"type":"http","url":"http://127.0.0.1:8000/mcp","headers":{"A":"b"}}'
  write(join(home, '.codex/config.toml'), codex)
  write(join(home, '.claude.json'), `{"mcpServers":{${entry}}}`)
  write(
    join(home, '.continue/config.yaml'),
    'mcpServers:\n  - name: satchel\n    type: sse\n    url: http://127.0.0.1/sse\n',
  )
  const before = treeOf(home)

  const told = await run('codex', 'claude-code', 'continue')
  const put = treeOf(home)
  const removed = await run('--remove')

  assert.equal(told.code, 0, told.err)
  assert.doesNotMatch(JSON.stringify(put), /127\.0\.0\.1|bearer_token|headers|sse/)
  assert.match(String(put['.codex/config.toml']), /^# own\n\[mcp_servers\.satchel\]\ncommand = /)
  assert.equal(removed.code, 0, removed.err)
  assert.deepEqual(treeOf(home), before)
})

test('a check of an entry that has no program says so, and checks the others', async (t) => {
  const { home, run } = await openHome(t)
  write(join(home, '.cursor/mcp.json'), '{ "mcpServers": { "satchel": { "url": "http://127.0.0.1/mcp" } } }')
  await run('zed')

  const { code, out } = await run('--check')

  assert.equal(code, 3)
  assert.match(out, /Cursor \(user\): not connected: its entry names no program that could be started/)
  assert.match(out, /Zed \(user\): connected/)
})
