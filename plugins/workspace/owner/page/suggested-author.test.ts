import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SeenEvent, type SeenMember, suggestedAuthor } from './suggested-author.ts'

const at = (minute: number): string => `2026-11-20T13:${String(minute).padStart(2, '0')}:00.000000+00:00`
const member = (participant_id: string, kind: SeenMember['kind'] = 'agent', minute = 0): SeenMember => ({
  participant_id,
  kind,
  last_seen: at(minute),
})
const event = (event_id: number, minute: number, more: Partial<SeenEvent> = {}): SeenEvent => ({
  event_id,
  event_type: 'proposal.created',
  created_at: at(minute),
  payload: {},
  ...more,
})
const EDIT = event(9, 30, { event_type: 'change.committed', payload: { status: 'external' } })

const suggested = (members: readonly SeenMember[], events: readonly SeenEvent[], edit = EDIT) =>
  suggestedAuthor(edit, { members, events })

test('the one agent that was active before an outside edit is its suggested author', () => {
  const events = [event(8, 25, { actor_id: 'ada' }), event(7, 24, { actor_id: 'owner' })]
  assert.equal(suggested([member('ada'), member('owner', 'human')], events), 'ada')
  assert.equal(suggested([member('ada', 'agent', 29)], []), 'ada')
})

test('none is suggested where several agents or none were active, or the edit is not from outside', () => {
  const byTwo = [event(8, 25, { actor_id: 'ada' }), event(7, 24, { actor_id: 'bob' })]
  const longAgo = [event(8, 5, { actor_id: 'ada' })]
  const later = [event(10, 30, { actor_id: 'ada' })]
  const commit = event(9, 30, { event_type: 'change.committed', actor_id: 'ada' })
  assert.equal(suggested([member('ada'), member('bob')], byTwo), undefined)
  assert.equal(suggested([member('ada')], longAgo), undefined)
  assert.equal(suggested([member('ada')], later), undefined)
  assert.equal(suggested([member('ada', 'human')], byTwo), undefined)
  assert.equal(suggested([member('ada')], byTwo, commit), undefined)
})
