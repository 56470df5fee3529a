import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  const again = (await wait(`proposal_id=${proposal_id}&timeout_s=60`)).json
  const both = await wait(`proposal_id=${proposal_id}&since_event_id=0`)
  const unknown = await wait('proposal_id=prop_0000000000000000')

  assert.deepEqual([early['happened'], early['status'], nothing['happened']], [false, 'pending', false])
  assert.deepEqual([reviewed.json['happened'], reviewed.json['status']], [true, 'approved'])
  assert.deepEqual(events.json['counts'], { 'proposal.approved': 1 })
  assert.deepEqual(events.json['next'], { tool: 'workspace_changes', args: { since_event_id: since } })
  assert.equal(again['status'], 'approved')
  assert.deepEqual([both.status, unknown.status], [400, 404])
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
  const body = { base_version: 1, summary: 'Say goals plainly', content: 'x' }
  await server.ask(server.ingress, 'POST', '/workspace/propose', { token, body })

  const { json } = await server.ask(server.ingress, 'GET', '/workspace/search?query=GOALS', { token })

  const matches = json['matches'] as { kind: string; ref: string; line?: number }[]
  assert.deepEqual([...new Set(matches.map(({ kind }) => kind))], ['document', 'proposal', 'event'])
  assert.match(matches[0]?.ref ?? '', /^section:.*Goals$/)
})
