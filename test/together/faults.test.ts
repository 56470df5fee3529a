import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoomEvent } from '../../plugins/workspace/domain/event.ts'
import { faultsOf } from './faults.ts'

const EVENTS = [1, 2].map(
  (event_id) =>
    ({ event_id, event_type: 'change.committed', version: event_id, payload: {} }) as unknown as RoomEvent,
)
const TYPED = { summary: 'typed', content: 'what was typed' }
const SENT = { summary: 'sent', content: 'sent' }

function ofRun() {
  return {
    lost: [] as string[],
    typed: new Set(['typed']),
    sent: new Set(['sent']),
    proposed: new Map([['prop_2', 'sent']]),
    committed: new Map([['prop_2', 2]]),
    woken: [{ proposal_id: 'prop_2', happened: true, at: 0 }],
    events: [...EVENTS],
    texts: new Map([[2, 'the text that was sent']]),
    proposals: new Map([
      ['prop_1', TYPED],
      ['prop_2', SENT],
    ]),
  }
}

type Run = ReturnType<typeof ofRun>

const PLANTED: Readonly<Record<string, (run: Run) => unknown>> = {
  'a text that is missing from a page': ({ lost }) => lost.push('typed'),
  'an event that is missing': ({ events }) => events.shift(),
  'a typed text that was never proposed': ({ proposals }) => proposals.delete('prop_1'),
  'a typed text that was proposed without its end': ({ proposals }) =>
    proposals.set('prop_1', { ...TYPED, content: 'what was' }),
  'a typed text that was proposed twice': ({ proposals }) => proposals.set('prop_3', TYPED),
  'an acknowledged proposal that is missing': ({ proposals }) => proposals.delete('prop_2'),
  'a proposal that was made twice': ({ proposals }) => proposals.set('prop_3', SENT),
  'a proposal that no one sent': ({ proposals }) => proposals.set('prop_3', { summary: 'eve', content: '' }),
  'an acknowledged commit whose text is in no version': ({ texts }) => texts.delete(2),
  'an acknowledged commit that was not announced': ({ events }) => events.pop(),
  'a waiter that was not woken': ({ woken }) => woken.push({ proposal_id: 'prop_1', happened: false, at: 0 }),
}

test('a run in which nothing went wrong has no fault', () => {
  const run = ofRun()
  assert.deepEqual(faultsOf(run, run), [])
})

for (const [planted, plant] of Object.entries(PLANTED)) {
  test(`the check of a run finds ${planted}`, () => {
    const run = ofRun()
    plant(run)
    assert.equal(faultsOf(run, run).length, 1, JSON.stringify(faultsOf(run, run)))
  })
}
