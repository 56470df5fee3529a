import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inTightHeap } from './tight-heap.ts'

const ROUNDS = 400
/** Rows that stay alive; each round replaces one of them. */
const WINDOW = 60

test('garbage does not pile up in a tight heap, and piles up again when the work has ended', async () => {
  const tight = await inTightHeap(() => largestHeap())
  const loose = await largestHeap()
  assert.ok(tight * 1.3 < loose, `${tight} of ${loose} bytes`)
})

/** The most bytes that the heap took, while the rows that leave a window become garbage. */
async function largestHeap(): Promise<number> {
  const alive: string[][] = []
  let most = 0
  for (let round = 0; round < ROUNDS; round++) {
    alive.push(Array.from({ length: 8000 }, (_, at) => `row ${round} ${at}`))
    if (alive.length > WINDOW) alive.shift()
    await pause(0)
    most = Math.max(most, process.memoryUsage().heapTotal)
  }
  return most
}
