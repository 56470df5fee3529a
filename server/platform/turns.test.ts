import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inTurns, limitWork, nextTurn, type Pieces } from './turns.ts'

/** Computes for about so many milliseconds, in pieces of one. */
function* busy(pieces: number): Pieces<number> {
  for (let done = 0; done < pieces; done++) {
    const until = performance.now() + 1
    while (performance.now() < until);
    yield
  }
  return pieces
}

test('others get their turn while long work goes on', async () => {
  let turns = 0
  let isDone = false
  const count = async (): Promise<void> => {
    while (!isDone) {
      await nextTurn()
      turns += 1
    }
  }
  const counting = count()

  const long = await inTurns(busy(60))
  isDone = true
  await counting

  assert.equal(long, 60)
  assert.ok(turns >= 4, `${turns} turns`)
  assert.equal(atOnce(busy(3)), 3)
})

test('work ends with the error of its budget, and with that of its caller', async () => {
  const call = new AbortController()
  limitWork(call.signal, 20, () => new Error('spent'))
  const leaving = new AbortController()
  const work = busy(1e9)

  await assert.rejects(inTurns(busy(1e9), call.signal), /^Error: spent$/)
  setImmediate(() => leaving.abort(new Error('left')))
  await assert.rejects(inTurns(work, leaving.signal), /^Error: left$/)

  assert.equal(work.next().done, true)
})

test('a budget is for all the work of a call together', async () => {
  const call = new AbortController()
  limitWork(call.signal, 40, () => new Error('spent'))
  const calls = async (): Promise<void> => {
    for (let piece = 0; piece < 1000; piece++) await inTurns(busy(5), call.signal)
  }

  await assert.rejects(calls(), /^Error: spent$/)
})
