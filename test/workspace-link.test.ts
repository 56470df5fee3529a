import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realWorld } from '../plugins/workspace/house/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { initialize, legacy, type Message, modern, openStdio, type StdioClient } from './mcp/stdio-client.ts'
import { openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

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

  assert.equal(name, `${server.workspaceId}.json`)
  assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
  assert.equal(JSON.stringify(again).includes(server.workspaceId), true)
  assert.deepEqual(Object.keys(again), Object.keys(status))
})

test('a proposal made through the link is in the room, and its change comes back as a hint', async (t) => {
  const server = await openRoomServer(t)
  const home = await temporaryFolder(t)
  const client = await connect(t, home, { connect: server.ingress, invite: await inviteTo(server) })
  const old = await connect(t, home, { connect: server.ingress })
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
