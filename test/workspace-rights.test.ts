import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as z from 'zod'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { type Operation, openTestRoom, type TestRoom } from '../plugins/workspace/testing/test-room.ts'
import { CAPABILITIES, type Capability } from '../server/contract/advanced/principal.ts'
import { isSatchelError } from '../server/contract/errors.ts'
import { definePlugin } from '../server/contract/plugin.ts'
import { defineTool } from '../server/contract/tool.ts'
import { modern } from '../server/mcp/testing/messages.ts'
import { openHost } from './harness/index.ts'
import {
  type Ask,
  askOnce,
  listenerOf,
  mcpAsk,
  openRoomServer,
  type RoomServer,
} from './workspace-server-fixture.ts'

/** What each tool asks of its caller (design workspace, sections 3 and 5); `own`: nothing where it is about oneself. */
const NEEDS: Readonly<Record<string, readonly Capability[] | 'own'>> = {
  workspace_status: ['read'],
  workspace_read: ['read'],
  workspace_changes: ['read', 'observe'],
  workspace_proposals: ['read'],
  workspace_proposal: ['read'],
  workspace_outline: ['read'],
  workspace_history: ['read'],
  workspace_diff: ['read'],
  workspace_events: ['observe'],
  workspace_leases: ['read'],
  workspace_participants: ['read'],
  workspace_invites: ['invite'],
  workspace_sessions: ['admin'],
  workspace_handoff_get: ['read'],
  workspace_handoff_list: ['read'],
  workspace_search: ['read'],
  workspace_wait: ['read', 'observe'],
  workspace_leave: 'own',
  workspace_session_end: 'own',
  workspace_checkout: ['checkout'],
  workspace_renew: ['checkout'],
  workspace_release: ['checkout'],
  workspace_propose: ['propose'],
  workspace_review: ['approve'],
  workspace_withdraw: ['propose'],
  workspace_rebase: ['propose'],
  workspace_commit: ['commit'],
  workspace_invite: ['invite'],
  workspace_invite_revoke: ['invite'],
  workspace_handoff_create: ['propose'],
  workspace_handoff_accept: ['propose'],
  workspace_handoff_result: ['propose'],
  workspace_handoff_review: ['approve'],
  workspace_handoff_cancel: ['propose'],
}

/** Of things in the room, so that a caller that may is not refused. */
async function inputsOf(server: RoomServer, token: string): Promise<Readonly<Record<string, object>>> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await server.ask(server.ingress, 'POST', path, { token, body })).json
  const { proposal_id } = await post('/workspace/propose', { base_version: 1, summary: 's', content: 'c' })
  const { lease_id } = await post('/workspace/checkout', { target: 'section:Plan/Goals' })
  const { invite_id } = await post('/workspace/invite', {})
  const { handoff_id } = await post('/workspace/handoff', { title: 'T', objective: 'O' })
  return {
    workspace_changes: { since_event_id: 0 },
    workspace_events: { since_event_id: 0 },
    workspace_search: { query: 'plan' },
    workspace_wait: { since_event_id: 0 },
    workspace_proposal: { proposal_id },
    workspace_diff: { from_version: 1 },
    workspace_handoff_get: { handoff_id },
    workspace_checkout: { target: 'workspace' },
    workspace_renew: { lease_id },
    workspace_release: { lease_id },
    workspace_propose: { base_version: 1, summary: 's', content: 'c' },
    workspace_review: { proposal_id, approve: false },
    workspace_withdraw: { proposal_id },
    workspace_rebase: { proposal_id },
    workspace_commit: { proposal_id },
    workspace_invite_revoke: { invite_id },
    workspace_handoff_create: { title: 'T', objective: 'O' },
    workspace_handoff_accept: { handoff_id },
    workspace_handoff_result: { handoff_id, summary: 's' },
    workspace_handoff_review: { handoff_id, approve: true },
    workspace_handoff_cancel: { handoff_id },
  }
}

test('every tool of the room is denied to every single capability that is not enough for it, and nothing happens', async (t) => {
  const server = await openRoomServer(t)
  const admin = await server.join('ada', ['*'])
  const inputs = await inputsOf(server, admin.token)
  const routes = server.opened.host.registry.tools.map(
    ({ tool }) => [tool.name, [tool.http ?? []].flat()[0]] as const,
  )
  const latest = async (): Promise<unknown> =>
    (await server.ask(server.ingress, 'GET', '/workspace/room', { token: admin.token })).json[
      'latest_event_id'
    ]
  const call = (token: string, name: string) => {
    const route = routes.find(([tool]) => tool === name)?.[1]
    const input = (inputs[name] ?? {}) as Record<string, unknown>
    const query = new URLSearchParams(
      Object.entries(input).map(([key, value]): [string, string] => [key, String(value)]),
    )
    if (route?.method === 'GET') return server.ask(server.ingress, 'GET', `${route.path}?${query}`, { token })
    return server.ask(server.ingress, route?.method ?? '', route?.path ?? '', { token, body: input })
  }
  assert.deepEqual(Object.keys(NEEDS).sort(), routes.map(([name]) => name).sort())
  const denials = CAPABILITIES.filter((capability) => capability !== 'admin').map(async (capability) => {
    const { token } = await server.join(`only-${capability}`, [capability])
    const wanted = Object.entries(NEEDS).filter(
      ([, needs]) => needs !== 'own' && needs.some((need) => need !== capability),
    )
    return { capability, token, wanted }
  })
  const callers = await Promise.all(denials)
  const before = await latest()

  for (const { capability, token, wanted } of callers) {
    for (const [name] of wanted) {
      const { status, json } = await call(token, name)
      assert.deepEqual([status, json['reason']], [403, 'permission_denied'], `${name} with ${capability}`)
    }
  }

  assert.equal(await latest(), before)
  for (const name of Object.keys(NEEDS).filter((tool) => NEEDS[tool] !== 'own')) {
    const { status, json } = await call(admin.token, name)
    assert.notEqual(json['reason'], 'permission_denied', name)
    assert.notEqual(status, 401, name)
  }
})

test('what belongs to another is refused also with the capability, and nothing happens', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose', 'checkout', 'approve'])
  const cem = await room.join('cem', ['read', 'propose', 'checkout', 'commit', 'approve', 'invite'])
  const { lease_id } = await room.do(bob, 'checkout', { target: 'workspace' })
  const { proposal_id } = await room.do(bob, 'propose', { base_version: 1, summary: 's', content: 'c' })
  const addressed = await room.do(ada, 'handoff_create', {
    title: 'T',
    objective: 'O',
    to: bob.participant_id,
  })
  const taken = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  await room.do(bob, 'handoff_accept', { handoff_id: taken.handoff_id })
  const ready = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  await room.do(bob, 'handoff_accept', { handoff_id: ready.handoff_id })
  await room.do(bob, 'handoff_result', { handoff_id: ready.handoff_id, summary: 's' })
  const latest = await room.latest()
  const cases: readonly (readonly [typeof bob, Operation, object])[] = [
    [cem, 'renew', { lease_id }],
    [cem, 'release', { lease_id }],
    [cem, 'withdraw', { proposal_id }],
    [cem, 'leave', { participant_id: bob.participant_id }],
    [cem, 'session_end', { session_id: bob.session_id }],
    [cem, 'handoff_accept', { handoff_id: addressed.handoff_id }],
    [cem, 'handoff_result', { handoff_id: taken.handoff_id, summary: 's' }],
    [cem, 'handoff_cancel', { handoff_id: taken.handoff_id }],
    [bob, 'handoff_review', { handoff_id: ready.handoff_id, approve: true }], // their own work
  ]

  for (const [who, operation, input] of cases) {
    const call = room.do(who, operation, input as never)
    await assert.rejects(call, { code: 'forbidden', reason: 'permission_denied' }, operation)
  }

  assert.equal(await room.latest(), latest)
})

test('an id of another room is answered like one that never existed', async (t) => {
  const [here, there] = [await openTestRoom(t), await openTestRoom(t)]
  const ada = await here.join('ada')
  const eve = await there.join('eve')
  const made = await thingsIn(there, eve)
  const random = Object.fromEntries(
    Object.entries(made).map(([key, id]) => [key, id.replace(/[0-9a-f]{16}$/, 'f'.repeat(16))]),
  ) as typeof made
  const answers = async (ids: typeof made): Promise<readonly unknown[]> => {
    const calls: readonly (readonly [Operation, object])[] = [
      ['renew', { lease_id: ids.lease_id }],
      ['review', { proposal_id: ids.proposal_id, approve: true }],
      ['invite_revoke', { invite_id: ids.invite_id }],
      ['handoff_accept', { handoff_id: ids.handoff_id }],
      ['leave', { participant_id: ids.participant_id }],
      ['session_end', { session_id: ids.session_id }],
    ]
    return Promise.all(calls.map(([operation, input]) => refusedBy(here, ada, operation, input)))
  }

  const [foreign, unknown] = [await answers(made), await answers(random)]

  assert.deepEqual(foreign, unknown)
})

async function thingsIn(room: TestRoom, who: Awaited<ReturnType<TestRoom['join']>>) {
  const { lease_id } = await room.do(who, 'checkout', { target: 'workspace' })
  const { proposal_id } = await room.do(who, 'propose', { base_version: 1, summary: 's', content: 'c' })
  const { invite_id } = await room.do(who, 'invite', {})
  const { handoff_id } = await room.do(who, 'handoff_create', { title: 'T', objective: 'O' })
  const { participant_id, session_id } = who
  return { lease_id, proposal_id, invite_id, handoff_id, participant_id, session_id }
}

/** The refusal, with the ids that were asked for taken out of its words. */
async function refusedBy(
  room: TestRoom,
  who: Awaited<ReturnType<TestRoom['join']>>,
  operation: Operation,
  input: object,
): Promise<unknown> {
  try {
    await room.do(who, operation, input as never)
    return 'no refusal'
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    const { code, reason, message, details } = thrown
    return [
      code,
      reason,
      message.replace(/[0-9a-f]{16}/g, '…'),
      JSON.stringify(details ?? {}).replace(/[0-9a-f]{16}/g, '…'),
    ]
  }
}

const other = definePlugin({
  name: 'other',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    tools: [
      defineTool({
        name: 'count_sheep',
        title: 'Count sheep',
        description: 'Counts sheep.',
        profile: 'core',
        annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
        input: z.object({}),
        output: z.object({ sheep: z.number() }),
        http: { method: 'GET', path: '/sheep' },
        example: {},
        handler: async () => ({ sheep: 3 }),
        headline: ({ sheep }) => `${sheep} sheep.`,
      }),
    ],
  }),
})

test('a session of the room reaches no tool of another plugin with any capabilities, where one listener serves both', async (t) => {
  const { api, token } = await servedBeside(t)

  const rest = await askOnce(api, 'GET', '/sheep', { token })
  const own = await askOnce(api, 'GET', '/workspace/status', { token })
  const anonymous = await askOnce(api, 'GET', '/sheep', {})
  const mcp = await askOnce(api, 'POST', '/mcp', mcpCall('count_sheep', token))

  assert.deepEqual([rest.status, rest.json['reason']], [403, 'permission_denied'])
  assert.deepEqual([own.status, anonymous.status], [200, 200]) // loopback needs no token there
  assert.match(mcp.text, /permission_denied/)
  assert.doesNotMatch(mcp.text, /"sheep":3/)
})

/** `satchel serve` with a room and another plugin, and the token of a session that may everything in the room. */
async function servedBeside(t: TestContext): Promise<{ readonly api: string; readonly token: string }> {
  const server = await openRoomServer(t)
  await server.stop()
  const { host } = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings: { file: server.file } }, other],
    openListener: listenerOf({}),
  })
  const at = { host: '127.0.0.1', port: 0 }
  const api = await listenerOf({})(host, { name: 'api', at, mcp: true })
  t.after(() => api.close())
  await askOnce(api.address, 'GET', '/workspace/status', { token: 'ses_somebody' }) // opens the room
  const body = { capabilities: ['*'] }
  const { json: invited } = await askOnce(server.socket, 'POST', '/local/invite', { body })
  const invite = { invite: invited['uri'], name: 'ada' }
  const { json: joined } = await askOnce(api.address, 'POST', '/session/join', { body: invite })
  return { api: api.address, token: String(joined['token']) }
}

function mcpCall(name: string, token: string): Ask {
  return mcpAsk(token, modern(1, 'tools/call', { name, arguments: {} }))
}
