import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL } from '../plugins/handoff/testing/fixture.ts'
import { endedProcess } from './harness/ended-process.ts'
import { processorTime } from './hook-process.ts'

const SATCHEL = join(import.meta.dirname, '../dist/satchel.js')

/**
 * A harness that gives its server no session id: it starts the server and has a draft written, before or after the first hook of
 * the session, and then compacts. Its hooks run in a shell. Prints what the hook at the new start printed.
 */
const HARNESS = `
  import { execFileSync, spawn } from 'node:child_process'
  import { once } from 'node:events'
  import { createInterface } from 'node:readline'
  const [satchel, title, sessionId, startsWith, preload] = process.argv.slice(1)
  const hook = (event, more) => execFileSync(
    '/bin/sh',
    ['-c', '"$0" "$1" handoff hook ' + event, process.execPath, satchel],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: preload },
      input: JSON.stringify({ session_id: sessionId, cwd: process.cwd(), ...more }),
    },
  )
  if (startsWith === 'hook') hook('session-start', { source: 'startup' })
  const server = spawn(process.execPath, [satchel, 'mcp', '--profile', 'full'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface(server.stdout)
  const META = 'io.modelcontextprotocol/'
  const _meta = {
    [META + 'protocolVersion']: '2026-07-28',
    [META + 'clientInfo']: { name: 'some-harness', version: '1' },
    [META + 'clientCapabilities']: {},
  }
  const args = { title, objective: 'the own objective', current_state: 'begun', parent: 'none' }
  const params = { name: 'handoff_create', arguments: args, _meta }
  const answered = once(lines, 'line')
  server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) + '\\n')
  await answered
  hook('pre-compact', { trigger: 'auto' })
  process.stdout.write(hook('session-start', { source: 'compact' }))
  server.stdin.end()
  await once(server, 'exit')
`

async function runHarness(root: string, title: string, startsWith: 'hook' | 'server'): Promise<string> {
  const { CLAUDE_CODE_SESSION_ID: _, SATCHEL_SESSION: _2, CLAUDE_PROJECT_DIR: _3, ...env } = process.env
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', HARNESS, SATCHEL, title, title, startsWith, processorTime()],
    {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 600_000,
    },
  )
  const { code, out, err } = await endedProcess(child)
  assert.equal(code, 0, err)
  return out === '' ? '' : JSON.parse(out).hookSpecificOutput.additionalContext
}

test('a session that nothing names is known by its processes, also if it wrote before its first hook', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'of another session' })

  const first = await runHarness(project.root, 'of the first session', 'server')
  const second = await runHarness(project.root, 'of the second session', 'hook')

  assert.match(first, /Title: of the first session/)
  assert.match(second, /Title: of the second session/)
  assert.doesNotMatch(second, /of the first session/)
})

test('a real session is reported from the store that its hooks found, also in a folder of a repository', async (t) => {
  const { root } = await openTestProject(t, { repository: true })
  const folder = join(root, 'packages/parser')
  const cwd = join(folder, 'src')
  mkdirSync(cwd, { recursive: true })
  const id = 'session-of-a-folder'
  const { SATCHEL_SESSION: _, CLAUDE_PROJECT_DIR: _2, ...outer } = process.env
  const env = { ...outer, CLAUDE_CODE_SESSION_ID: id, NODE_OPTIONS: processorTime() }
  const satchel = (words: readonly string[], more: object = {}) =>
    execFileSync(process.execPath, [SATCHEL, 'handoff', ...words], { cwd, env, encoding: 'utf8', ...more })
  const hook = (event: string, more: object) =>
    satchel(['hook', event], { input: JSON.stringify({ session_id: id, cwd, ...more }) })

  satchel(['note', 'next', 'Run the suite'], { env: { ...env, SATCHEL_PROJECT: folder } })
  hook('pre-compact', { trigger: 'auto' })
  assert.match(hook('session-start', { source: 'compact' }), /Run the suite/)

  const { kept, of } = JSON.parse(satchel(['retention', '--session', id, '--json']))
  assert.ok(of > 0)
  assert.equal(kept, of)
})
