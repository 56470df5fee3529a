import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { Attached, Attachment } from '../plugins/workspace/connection/attachment.ts'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { principalOf } from '../plugins/workspace/connection/credentials.ts'
import { createFollower } from '../plugins/workspace/connection/follower.ts'
import type { LocalSession } from '../plugins/workspace/connection/local-session.ts'
import type { Owner } from '../plugins/workspace/connection/owner.ts'
import { createRoomConnection, type RoomConnection } from '../plugins/workspace/connection/room-connection.ts'
import { createFeed } from '../plugins/workspace/feed.ts'
import { createJoint } from '../plugins/workspace/joint.ts'
import type { ActorChange } from '../plugins/workspace/room/change.ts'
import { invite as inviteAt } from '../plugins/workspace/room/invitations.ts'
import type { Joined } from '../plugins/workspace/room/members.ts'
import { type ProposeInput, propose as proposeAt } from '../plugins/workspace/room/proposals.ts'
import type { Room } from '../plugins/workspace/room/room.ts'
import { proposalView } from '../plugins/workspace/room/views.ts'
import { roomTasks } from '../plugins/workspace/tasks.ts'
import { openTestRoom } from '../plugins/workspace/testing/test-room.ts'
import { roomTools } from '../plugins/workspace/tools/room-tools.ts'
import type { CallContext } from '../server/contract/context.ts'
import type { Host } from '../server/plugin.ts'
import { listening } from './harness/listening.ts'
import { until } from './harness/until.ts'
import { spawnRoomProcess } from './workspace-process.ts'
import { roomFile, stdioHost } from './workspace-stdio-host.ts'

/** A room without other plugins: nothing is asked of them. */
const JOINT = createJoint({ projectRoot: '/' } as unknown as Host)
const WAITS = { feed: createFeed, closing: new AbortController().signal, joint: JOINT }

const propose = (n: number) => ({ base_version: 1, summary: `${n}`, content: 'c' })

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

const spawnClient = (t: TestContext, file: string, name: string) =>
  spawnRoomProcess(t, { name, args: ['--room', file] })

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

/** A connection whose owner does what it is asked and dies before it answers; then this process owns the room, unless it `stays`. */
async function connectionPastAnOwner(
  t: TestContext,
  { room, me, stays = false }: { room: Room; me: Joined; stays?: boolean },
  act: (body: string) => Promise<unknown>,
): Promise<RoomConnection> {
  const dying = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => void act(body).then(() => response.destroy()))
  })
  const { port } = await listening(t, dying)
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
  return createRoomConnection({ attachment, local, follow() {}, watch() {}, world: realWorld })
}

test('a call whose owner died after it happened is not done twice by the process that takes over', async (t) => {
  const { room, join: joinRoom, latest } = await openTestRoom(t)
  const me = await joinRoom('me')
  const work = (change: ActorChange, input: ProposeInput) => proposalView(proposeAt(change, input))
  const connection = await connectionPastAnOwner(t, { room, me }, (body) =>
    room.change(me.session_id, 'workspace_propose', JSON.parse(body), work),
  )
  const tool = roomTools(connection, () => [], WAITS).find(({ name }) => name === 'workspace_propose')
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

test('an invitation whose secret went with the owner is not an answer: room_owner_lost', async (t) => {
  const { room, join: joinRoom, emitted } = await openTestRoom(t)
  const me = await joinRoom('me')
  const connection = await connectionPastAnOwner(t, { room, me }, (body) =>
    room.change(me.session_id, 'workspace_invite', JSON.parse(body), inviteAt),
  )
  const tool = roomTools(connection, () => [], WAITS).find(({ name }) => name === 'workspace_invite')
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
  const connection = await connectionPastAnOwner(t, { room: test.room, me }, async () => {
    asked += 1
    await test.do(me, 'handoff_review', { handoff_id, approve: true })
  })

  const told = await test.emitted(() =>
    roomTasks(connection, JOINT).update(principalOf(me), task_id, answered),
  )
  const after = await roomTasks(connection, JOINT).get(principalOf(me), task_id)

  assert.equal(asked, 1)
  assert.deepEqual(told, ['handoff.approved', 'task.updated'])
  assert.equal(after?.status, 'completed')
})

test('a task whose owner never comes back says so: room_owner_lost', async (t) => {
  const { room, join: joinRoom } = await openTestRoom(t)
  const me = await joinRoom('me')
  const connection = await connectionPastAnOwner(t, { room, me, stays: true }, async () => {})
  const taskId = `task_${'0'.repeat(32)}`

  const asking = roomTasks(connection, JOINT).get(principalOf(me), taskId)

  await assert.rejects(asking, { code: 'unavailable', reason: 'room_owner_lost' })
})

test('a client joins under any name it gives, cut to the part that is valid', async (t) => {
  const file = await roomFile(t)
  const nameOf = async (client: string) => {
    const { call } = await stdioHost(t, file, {}, client)
    const { you } = (await call('workspace_status')) as { you: { name: string } }
    return you.name
  }

  const names = [await nameOf(''), await nameOf('\u200b \n'), await nameOf('\u{1f600}'.repeat(120))]

  assert.deepEqual(names, ['agent', 'agent-2', '\u{1f600}'.repeat(80)])
})

test('a local session that ended is replaced at the next call, at the owner and over a bridge', async (t) => {
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
  const { port } = await listening(t, owner)
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
  const start = (name: string) => spawnRoomProcess(t, { name, args: ['--room', file, '--profile', 'full'] })
  const owner = start('owner')
  await owner.call('workspace_status', {})
  const [deaf, closed] = [start('deaf'), start('closed')]
  for (const bridge of [deaf, closed]) {
    await bridge.send('resources/subscribe', { uri: 'satchel://workspace/status' })
    await bridge.call('workspace_status', {})
  }
  const exit = once(closed.child, 'exit')

  deaf.child.stdout?.pause()
  closed.child.stdout?.destroy()
  const asked = deaf.call('workspace_propose', propose(0))
  void closed.call('workspace_status', {})
  for (let n = 1; n <= 20; n++) await owner.call('workspace_propose', propose(n))
  assert.deepEqual(await exit, [0, null])
  deaf.child.stdout?.resume()

  assert.equal(typeof (await asked)['proposal_id'], 'string')
  const { proposals } = (await deaf.call('workspace_proposals', {})) as { proposals: unknown[] }
  assert.equal(proposals.length, 21)
})
