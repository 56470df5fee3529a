import assert from 'node:assert/strict'
import { test } from 'node:test'
import { olderEvents } from './older-events.ts'

const ids = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, n) => ({ event_id: from - n }))
const span = (events: readonly { event_id: number }[]) => [events[0]?.event_id, events.at(-1)?.event_id]

test('what leaves the view at its end goes on below it, without a hole', () => {
  const below = olderEvents({ was: ids(200, 101), now: ids(203, 104) }, ids(100, 41), 500)

  assert.deepEqual(span(below), [103, 41])
  assert.equal(below.length, 63)
})

test('a view that did not move keeps what is below it, as much as is shown', () => {
  assert.deepEqual(span(olderEvents({ was: ids(200, 101), now: ids(200, 101) }, ids(100, 41), 10)), [100, 91])
})

test('nothing is kept below a view that went on over events that were not read', () => {
  assert.deepEqual(olderEvents({ was: ids(200, 101), now: ids(420, 401) }, ids(100, 41), 500), [])
  assert.deepEqual(olderEvents({ was: [], now: [] }, [], 500), [])
})
