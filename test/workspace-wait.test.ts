import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'
import { killed } from './harness/killed.ts'
import { listening } from './harness/listening.ts'
import { undoAfter } from './harness/undo.ts'
import { KEPT_CODE, printedJson, runSatchel, SATCHEL } from './satchel-process.ts'
import { spawnRoomProcess } from './workspace-process.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

test('waiting answers when it happened, immediately when it had, and never for old events', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])
  const wait = (query: string) => server.ask(server.ingress, 'GET', `/workspace/wait?${query}`, { token })
  const post = async (path: string, body: object) =>
    (await server.ask(server.ingress, 'POST', `/workspace/${path}`, { token, body })).json
  const propose = (content: string) => post('propose', { base_version: 1, summary: 's', content })

  const { proposal_id } = await propose('x')
  const early = (await wait(`proposal_id=${proposal_id}&timeout_s=0`)).json
  const since = early['latest_event_id']
  const nothing = (await wait(`since_event_id=${since}&timeout_s=0`)).json
  const [reviewed, events] = await Promise.all([
    wait(`proposal_id=${proposal_id}&timeout_s=60`),
    wait(`since_event_id=${since}&timeout_s=60`),
    post('proposal/review', { proposal_id, approve: true }),
  ])
  const ahead = (await wait('since_event_id=99999&timeout_s=60')).json
  const again = (await wait(`proposal_id=${proposal_id}&timeout_s=60`)).json
  const both = await wait(`proposal_id=${proposal_id}&since_event_id=0`)
  const unknown = await wait('proposal_id=prop_0000000000000000')

  assert.deepEqual([early['happened'], early['status'], nothing['happened']], [false, 'pending', false])
  assert.deepEqual([reviewed.json['happened'], reviewed.json['status']], [true, 'approved'])
  assert.deepEqual(events.json['counts'], { 'proposal.approved': 1 })
  assert.deepEqual(events.json['next'], { tool: 'workspace_changes', args: { since_event_id: since } })
  assert.deepEqual([ahead['happened'], ahead['gap'], ahead['counts']], [true, true, {}])
  assert.equal('gap' in events.json, false)
  assert.equal(again['status'], 'approved')
  assert.deepEqual([both.status, unknown.status], [400, 404])
})

test('an agent that waits is woken although the process that had the room was killed meanwhile', async (t) => {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, '# Plan\n')
  const spawned = async (name: string) => {
    const agent = spawnRoomProcess(t, { name, args: ['--room', file, '--profile', 'full', '--as', 'owner'] })
    await agent.call('workspace_status', {})
    return agent
  }
  const owner = await spawned('first')
  const waiter = await spawned('waiter')
  const other = await spawned('other')
  const { proposal_id } = await waiter.call('workspace_propose', {
    base_version: 1,
    summary: 's',
    content: 'x',
  })

  const waiting = waiter.call('workspace_wait', { proposal_id, timeout_s: 300 })
  await waiter.call('workspace_status', {})
  await new Promise((done) => setTimeout(done, PAST_THE_LINK_MS))
  await killed(owner.child)
  await other.call('workspace_review', { proposal_id, approve: true })

  const { happened, status } = await waiting
  assert.deepEqual([happened, status], [true, 'approved'])
})

test('an agent that begins to wait at an owner that hangs and is killed is woken by the next one', async (t) => {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, '# Plan\n')
  const args = ['--room', file, '--profile', 'full', '--as', 'owner']
  const [owner, waiter, other] = ['first', 'waiter', 'other'].map((name) =>
    spawnRoomProcess(t, { name, args }),
  )
  assert.ok(owner && waiter && other)
  await owner.call('workspace_status', {})
  const { proposal_id } = await waiter.call('workspace_propose', {
    base_version: 1,
    summary: 's',
    content: 'x',
  })
  owner.child.kill('SIGSTOP')

  const waiting = waiter.call('workspace_wait', { proposal_id, timeout_s: 300 })
  await new Promise((done) => setTimeout(done, PAST_THE_LINK_MS))
  await killed(owner.child)
  await other.call('workspace_review', { proposal_id, approve: true })

  const { happened, status } = await waiting
  assert.deepEqual([happened, status], [true, 'approved'])
})

/** Longer than a link repeats a call that an owner did not answer. */
const PAST_THE_LINK_MS = 2500

test('the verb goes on waiting while the room is away, and says immediately that there is none', async (t) => {
  const home = await temporaryFolder(t)
  const answers = [
    { status: 200, body: { happened: false, latest_event_id: 4 } },
    undefined,
    { status: 503, body: { code: 'unavailable', reason: 'room_not_running', detail: 'closed' } },
    { status: 200, body: { happened: true, latest_event_id: 5, counts: { 'change.committed': 1 } } },
  ]
  const server = createServer((request, response) => {
    const next = answers.shift()
    if (!next) return void request.socket.destroy()
    response.writeHead(next.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(next.body))
  })
  const { url } = await listening(t, server)
  const folder = join(home, '.config', 'satchel', 'sessions')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'ws_1.json'), JSON.stringify({ url, token: 'ses_x', workspace_id: 'ws_1' }))
  const wait = () =>
    startCli(['workspace', 'wait', '--since', '4', '--json'], { cwd: home, env: { HOME: home } }).done

  const woken = await wait()
  const refused = await wait()

  assert.deepEqual([woken.code, JSON.parse(woken.out).happened], [0, true])
  assert.equal(refused.code, 7)
})

test('half of a surrogate pair is refused at its place, and nothing is stored', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])
  const body = { base_version: 1, summary: 'half \ud834', content: 'x' }

  const { status, json } = await server.ask(server.ingress, 'POST', '/workspace/propose', { token, body })

  assert.equal(status, 400)
  assert.equal((json['details'] as { errors: { pointer: string }[] }).errors[0]?.pointer, '/summary')
})

test('a search finds lines with their section, versions, proposals and events', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])
  const content = '# Plan\n\n## Goals\none and two\n'
  const committed = { base_version: 1, summary: 'Add to the goals', content }
  await server.ask(server.ingress, 'POST', '/workspace/commit', { token, body: committed })
  const body = { base_version: 2, summary: 'Say goals plainly', content: 'x' }
  await server.ask(server.ingress, 'POST', '/workspace/propose', { token, body })

  const { json } = await server.ask(server.ingress, 'GET', '/workspace/search?query=GOALS', { token })

  const matches = json['matches'] as { kind: string; ref: string; line?: number }[]
  const kinds = [...new Set(matches.map(({ kind }) => kind))]
  assert.deepEqual(kinds, ['document', 'version', 'proposal', 'event'])
  assert.match(matches[0]?.ref ?? '', /^section:.*Goals$/)
  assert.deepEqual(
    matches.filter(({ kind }) => kind === 'version').map(({ ref }) => ref),
    ['2'],
  )
})

/** A server in a process of its own, with the pipe of standard input that a supervisor gives it. */
async function served(t: TestContext, words: readonly string[], cwd: string) {
  const [program, ...first] = SATCHEL
  const child = spawn(program, [...first, ...words, '--json'], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd, ...KEPT_CODE },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  undoAfter(t, () => killed(child))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { ingress, listeners } = JSON.parse(line)
  return { child, address: ingress ?? listeners[0].address }
}

for (const [door, ...words] of [
  ['workspace open', 'workspace', 'open', 'plan.md', '--owner-port', '0', '--ingress-port', '0'],
  ['serve', 'serve', '--port', '0'],
  ['mcp over HTTP', 'mcp', '--transport', 'streamable-http', '--port', '0'],
]) {
  test(`a wait is answered when the process of ${door} is asked to end`, async (t) => {
    const cwd = await temporaryFolder(t)
    const room = ['--room', 'plan.md', '--json']
    await writeFile(join(cwd, 'plan.md'), '# Plan\n')
    await writeFile(join(cwd, 'satchel.yaml'), 'workspace: { file: plan.md }\n')
    const { child, address } = await served(t, words, cwd)
    const { uri } = printedJson(await runSatchel(cwd, ['workspace', 'invite', ...room]))
    const joined = await fetch(`${address}/session/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invite: uri, name: 'ada', kind: 'agent' }),
    })
    const { token } = (await joined.json()) as { token: string }
    const { latest_event_id } = printedJson(await runSatchel(cwd, ['workspace', 'events', ...room]))

    const query = `since_event_id=${latest_event_id}&timeout_s=300`
    const headers = { authorization: `Bearer ${token}`, expect: '100-continue' }
    const asked = get(`${address}/workspace/wait?${query}`, { headers })
    await once(asked, 'continue')
    child.kill('SIGTERM')
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const { happened } = (await json(answer)) as { happened: boolean }
    const [code] = await once(child, 'exit')

    assert.deepEqual([answer.statusCode, happened, code], [200, false, 0])
  })
}

test('an agent that waits is answered when its own server is asked to end', async (t) => {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, '# Plan\n')
  const agent = spawnRoomProcess(t, { name: 'ada', args: ['--room', file, '--profile', 'full'] })
  const { latest_event_id } = await agent.call('workspace_events', { since_event_id: 0 })

  const waiting = agent.call('workspace_wait', { since_event_id: latest_event_id, timeout_s: 300 })
  await agent.call('workspace_status', {})
  agent.child.kill('SIGTERM')

  assert.equal((await waiting)['happened'], false)
})
