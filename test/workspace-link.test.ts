import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { initialize, legacy, type Message, modern } from '../server/mcp/testing/messages.ts'
import { openStdio, type StdioClient } from '../server/mcp/testing/stdio-client.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { listening } from './harness/listening.ts'
import { listenerOf, openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

async function inviteTo(server: RoomServer): Promise<string> {
  const { json } = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  return String(json['uri'])
}

/** A stdio server of another machine's user, with nothing but the address and an invitation. */
async function connect(
  t: TestContext,
  home: string,
  settings: Record<string, unknown>,
): Promise<StdioClient> {
  const { host } = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings }],
    env: { HOME: home },
  })
  return openStdio(t, host)
}

const resultOf = (message: Message) => message['result'] as Record<string, unknown>
const call = (id: number, name: string, args: object = {}) =>
  modern(id, 'tools/call', { name, arguments: args })
const dataOf = (message: Message) => resultOf(message)['structuredContent'] as Record<string, unknown>

test('an invitation begins a session once, and the next start takes it up', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const invite = await inviteTo(server)
  const first = await connect(t, home, { connect: server.ingress, invite, name: 'ada' })
  first.send(modern(1, 'server/discover'))
  await first.answer(1)
  assert.deepEqual(await readdir(home), [])

  first.send(call(2, 'workspace_status'))
  const status = dataOf(await first.answer(2))
  const folder = join(home, '.config', 'satchel', 'sessions')
  const [name = ''] = await readdir(folder)
  const second = await connect(t, home, { connect: server.ingress, invite, name: 'ada' })
  second.send(call(1, 'workspace_status'))
  const again = dataOf(await second.answer(1))

  assert.match(name, new RegExp(`^${server.workspaceId}-[0-9a-f]{16}\\.json$`))
  assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
  assert.equal(JSON.stringify(again).includes(server.workspaceId), true)
  assert.deepEqual(Object.keys(again), Object.keys(status))
})

/** Micros of a clock that a test moves. */
const movable = () => {
  let passed = 0
  const clock = { nowMicros: () => Date.now() * 1000 + passed * 60_000_000 }
  const pass = (minutes: number): void => {
    passed += minutes
  }
  return { clock, pass }
}

const youIn = (message: Message) => dataOf(message)['you'] as { name: string; participant_id: string }

test('over a link each client keeps its own name and session; a session that ran out is renewed, one that was revoked is not', async (t) => {
  const { clock, pass } = movable()
  const server = await openRoomServer(t, clock)
  const home = await temporaryFolder(t)
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: { max_uses: 5 } })
  const settings = { connect: server.ingress, invite: String(invited.json['uri']) }
  const first = await connect(t, home, settings)
  const second = await connect(t, home, settings)
  const statusOf = async (client: StdioClient, id: number) => {
    client.send(call(id, 'workspace_status'))
    return client.answer(id)
  }
  second.send(initialize())
  second.send(legacy(1, 'tools/call', { name: 'workspace_status', arguments: {} }))
  const [one, two] = [youIn(await statusOf(first, 1)), youIn(await second.answer(1))]

  pass(9 * 60)
  const renewed = youIn(await statusOf(first, 2))
  const again = await connect(t, home, settings)
  const taken = youIn(await statusOf(again, 1))
  const admin = await server.join('admin', ['*'])
  const listed = await server.ask(server.ingress, 'GET', '/workspace/sessions?live=true', {
    token: admin.token,
  })
  const sessions = listed.json['sessions'] as { session_id: string; participant_id: string }[]
  const own = sessions.find(({ participant_id }) => participant_id === one.participant_id)
  await server.ask(server.ingress, 'DELETE', `/workspace/sessions/${own?.session_id}`, { token: admin.token })
  const revoked = await statusOf(first, 3)

  assert.deepEqual([one.name, two.name], ['test', 'old'])
  assert.deepEqual([renewed, taken], [one, one])
  assert.match(JSON.stringify(revoked), /session_expired/)
  const { json } = await server.ask(server.ingress, 'GET', '/workspace/participants', { token: admin.token })
  const names = (json['participants'] as { name: string }[]).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => name.startsWith('test')),
    ['test'],
  )
})

test('a proposal made through the link is in the room, and its change comes back as a hint', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const client = await connect(t, home, { connect: server.ingress, invite: await inviteTo(server) })
  const old = await connect(t, home, { connect: server.ingress, invite: await inviteTo(server) })
  const uri = 'satchel://workspace/proposals'
  client.send(modern(1, 'tools/list'), modern(2, 'resources/read', { uri: 'satchel://workspace/document' }))
  const tools = resultOf(await client.answer(1))['tools'] as { name: string }[]
  const document = JSON.stringify(resultOf(await client.answer(2))['contents'])
  client.send(modern(3, 'resources/subscribe', { uri }))
  await client.answer(3)
  old.send(initialize(), legacy(1, 'resources/subscribe', { uri }))
  await old.answer(1)

  const proposal = {
    target: 'section:Plan/Goals',
    base_version: 1,
    content: '## Goals\ntwo\n',
    summary: 'two',
  }
  client.send(call(4, 'workspace_propose', proposal))
  const proposed = resultOf(await client.answer(4))
  const hints = await Promise.all(
    [client, old].map((each) => each.find(({ method }) => method === 'notifications/resources/updated')),
  )

  assert.ok(tools.some(({ name }) => name === 'workspace_propose'))
  assert.match(document, /## Goals/)
  assert.ok(!proposed['isError'], JSON.stringify(proposed))
  for (const hint of hints) assert.deepEqual(hint['params'], { uri })
  assert.match(await readFile(server.file, 'utf8'), /one/)
})

/** A port without an answer: resolves when a call was cut off at this port, and the port is free again. */
async function cutOff(port: number, call: () => void): Promise<void> {
  const mute = createServer(({ method, socket }) => {
    socket.destroy()
    if (method === 'POST') mute.emit('called')
  })
  mute.listen(port, '127.0.0.1')
  await once(mute, 'listening')
  const called = once(mute, 'called')
  call()
  await called
  const closed = once(mute, 'close')
  mute.close()
  await closed
}

test('the room started again under a link: a call made meanwhile happens once, and what was missed is hinted', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const client = await connect(t, home, { connect: server.ingress, invite: await inviteTo(server) })
  const uri = 'satchel://workspace/proposals'
  const hints = () =>
    client.received.filter(({ method }) => method === 'notifications/resources/updated').length
  client.send(modern(1, 'resources/subscribe', { uri }), call(2, 'workspace_status'))
  await client.answer(1)
  const before = dataOf(await client.answer(2))
  const heard = hints()

  await server.stop()
  const ingressPort = Number(new URL(server.ingress).port)
  const propose = () =>
    client.send(call(3, 'workspace_propose', { base_version: 1, content: 'c', summary: 'meanwhile' }))
  const again = await openRoomServer(t, {
    file: server.file,
    ingressPort,
    // A call is made again for two seconds, and a busy machine may take longer to recover a room: that is over by then.
    beforeListening: async (name) => {
      if (name === 'ingress') await cutOff(ingressPort, propose)
    },
  })
  const proposed = dataOf(await client.answer(3))
  await client.find(({ method }) => method === 'notifications/resources/updated' && hints() > heard)
  const missed = hints()
  const { token } = await again.join('other')
  await again.ask(again.ingress, 'POST', '/workspace/propose', {
    token,
    body: { base_version: 1, content: 'd', summary: 'afterwards' },
  })
  await client.find(({ method }) => method === 'notifications/resources/updated' && hints() > missed)
  client.send(call(4, 'workspace_proposals'), call(5, 'workspace_status'))
  const { proposals } = dataOf(await client.answer(4)) as {
    proposals: { proposal_id: string; summary: string }[]
  }
  const after = dataOf(await client.answer(5))

  assert.equal(again.ingress, server.ingress)
  assert.match(String(proposed['proposal_id']), /^prop_/)
  assert.deepEqual(proposals.map(({ summary }) => summary).sort(), ['afterwards', 'meanwhile'])
  assert.notEqual(after['instance_id'], before['instance_id'])
  assert.deepEqual(after['you'], before['you'], 'the same session')
})

test('a room behind serve says its protocol too; another major, and what is not a room, are refused', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const at = { host: '127.0.0.1', port: 0 }
  const api = await listenerOf({})(server.opened.host, { name: 'api', at, mcp: true })
  t.after(() => api.close())
  const linked = await connect(t, home, { connect: api.address, invite: await inviteTo(server) })
  const bearerAt = async (answer: unknown): Promise<string | undefined> => {
    const service = createServer((_, response) => response.writeHead(200).end(JSON.stringify(answer)))
    const { port } = await listening(t, service)
    const settings = { connect: `http://127.0.0.1:${port}`, invite: await inviteTo(server) }
    const { host } = await openHost(t, {
      plugins: [{ plugin: workspacePlugin(realWorld), settings }],
      env: { HOME: home },
    })
    const remote = host.registry.instances.find(({ instance }) => instance.remote !== undefined)
    return remote?.instance.remote?.bearer()
  }
  const mismatch = { code: 'unavailable', reason: 'protocol_mismatch' }

  linked.send(modern(1, 'tools/list'))
  const tools = resultOf(await linked.answer(1))['tools'] as { name: string }[]

  assert.ok(tools.some(({ name }) => name === 'workspace_propose'))
  await assert.rejects(bearerAt({ name: 'satchel-room', major: 2 }), mismatch)
  await assert.rejects(bearerAt({}), mismatch)
  await assert.rejects(bearerAt(['no room']), mismatch)
})

test('the owner port, a foreign service and a secret in clear are refused', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const owner = await connect(t, home, { connect: server.owner, invite: await inviteTo(server) })
  const uninvited = await connect(t, home, { connect: server.ingress })

  owner.send(modern(1, 'tools/list'))
  uninvited.send(modern(1, 'tools/list'))

  assert.deepEqual(resultOf(await owner.answer(1))['tools'], [])
  assert.deepEqual(resultOf(await uninvited.answer(1))['tools'], [])
  await assert.rejects(connect(t, home, { connect: 'http://example.org' }), {
    code: 'invalid',
    reason: 'invalid_request',
  })
})
