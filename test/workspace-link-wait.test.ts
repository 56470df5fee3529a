import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { type Message, modern } from '../server/mcp/testing/messages.ts'
import { openStdio } from '../server/mcp/testing/stdio-client.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

/** Longer than a link repeats a call that the remote server did not answer. */
const PAST_THE_LINK_MS = 2500

/** An agent of another machine, with nothing but the address and an invitation. */
async function connect(t: TestContext, server: RoomServer) {
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const settings = { connect: server.ingress, invite: String(invited.json['uri']), name: 'ada' }
  const env = { HOME: await temporaryFolder(t) }
  const plugins = [{ plugin: workspacePlugin(realWorld), settings }]
  const client = openStdio(t, (await openHost(t, { plugins, env })).host)
  const dataOf = (message: Message) =>
    (message['result'] as { structuredContent: Record<string, unknown> }).structuredContent
  return {
    client,
    send: (id: number, name: string, args: object, _meta: object = {}) =>
      client.send(modern(id, 'tools/call', { name, arguments: args, _meta })),
    answer: async (id: number) => dataOf(await client.answer(id)),
  }
}

test('an agent that waits over a link is woken although the room was away meanwhile, and is told of progress', async (t) => {
  const server = await openRoomServer(t)
  const agent = await connect(t, server)
  agent.send(1, 'workspace_propose', { base_version: 1, summary: 's', content: 'x' })
  const { proposal_id } = await agent.answer(1)
  const progress = () => agent.client.received.filter(({ method }) => method === 'notifications/progress')

  agent.send(2, 'workspace_wait', { proposal_id, timeout_s: 300 }, { progressToken: 'w' })
  await agent.client.find(({ method }) => method === 'notifications/progress')
  await server.stop()
  await pause(PAST_THE_LINK_MS)
  const ingressPort = Number(new URL(server.ingress).port)
  const again = await openRoomServer(t, { file: server.file, ingressPort })
  const { token } = await again.join('other', ['*'])
  const body = { proposal_id, approve: true }
  await again.ask(again.ingress, 'POST', '/workspace/proposal/review', { token, body })
  const woken = await agent.answer(2)

  assert.deepEqual([woken['happened'], woken['status']], [true, 'approved'])
  const done = progress().map(({ params }) => params as { progress: number; total: number })
  assert.ok(done.length > 1, 'progress while the room was away')
  for (const { progress: passed, total } of done) assert.ok(passed >= 0 && passed <= total && total === 300)
})

test('a wait over a link says immediately what is wrong with it, and ends with its time', async (t) => {
  const server = await openRoomServer(t)
  const agent = await connect(t, server)

  agent.send(1, 'workspace_wait', { proposal_id: 'prop_0000000000000000', timeout_s: 300 })
  agent.send(2, 'workspace_wait', { timeout_s: 300 })
  agent.send(3, 'workspace_wait', { since_event_id: 0, timeout_s: 301 })
  agent.send(4, 'workspace_wait', { since_event_id: 0, timeout_s: 300 })
  const answers = await Promise.all([1, 2, 3, 4].map((id) => agent.answer(id)))
  agent.send(5, 'workspace_wait', { since_event_id: answers[3]?.['latest_event_id'], timeout_s: 1 })
  const ended = await agent.answer(5)

  const reasons = answers.map((answer) => (answer['error'] as { reason: string } | undefined)?.reason)
  assert.deepEqual(reasons, ['proposal_not_found', 'invalid_request', 'invalid_arguments', undefined])
  assert.deepEqual([answers[3]?.['happened'], ended['happened']], [true, false])
})

test('waits over a link keep no other call from being sent', async (t) => {
  const server = await openRoomServer(t)
  const agent = await connect(t, server)
  agent.send(1, 'workspace_status', {})
  await agent.answer(1)
  const { latest_event_id } = await (async () => {
    agent.send(2, 'workspace_wait', { since_event_id: 0 })
    return agent.answer(2)
  })()

  const waits = Array.from({ length: 20 }, (_, n) => 10 + n)
  for (const id of waits)
    agent.send(id, 'workspace_wait', { since_event_id: latest_event_id, timeout_s: 300 })
  agent.send(3, 'workspace_propose', { base_version: 1, summary: 's', content: 'x' })
  const proposed = await agent.answer(3)
  const woken = await Promise.all(waits.map((id) => agent.answer(id)))

  assert.match(String(proposed['proposal_id']), /^prop_/)
  assert.ok(woken.every(({ happened }) => happened === true))
})
