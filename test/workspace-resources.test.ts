import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { ErrorCode } from '../server/contract/errors.ts'
import { ERROR_TABLE } from '../server/error-table.ts'
import { envelope, modern, WITH_TASKS } from '../server/mcp/testing/messages.ts'
import { mcpAsk, openRoomServer, openStream, type RoomServer } from './workspace-server-fixture.ts'

const DOCUMENT_URI = 'satchel://workspace/document'

test('the status of a refusal is that of its code, at REST', async (t) => {
  const server = await openRoomServer(t)
  const ada = await server.join('ada')
  const cases: [string, object, string][] = [
    ['/workspace/propose', { base_version: 9, summary: 's', content: 'c' }, 'stale_version'],
    [
      '/workspace/propose',
      { base_version: 1, summary: 's', content: 'c', target: 'section:No' },
      'invalid_region',
    ],
    ['/workspace/propose', { base_version: 1, summary: 's', content: 'c'.repeat(262_145) }, 'limit_exceeded'],
    ['/workspace/proposal/review', { proposal_id: 'p', approve: true }, 'permission_denied'],
    ['/workspace/commit', { proposal_id: 'p' }, 'proposal_not_found'],
    ['/workspace/checkout', { target: 'workspace', idempotency_key: 'a b' }, 'invalid_request'],
    ['/workspace/checkout', { target: 'workspace', extra: 1 }, 'unknown_argument'],
  ]
  for (const [path, body, reason] of cases) {
    const { status, json } = await server.ask(server.ingress, 'POST', path, { token: ada.token, body })
    assert.equal(json['reason'], reason)
    assert.equal(status, ERROR_TABLE[json['code'] as ErrorCode].http, reason)
  }
  const large = await server.ask(server.ingress, 'POST', '/workspace/propose', {
    token: ada.token,
    body: { base_version: 1, summary: 's', content: 'c'.repeat(1024 * 1024) },
  })
  assert.equal(large.status, 413)
})

test('GET /workspace/room is one consistent look, with invites only for those who invite', async (t) => {
  const server = await openRoomServer(t)
  const reader = await server.join('reader', ['read'])
  const admin = await server.join('admin', ['*'])

  const seen = (await server.ask(server.ingress, 'GET', '/workspace/room', { token: reader.token })).json
  const all = (await server.ask(server.ingress, 'GET', '/workspace/room', { token: admin.token })).json

  assert.deepEqual(Object.keys(seen), [
    'status',
    'document',
    'participants',
    'left',
    'leases',
    'proposals',
    'handoffs',
    'latest_event_id',
    'oldest_event_id',
  ])
  assert.ok('invites' in all && 'events' in all)
  assert.ok(!JSON.stringify(all).includes('secret'))
})

function rpc(server: RoomServer, token: string, method: string, params: Record<string, unknown>) {
  const message = modern(1, method, { ...params, _meta: envelope({}, WITH_TASKS) })
  return server.ask(server.ingress, 'POST', '/mcp', mcpAsk(token, message))
}

/** What a stream sent beside its heartbeats, of which a slow machine sees some. */
const told = (blocks: readonly string[]) => blocks.filter((block) => !block.startsWith(':'))

test('over MCP a session reads the five resources, is told of changes, and follows its task', async (t) => {
  const server = await openRoomServer(t)
  const ada = await server.join('ada', ['*'])
  const bob = await server.join('bob')
  const uri = 'satchel://workspace/proposals'

  const subscribed = await rpc(server, ada.token, 'resources/subscribe', { uri })
  const stream = await openStream(server.ingress, '/mcp', {
    token: ada.token,
    headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' },
  })
  await stream.until((blocks) => blocks.length > 0)
  const proposal = { base_version: 1, summary: 's', content: 'c' }
  await rpc(server, bob.token, 'tools/call', { name: 'workspace_propose', arguments: proposal })
  const hints = told(await stream.until((blocks) => told(blocks).length > 1))
  const reads = []
  for (const name of ['status', 'document', 'proposals', 'leases', 'participants']) {
    reads.push(await rpc(server, bob.token, 'resources/read', { uri: `satchel://workspace/${name}` }))
  }
  const handoff = { name: 'workspace_handoff_create', arguments: { title: 'T', objective: 'O' } }
  const started = await rpc(server, ada.token, 'tools/call', handoff)
  const task = started.json['result'] as { taskId: string; resultType: string }
  const changed = await stream.until((blocks) =>
    blocks.some((block) => block.includes('notifications/tasks')),
  )
  const got = await rpc(server, ada.token, 'tasks/get', { taskId: task.taskId })
  const foreign = await rpc(server, bob.token, 'tasks/get', { taskId: task.taskId })

  assert.equal(subscribed.status, 200)
  assert.ok(changed.some((block) => block.includes(task.taskId)))
  for (const block of hints) assert.equal(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '').params.uri, uri)
  for (const read of reads) assert.ok('result' in read.json, read.text)
  assert.ok(!reads[0]?.text.includes(server.file), 'no path without admin')
  assert.equal(task.resultType, 'task')
  assert.equal((got.json['result'] as { status: string }).status, 'working')
  assert.equal((foreign.json['error'] as { code: number }).code, -32602)
  stream.close()
})

test('the result of a finished task says what became of its handoff', async (t) => {
  const server = await openRoomServer(t)
  const ada = await server.join('ada', ['*'])
  const call = (name: string, args: object) =>
    rpc(server, ada.token, 'tools/call', { name: `workspace_${name}`, arguments: args })
  const asked = await call('handoff_create', { title: 'T', objective: 'O' })
  const { taskId } = asked.json['result'] as { taskId: string }
  const listed = await call('handoff_list', {})
  const { handoff_id } = (
    listed.json['result'] as { structuredContent: { handoffs: { handoff_id: string }[] } }
  ).structuredContent.handoffs[0] ?? { handoff_id: '' }

  await call('handoff_accept', { handoff_id })
  await call('handoff_result', { handoff_id, summary: 'done' })
  await call('handoff_review', { handoff_id, approve: true })
  const got = await rpc(server, ada.token, 'tasks/get', { taskId })

  const { status, result } = got.json['result'] as { status: string; result: { content: { text: string }[] } }
  assert.equal(status, 'completed')
  assert.equal(result.content[0]?.text.split('\n')[0], `${handoff_id} is approved.`)
})

test('a hundred commits change no list, and no list-changed is advertised or sent', async (t) => {
  const server = await openRoomServer(t)
  const admin = await server.join('ada', ['*'])
  const lists = async () => {
    const methods = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']
    return Promise.all(methods.map(async (method) => (await rpc(server, admin.token, method, {})).text))
  }
  const discovered = (await rpc(server, admin.token, 'server/discover', {})).json['result']
  const { capabilities, supportedVersions } = discovered as {
    capabilities: { resources: object; extensions: object }
    supportedVersions: string[]
  }
  await rpc(server, admin.token, 'resources/subscribe', { uri: DOCUMENT_URI })
  const stream = await openStream(server.ingress, '/mcp', {
    token: admin.token,
    headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' },
  })
  await stream.until((blocks) => blocks.length > 0)
  const before = await lists()

  for (let base_version = 1; base_version <= 100; base_version += 1) {
    const body = { base_version, content: `# Plan\n\n## ${base_version}\n`, summary: 's' }
    const landed = await server.ask(server.ingress, 'POST', '/workspace/commit', { token: admin.token, body })
    assert.equal(landed.status, 200, landed.text)
  }
  const after = await lists()
  const read = await rpc(server, admin.token, 'resources/read', { uri: DOCUMENT_URI })
  const sent = told(await stream.until((blocks) => told(blocks).length > 1))
  stream.close()

  assert.deepEqual(after, before)
  for (const list of before) assert.match(list, /"result"/)
  assert.match(read.text, /## 100/)
  assert.ok(supportedVersions.includes('2026-07-28'))
  assert.doesNotMatch(JSON.stringify(capabilities), /listChanged":true/)
  assert.deepEqual(capabilities.resources, { subscribe: true })
  assert.ok('io.modelcontextprotocol/tasks' in capabilities.extensions)
  for (const block of sent) assert.match(block, /"method":"notifications\/resources\/updated"/)
})

test('a session without read is refused a subscription and reads nothing', async (t) => {
  const server = await openRoomServer(t)
  const blind = await server.join('blind', ['propose'])
  const uri = 'satchel://workspace/document'

  const subscribe = await rpc(server, blind.token, 'resources/subscribe', { uri })
  const read = await rpc(server, blind.token, 'resources/read', { uri })

  assert.equal(subscribe.status, 403)
  assert.ok('error' in read.json)
})

test('a document of 1 MiB is given whole as a resource; a longer one is cut between characters and says so', async (t) => {
  const limit = 1024 * 1024
  const server = await openRoomServer(t, { text: 'x'.repeat(limit) })
  const { token } = await server.join('ada')
  const uri = 'satchel://workspace/document'
  const read = async () => {
    const { json } = await rpc(server, token, 'resources/read', { uri })
    const { contents } = json['result'] as { contents: { text: string; mimeType: string; _meta?: object }[] }
    return contents[0]
  }

  const whole = await read()
  await writeFile(server.file, `${'x'.repeat(limit - 1)}\u20ac tail`)
  const cut = await read()

  assert.deepEqual([whole?.text.length, whole?._meta, whole?.mimeType], [limit, undefined, 'text/markdown'])
  assert.equal(cut?.text, 'x'.repeat(limit - 1))
  assert.ok(JSON.stringify(cut?._meta).includes('truncated":true'))
})

test('a refusal has the same code, reason and details over MCP and REST', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const other = await server.join('bob')
  await server.ask(server.ingress, 'POST', '/workspace/checkout', {
    token: other.token,
    body: { target: 'workspace' },
  })
  const cases: [string, string, Record<string, unknown>][] = [
    ['workspace_propose', '/workspace/propose', { base_version: 9, summary: 's', content: 'c' }],
    ['workspace_propose', '/workspace/propose', { base_version: 1, summary: ' ', content: 'c' }],
    [
      'workspace_propose',
      '/workspace/propose',
      { base_version: 1, summary: 's', content: 'c', target: 'section:No' },
    ],
    ['workspace_checkout', '/workspace/checkout', { target: 'workspace' }],
    ['workspace_checkout', '/workspace/checkout', { target: 'workspace', minutes: 999 }],
    ['workspace_renew', '/workspace/renew', { lease_id: 'lease_x' }],
    ['workspace_review', '/workspace/proposal/review', { proposal_id: 'prop_x', approve: true }],
    ['workspace_commit', '/workspace/commit', { proposal_id: 'prop_x' }],
    ['workspace_handoff_accept', '/workspace/handoff/accept', { handoff_id: 'ho_x' }],
    ['workspace_handoff_create', '/workspace/handoff', { title: 'T', objective: 'O', record: {} }],
  ]
  const stable = (details: unknown) => {
    const { retry_after_seconds: _, ...rest } = (details ?? {}) as Record<string, unknown>
    return rest
  }
  for (const [tool, path, body] of cases) {
    const rest = (await server.ask(server.ingress, 'POST', path, { token, body })).json
    const answer = await rpc(server, token, 'tools/call', { name: tool, arguments: body })
    const { error } = (answer.json['result'] as { structuredContent: { error: Record<string, unknown> } })
      .structuredContent
    assert.deepEqual([error['code'], error['reason']], [rest['code'], rest['reason']], tool)
    assert.deepEqual(stable(error['details']), stable(rest['details']), tool)
  }
})
