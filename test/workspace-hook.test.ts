import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

test('an edit of a harness becomes a proposal, waits for a lease, and passes where there is no room', async (t) => {
  const cwd = await temporaryFolder(t)
  const file = join(cwd, 'plan.md')
  await writeFile(file, '# Plan\n\n## Goals\none\n')
  const cli = (argv: readonly string[], stdin = '') => startCli(argv, { cwd, env: { HOME: cwd }, stdin }).done
  const answered = async (input: object, event = 'pre-edit') => {
    const { code, out } = await cli(['workspace', 'hook', event], JSON.stringify({ cwd, ...input }))
    assert.equal(code, 0)
    return out === '' ? undefined : JSON.parse(out)
  }
  const hook = async (tool_input: object, event = 'pre-edit') =>
    (await answered({ tool_input }, event))?.hookSpecificOutput
  const call = async (tool: string, input: object) => {
    const { out } = await cli(['workspace', 'call', tool, JSON.stringify(input), '--room', file, '--json'])
    return JSON.parse(out)
  }
  const edit = { file_path: 'plan.md', old_string: 'one', new_string: 'first' }
  const closed = await hook(edit)
  const flags = ['--owner-port', '0', '--ingress-port', '0']
  const running = startCli(['workspace', 'open', file, ...flags, '--json'], { cwd, env: { HOME: cwd } })
  t.after(async () => {
    running.send('SIGTERM')
    await running.done
  })
  await running.heard('out', /"link":/)

  const denied = await hook(edit)
  const { proposals } = await call('proposals', {})
  const elsewhere = await hook({ ...edit, file_path: 'other.md' })
  const misfit = await hook({ ...edit, old_string: 'three' })
  const gemini = await answered({ hook_event_name: 'BeforeTool', tool_input: { ...edit, new_string: '1' } })
  const cursor = await answered({
    hook_event_name: 'preToolUse',
    cwd: '',
    workspace_roots: [cwd],
    tool_name: 'StrReplace',
    tool_input: { path: 'plan.md', old_string: 'one', new_string: 'eins' },
  })
  const whole = { path: file, contents: '# Plan\n\n## Goals\nun\n' }
  const cursorWrite = await answered({ hook_event_name: 'preToolUse', tool_name: 'Write', tool_input: whole })
  const qwen = await answered({
    hook_event_name: 'PreToolUse',
    permission_mode: 'auto_edit',
    tool_name: 'edit',
    tool_input: { file_path: file, old_string: 'one', new_string: 'yi' },
  })
  const patch = (...more: readonly string[]) =>
    ['*** Begin Patch', '*** Update File: plan.md', '@@', '-one', '+uno', ...more, '*** End Patch'].join('\n')
  const codex = await hook({ command: patch() })
  const mixed = await hook({ command: patch('*** Add File: other.md', '+x') })
  await writeFile(file, '# Plan\n\n## Goals\nby hand\n')
  const after = await hook(edit, 'post-edit')
  const cursorEdit = { file_path: file, edits: [{ old_string: 'one', new_string: 'by hand' }] }
  const afterCursor = await answered({ hook_event_name: 'afterFileEdit', ...cursorEdit }, 'post-edit')
  const { version } = await call('status', {})
  const stale = { base_version: 1, target: 'section:Plan/Goals', content: '## Goals\n', summary: 's' }
  const refused = await cli(['workspace', 'call', 'propose', JSON.stringify(stale), '--room', file])

  for (const passed of [closed, elsewhere, misfit, after, afterCursor]) assert.equal(passed, undefined)
  assert.equal(denied.permissionDecision, 'deny')
  assert.match(
    denied.permissionDecisionReason,
    new RegExp(`${proposals[0].proposal_id} for section:Plan/Goals`),
  )
  assert.equal(gemini.decision, 'deny')
  assert.match(gemini.reason, /is proposal prop_\w+ for section:Plan\/Goals/)
  assert.match(codex.permissionDecisionReason, /is proposal prop_\w+ for section:Plan\/Goals/)
  assert.deepEqual([cursor.permission, cursorWrite.permission], ['deny', 'deny'])
  assert.match(cursor.agent_message, /is proposal prop_\w+ for section:Plan\/Goals/)
  assert.match(cursorWrite.user_message, /is proposal prop_\w+ for section:Plan\/Goals/)
  assert.match(
    qwen.hookSpecificOutput.permissionDecisionReason,
    /is proposal prop_\w+ for section:Plan\/Goals/,
  )
  assert.match(mixed.permissionDecisionReason, /in a patch of their own/)
  assert.equal(version, 2)
  assert.match(refused.err, /Next: satchel workspace call workspace_read '\{"section":"Plan\/Goals"\}'/)
  assert.ok(refused.err.includes(` '{"section":"Plan/Goals"}' --room ${file}\n`), refused.err)
  assert.equal(await readFile(file, 'utf8'), '# Plan\n\n## Goals\nby hand\n')
})

test('an edit where another participant holds a lease is refused and becomes no proposal; one beside it does', async (t) => {
  const text = '# Plan\n\n## Goals\none\n\n## Risks\nrain\n'
  const server = await openRoomServer(t, { text })
  const { token } = await server.join('ada')
  const ask = (method: string, path: string, body?: object) =>
    server.ask(server.ingress, method, `/workspace/${path}`, { token, ...(body && { body }) })
  const cwd = dirname(server.file)
  const edited = async (old_string: string, new_string: string) => {
    const input = { cwd, tool_input: { file_path: server.file, old_string, new_string } }
    const argv = ['workspace', 'hook', 'pre-edit', '--harness', 'claude-code']
    const { code, out } = await startCli(argv, { cwd, env: { HOME: cwd }, stdin: JSON.stringify(input) }).done
    assert.equal(code, 0)
    return JSON.parse(out).hookSpecificOutput as {
      permissionDecision: string
      permissionDecisionReason: string
    }
  }
  const summaries = async () =>
    ((await ask('GET', 'proposals')).json['proposals'] as { summary: string }[]).map(({ summary }) => summary)
  const { json: lease } = await ask('POST', 'checkout', { target: 'section:Plan/Goals' })

  const refused = await edited('one', 'first')
  const refusedAbove = await edited('# Plan', '# The plan')
  const afterRefusals = await summaries()
  const beside = await edited('rain', 'snow')
  await ask('POST', 'release', { lease_id: lease['lease_id'] })
  const later = await edited('one', 'first')

  for (const { permissionDecision, permissionDecisionReason } of [refused, refusedAbove]) {
    assert.equal(permissionDecision, 'deny')
    assert.match(
      permissionDecisionReason,
      /^Another participant .* holds a lease on section:Plan\/Goals until /,
    )
  }
  assert.deepEqual(afterRefusals, [])
  for (const { permissionDecisionReason } of [beside, later])
    assert.match(permissionDecisionReason, /is proposal prop_\w+/)
  assert.deepEqual(await summaries(), ['Edit of section:Plan/Goals', 'Edit of section:Plan/Risks'])
  assert.equal(await readFile(server.file, 'utf8'), text)
})
