import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runningOwner } from '../plugins/workspace/commands/target.ts'
import type { RoomEvent } from '../plugins/workspace/domain/event.ts'
import { type Disk, realDisk } from '../plugins/workspace/engine/disk.ts'
import { roomPlace } from '../plugins/workspace/engine/open-room.ts'
import type { Attached, Attachment } from '../plugins/workspace/house/attachment.ts'
import { realWorld } from '../plugins/workspace/house/clock.ts'
import { principalOf } from '../plugins/workspace/house/credentials.ts'
import { createFollower } from '../plugins/workspace/house/follower.ts'
import { createHouse, type House } from '../plugins/workspace/house/house.ts'
import type { LocalSession } from '../plugins/workspace/house/local-session.ts'
import type { Owner } from '../plugins/workspace/house/owner.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import type { ActorChange } from '../plugins/workspace/room/change.ts'
import { invite as inviteAt } from '../plugins/workspace/room/invitations.ts'
import type { Joined } from '../plugins/workspace/room/members.ts'
import { type ProposeInput, propose as proposeAt } from '../plugins/workspace/room/proposals.ts'
import type { Room } from '../plugins/workspace/room/room.ts'
import { proposalView } from '../plugins/workspace/room/views.ts'
import { roomTasks } from '../plugins/workspace/tasks.ts'
import { roomTools } from '../plugins/workspace/tools/room-tools.ts'
import type { CallContext } from '../server/contract/context.ts'
import type { Host } from '../server/plugin.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { openTestRoom } from './workspace-fixture.ts'
import { BUILT, ownerPid, spawnRoomProcess } from './workspace-process.ts'
import { listenerOf, openRoomServer } from './workspace-server-fixture.ts'

async function roomFile(t: TestContext): Promise<string> {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, '# Plan\n')
  return file
}

/** A process of its own in all but the process: a host as `satchel mcp --room FILE` has it, called as its stdio client. */
async function stdioHost(
  t: TestContext,
  file: string,
  settings: Record<string, unknown> = {},
  client = 'robot',
) {
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings: { file, ...settings } }],
    openListener: listenerOf({}),
  })
  const hints: string[] = []
  opened.host.hub.on('*', (signal) => void (signal.kind === 'resource' && hints.push(signal.uri)))
  const call = (tool: string, input: Record<string, unknown> = {}) =>
    opened.call(tool, input, { localTransport: 'stdio', client: { name: client, version: '1' } })
  return { ...opened, call, hints }
}

/** Waits for what shall become true; a minute is longer than anything here takes. */
async function until(isSo: () => boolean): Promise<void> {
  const late = performance.now() + 60_000
  while (!isSo()) {
    assert.ok(performance.now() < late, 'it never came')
    await pause(5)
  }
}

const propose = (n: number) => ({ base_version: 1, summary: `${n}`, content: 'c' })

test('nothing is touched before the first real room call', async (t) => {
  const file = await roomFile(t)
  const { host } = await stdioHost(t, file)

  assert.deepEqual(await readdir(join(file, '..')), ['plan.md'])
  await host.stop()
  assert.deepEqual(await readdir(join(file, '..')), ['plan.md'])
})

test('completing a target opens no room, and names the sections of one that is open', async (t) => {
  const file = await roomFile(t)
  const { host, context, call } = await stdioHost(t, file)
  const prompt = host.registry.prompts.find((owned) => owned.prompt.name === 'propose-change')?.prompt
  const target = prompt?.arguments.find(({ name }) => name === 'target')
  const complete = () => target?.complete?.(context({ localTransport: 'stdio' }), 'section:')

  const before = await complete()
  const files = await readdir(join(file, '..'))
  await call('workspace_status')
  const after = await complete()

  assert.deepEqual([before, files], [[], ['plan.md']])
  assert.deepEqual(after, ['section:Plan'])
})

test('the first process owns the room, the others reach it, each as a participant of its own', async (t) => {
  const file = await roomFile(t)
  const hosts = await Promise.all([stdioHost(t, file), stdioHost(t, file), stdioHost(t, file)])

  const statuses = await Promise.all(hosts.map(({ call }) => call('workspace_status')))
  await Promise.all(
    hosts.flatMap(({ call }, n) => [
      call('workspace_propose', propose(n)),
      call('workspace_propose', propose(n)),
    ]),
  )
  const listed = await hosts[1]?.call('workspace_proposals')

  const names = statuses.map((status) => (status['you'] as { name: string }).name)
  assert.deepEqual(names.sort(), ['robot', 'robot-2', 'robot-3'])
  assert.equal(new Set(statuses.map((status) => status['instance_id'])).size, 1)
  assert.equal((listed?.['proposals'] as unknown[] | undefined)?.length, 6)
})

test('a stdio agent may propose and commit what was approved, and nothing more; as owner it may all', async (t) => {
  const file = await roomFile(t)
  const agent = await stdioHost(t, file)
  const owner = await stdioHost(t, file, { as: 'owner' })
  const { proposal_id } = await agent.call('workspace_propose', propose(1))
  const denied = { code: 'forbidden', reason: 'permission_denied' }

  await assert.rejects(agent.call('workspace_review', { proposal_id, approve: true }), denied)
  await assert.rejects(agent.call('workspace_invite'), denied)
  await assert.rejects(
    agent.call('workspace_commit', { base_version: 1, content: 'x', summary: 's' }),
    denied,
  )
  await owner.call('workspace_review', { proposal_id, approve: true })
  const { version } = await agent.call('workspace_commit', { proposal_id })

  assert.equal(version, 2)
})

test('an error is the same at the owner and through a bridge, and a key holds over both', async (t) => {
  const file = await roomFile(t)
  const hosts = [await stdioHost(t, file), await stdioHost(t, file)]
  for (const { call } of hosts) {
    await assert.rejects(call('workspace_propose', { ...propose(1), base_version: 7 }), {
      code: 'conflict',
      reason: 'stale_version',
    })
    await assert.rejects(call('workspace_commit', { proposal_id: 'prop_x' }), {
      reason: 'proposal_not_found',
    })
    const input = { ...propose(1), idempotency_key: 'same' }
    const first = await call('workspace_propose', input)
    assert.equal((await call('workspace_propose', input))['proposal_id'], first['proposal_id'])
  }
})

test('when the owner stops the others go on, with the same session, and are told what they may have missed', async (t) => {
  const file = await roomFile(t)
  const first = await stdioHost(t, file)
  await first.call('workspace_status')
  const second = await stdioHost(t, file)
  const third = await stdioHost(t, file)
  const before = [await second.call('workspace_status'), await third.call('workspace_status')]

  await first.host.stop()
  second.hints.length = 0
  const after = await Promise.all([second.call('workspace_status'), third.call('workspace_status')])
  await second.call('workspace_propose', propose(1))
  await third.call('workspace_propose', propose(2))
  await until(() => second.hints.includes('satchel://workspace/proposals'))

  const sessions = (list: Record<string, unknown>[]) =>
    list.map((status) => (status['you'] as { participant_id: string }).participant_id)
  assert.deepEqual(sessions(after), sessions(before))
  assert.notEqual(after[0]?.['instance_id'], before[0]?.['instance_id'])
  assert.equal(after[0]?.['instance_id'], after[1]?.['instance_id'])
})

test('opening the room takes it over from a stdio owner without a failed call, and a second opening is refused', async (t) => {
  const file = await roomFile(t)
  const agent = await stdioHost(t, file)
  await agent.call('workspace_status')
  let failed = 0
  let going = true
  t.after(() => {
    going = false
  })
  const busy = (async () => {
    for (let n = 0; going; n += 1) {
      try {
        // Taken back: a participant may have 100 pending ones. Paced: it may call 600 times a minute.
        const { proposal_id } = await agent.call('workspace_propose', propose(n))
        await pause(25)
        await agent.call('workspace_withdraw', { proposal_id })
      } catch (thrown) {
        failed += 1
        t.diagnostic(String(thrown))
      }
      await pause(25)
    }
  })()

  const server = await openRoomServer(t, { file })
  await agent.call('workspace_propose', propose(1000))
  going = false
  await busy
  const admin = await server.join('admin', ['*'])
  const events = (
    await server.ask(server.ingress, 'GET', '/workspace/events?since_event_id=0&limit=200', {
      token: admin.token,
    })
  ).json
  const types = (events['events'] as { event_type: string }[]).map(({ event_type }) => event_type)

  assert.equal(failed, 0)
  assert.equal(types.filter((type) => type === 'workspace.stopped').length, 1)
  assert.equal(types.filter((type) => type === 'workspace.started').length, 2)
  await assert.rejects(openRoomServer(t, { file }), { code: 'conflict', reason: 'room_locked' })
})

test('a stdio owner that yields refuses who asks it meanwhile, keeps its own calls, and is not the owner again', async (t) => {
  const file = await roomFile(t)
  let release = (): void => {}
  let held: Promise<void> | undefined
  const disk: Disk = {
    ...realDisk,
    rename: async (from, to) => {
      if (to.endsWith('room.db')) await held // the checkpoint of its close
      return realDisk.rename(from, to)
    },
  }
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin({ ...realWorld, engine: { disk } }), settings: { file } }],
    openListener: listenerOf({ after: () => () => {} }), // calls that wait for the room at its socket are never cut
  })
  const status = () => opened.call('workspace_status', {}, { localTransport: 'stdio' })
  const before = await status()
  held = new Promise((done) => {
    release = done
  })
  t.after(() => release())
  const isRefusedPing = (line: string): boolean => {
    const { path, status } = JSON.parse(line) as { path?: string; status?: number }
    return path === '/local/ping' && status === 503
  }

  const opening = openRoomServer(t, { file })
  await until(() => opened.logged.some(isRefusedPing))
  const own = status()
  release()
  const server = await opening
  const after = await own
  const admin = await server.join('admin', ['*'])
  const path = '/workspace/events?since_event_id=0&limit=200'
  const { json } = await server.ask(server.ingress, 'GET', path, { token: admin.token })

  const lives = (json['events'] as RoomEvent[])
    .map(({ event_type }) => event_type)
    .filter((type) => type.startsWith('workspace.'))
  assert.deepEqual(lives, [
    'workspace.created',
    'workspace.started',
    'workspace.stopped',
    'workspace.started',
  ])
  assert.notEqual(after['instance_id'], before['instance_id'])
})

test('a copy of the folder of an open room is a room of its own: nothing asked there reaches the first one', async (t) => {
  const server = await openRoomServer(t)
  const copy = join(await temporaryFolder(t), 'copy')
  await cp(dirname(server.file), copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  const file = join(copy, 'plan.md')
  const { call } = await stdioHost(t, file, { as: 'owner' })
  const before = await readFile(server.file, 'utf8')

  const ownerBefore = await runningOwner(roomPlace(file, {}))
  await call('workspace_commit', { base_version: 1, content: 'c', summary: 's' })

  assert.equal(ownerBefore, undefined)
  assert.deepEqual([await readFile(file, 'utf8'), await readFile(server.file, 'utf8')], ['c', before])
  assert.ok(await runningOwner(roomPlace(server.file, {})))
})

test('a process that stops leaves the room', async (t) => {
  const file = await roomFile(t)
  const first = await stdioHost(t, file)
  await first.call('workspace_status')
  const second = await stdioHost(t, file)
  await second.call('workspace_status')

  await second.host.stop()

  const { participants } = (await first.call('workspace_participants')) as {
    participants: { name: string }[]
  }
  assert.deepEqual(
    participants.map(({ name }) => name),
    ['robot'],
  )
})

// --- real processes ------------------------------------------------------------------------------------------------

const spawnClient = (t: TestContext, file: string, name: string) =>
  spawnRoomProcess(t, { name, args: ['--room', file] })

test('a stdio server started twice, one of them killed, leaves one owner and no participant without a call', async (t) => {
  const file = await roomFile(t)
  const twins = [spawnClient(t, file, 'a'), spawnClient(t, file, 'a')]
  twins[0]?.child.kill('SIGKILL')

  const status = await twins[1]?.call('workspace_status', {})

  assert.equal(Object(status?.['counts']).participants, 1)
  assert.ok(existsSync(join(file, '..', '.plan.md.satchel', 'owner.sock')))
})

const CLIENTS = 10 // design workspace, section 12
const CALLERS = 3

test('ten stdio servers started twice, one of each killed: one owner, no participant without a call; and the owner killed, the room is recovered once', async (t) => {
  const file = await roomFile(t)
  const spawned = (name: string) => spawnRoomProcess(t, { name, args: ['--room', file], program: BUILT })
  const twins = Array.from({ length: CLIENTS }, (_, n) => [spawned(`c${n}`), spawned(`c${n}`)] as const)
  for (const [first] of twins) first.child.kill('SIGKILL')
  const clients = twins.map(([, second]) => second)
  const callers = clients.slice(0, CALLERS)

  await Promise.all(clients.map((client) => client.send('tools/list', {})))
  const statuses = await Promise.all(callers.map((client) => client.call('workspace_status', {})))
  const after = await callers[0]?.call('workspace_status', {})
  const owner = ownerPid(roomPlace(file, {}).sidecar)
  process.kill(owner, 'SIGKILL')
  const survivor = callers.find(({ child }) => child.pid !== owner)
  const told = (await survivor?.call('workspace_events', { since_event_id: 0 })) as { events: RoomEvent[] }

  assert.equal(new Set(statuses.map((status) => status['instance_id'])).size, 1)
  assert.equal(Object(after?.['counts']).participants, CALLERS)
  assert.deepEqual(
    told.events
      .filter(({ event_type }) => event_type.startsWith('workspace.'))
      .map(({ event_type, payload }) => [event_type, payload['status']]),
    [
      ['workspace.created', undefined],
      ['workspace.started', undefined],
      ['workspace.started', 'recovered'],
    ],
  )
  assert.equal(told.events.filter(({ event_type }) => event_type === 'participant.joined').length, CALLERS)
})

test('a bridge that only subscribes is told of changes, and follows its task at the owner', async (t) => {
  const file = await roomFile(t)
  const owner = spawnClient(t, file, 'owner')
  await owner.call('workspace_status', {})
  const bridge = spawnClient(t, file, 'bridge')
  const uri = 'satchel://workspace/proposals'

  await bridge.send('resources/subscribe', { uri })
  await owner.call('workspace_propose', propose(1))
  const told = await bridge.noted(({ params }) => params?.uri === uri)
  const { taskId } = await bridge.call('workspace_handoff_create', { title: 't', objective: 'o' })
  const before = await bridge.send('tasks/get', { taskId })
  await bridge.send('tasks/cancel', { taskId })
  const after = await bridge.send('tasks/get', { taskId })
  const foreign = await owner.send('tasks/get', { taskId })

  assert.ok(told)
  assert.deepEqual(
    [before['status'], after['status'], foreign['status']],
    ['working', 'cancelled', undefined],
  )
})

/** A house whose owner does what it is asked and dies before it answers; then this process owns the room, unless it `stays`. */
async function housePastAnOwner(
  t: TestContext,
  { room, me, stays = false }: { room: Room; me: Joined; stays?: boolean },
  act: (body: string) => Promise<unknown>,
): Promise<House> {
  const dying = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => void act(body).then(() => response.destroy()))
  })
  await new Promise<void>((done) => dying.listen(0, '127.0.0.1', done))
  t.after(() => dying.close())
  const { port } = dying.address() as AddressInfo
  const owner = { room, touch() {}, keep() {} } as unknown as Owner // only what a call needs of an owner
  let current: Attached = { kind: 'there', address: { url: `http://127.0.0.1:${port}` } }
  const attachment: Attachment = {
    attach: async () => current,
    get current() {
      return current
    },
    detach() {
      if (!stays) current = { kind: 'here', owner }
    },
    letGo: async () => {},
    holdBack() {},
    end: async () => {},
  }
  const local: LocalSession = { current: me, get: async () => me, forget() {}, leave: async () => {} }
  return createHouse({ attachment, local, follow() {} })
}

test('a call whose owner died after it happened is not done twice by the process that takes over', async (t) => {
  const { room, join: joinRoom, latest } = await openTestRoom(t)
  const me = await joinRoom('me')
  const work = (change: ActorChange, input: ProposeInput) => proposalView(proposeAt(change, input))
  const house = await housePastAnOwner(t, { room, me }, (body) =>
    room.change(me.session_id, 'workspace_propose', JSON.parse(body), work),
  )
  const tool = roomTools(house, () => []).find(({ name }) => name === 'workspace_propose')
  const before = await latest()

  const ctx = {
    localTransport: 'stdio',
    signal: new AbortController().signal,
    acceptsTask: false,
  } as CallContext
  const answer = await tool?.handler(ctx, propose(1))

  assert.equal(await latest(), before + 1, 'one proposal.created')
  assert.match(String((answer as { proposal_id: string }).proposal_id), /^prop_/)
})

test('an invitation whose secret went with the owner is no answer: room_owner_lost', async (t) => {
  const { room, join: joinRoom, emitted } = await openTestRoom(t)
  const me = await joinRoom('me')
  const house = await housePastAnOwner(t, { room, me }, (body) =>
    room.change(me.session_id, 'workspace_invite', JSON.parse(body), inviteAt),
  )
  const tool = roomTools(house, () => []).find(({ name }) => name === 'workspace_invite')
  const ctx = {
    localTransport: 'stdio',
    signal: new AbortController().signal,
    acceptsTask: false,
  } as CallContext
  const refused: unknown[] = []

  const told = await emitted(async () => {
    await Promise.resolve(tool?.handler(ctx, {})).catch((thrown) => refused.push(thrown.reason))
  })

  assert.deepEqual([told, refused], [['invite.created'], ['room_owner_lost']])
})

test('a task is asked for again where its owner went away, and the review of its result happens once', async (t) => {
  const test = await openTestRoom(t)
  const me = await test.join('me')
  const worker = await test.join('worker', ['propose'])
  const { handoff_id, task_id } = await test.do(me, 'handoff_create', { title: 't', objective: 'o' })
  await test.do(worker, 'handoff_accept', { handoff_id })
  await test.do(worker, 'handoff_result', { handoff_id, summary: 's' })
  const answered = { review: { action: 'accept', content: { approve: true } } }
  let asked = 0
  const house = await housePastAnOwner(t, { room: test.room, me }, async () => {
    asked += 1
    await test.do(me, 'handoff_review', { handoff_id, approve: true })
  })

  const told = await test.emitted(() => roomTasks(house).update(principalOf(me), task_id, answered))
  const after = await roomTasks(house).get(principalOf(me), task_id)

  assert.equal(asked, 1)
  assert.deepEqual(told, ['handoff.approved', 'task.updated'])
  assert.equal(after?.status, 'completed')
})

test('a task whose owner is gone for good says so: room_owner_lost', async (t) => {
  const { room, join: joinRoom } = await openTestRoom(t)
  const me = await joinRoom('me')
  const house = await housePastAnOwner(t, { room, me, stays: true }, async () => {})
  const taskId = `task_${'0'.repeat(32)}`

  const asking = roomTasks(house).get(principalOf(me), taskId)

  await assert.rejects(asking, { code: 'unavailable', reason: 'room_owner_lost' })
})

test('a client comes in whatever it calls itself, under the part of it that makes a name', async (t) => {
  const file = await roomFile(t)
  const nameOf = async (client: string) => {
    const { call } = await stdioHost(t, file, {}, client)
    const { you } = (await call('workspace_status')) as { you: { name: string } }
    return you.name
  }

  const names = [await nameOf(''), await nameOf('\u200b \n'), await nameOf('\u{1f600}'.repeat(120))]

  assert.deepEqual(names, ['agent', 'agent-2', '\u{1f600}'.repeat(80)])
})

test('a local session that ended is begun anew at the next call, at the owner and over a bridge', async (t) => {
  const file = await roomFile(t)
  const agent = await stdioHost(t, file)
  const bridge = await stdioHost(t, file, { name: 'bridge' })
  const boss = await stdioHost(t, file, { as: 'owner' })
  await agent.call('workspace_status')
  await bridge.call('workspace_status')
  const { sessions } = (await boss.call('workspace_sessions')) as {
    sessions: { session_id: string; participant_id: string }[]
  }
  const you = (await boss.call('workspace_status'))['you'] as { participant_id: string }
  for (const { session_id, participant_id } of sessions) {
    if (participant_id !== you.participant_id) await boss.call('workspace_session_end', { session_id })
  }

  const again = await Promise.all([agent.call('workspace_status'), bridge.call('workspace_status')])

  assert.deepEqual(
    again.map((status) => (status['you'] as { name: string }).name),
    ['robot', 'bridge'],
  )
})

test('a bridge whose session has ended asks no more with it, and follows the next one at the same owner', async (t) => {
  const asked: string[] = []
  const owner = createServer((request, response) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
    asked.push(token)
    if (token === 'fresh') return void response.write('event: resync\ndata: {"reason":"gap"}\n\n')
    response.writeHead(401, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ code: 'unauthorized', reason: 'session_expired', detail: 'ended' }))
  })
  await new Promise<void>((done) => owner.listen(0, '127.0.0.1', done))
  t.after(() => {
    owner.close()
    owner.closeAllConnections()
  })
  const { port } = owner.address() as AddressInfo
  const attached: Attached = { kind: 'there', address: { url: `http://127.0.0.1:${port}` } }
  let attachments = 0
  const attachment: Attachment = {
    attach: async () => {
      attachments += 1
      return { ...attached }
    },
    current: attached,
    detach() {},
    letGo: async () => {},
    holdBack() {},
    end: async () => {},
  }
  const hints: string[] = []
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const host = { log, resourceChanged: (uri: string) => void hints.push(uri) } as unknown as Host
  const follower = createFollower(host, attachment)
  t.after(() => follower.stop())
  const sessionOf = (token: string): Joined => ({
    token,
    session_id: 'ssn_0',
    participant_id: 'par_0',
    workspace_id: 'ws_0',
    capabilities: [],
    expires_at: '',
  })

  follower.follow(attached, sessionOf('ended'))
  await until(() => {
    if (hints.length === 0) follower.follow(attached, sessionOf('fresh')) // as every later call does
    return hints.length > 0
  })

  assert.deepEqual([asked, attachments], [['ended', 'fresh'], 0])
  assert.equal(hints.length, 5, 'everything may have changed, said once')
})

test('a bridge whose client stops reading, and one whose client closed its end, hold up no commit', async (t) => {
  const file = await roomFile(t)
  const start = (name: string) => spawnRoomProcess(t, { name, args: ['--room', file] })
  const owner = start('owner')
  await owner.call('workspace_status', {})
  const [deaf, gone] = [start('deaf'), start('gone')]
  for (const bridge of [deaf, gone]) {
    await bridge.send('resources/subscribe', { uri: 'satchel://workspace/status' })
    await bridge.call('workspace_status', {})
  }
  const exit = once(gone.child, 'exit')

  deaf.child.stdout?.pause()
  gone.child.stdout?.destroy()
  const asked = deaf.call('workspace_propose', propose(0))
  void gone.call('workspace_status', {})
  for (let n = 1; n <= 20; n++) await owner.call('workspace_propose', propose(n))
  assert.deepEqual(await exit, [0, null])
  deaf.child.stdout?.resume()

  assert.equal(typeof (await asked)['proposal_id'], 'string')
  const { proposals } = (await deaf.call('workspace_proposals', {})) as { proposals: unknown[] }
  assert.equal(proposals.length, 21)
})
