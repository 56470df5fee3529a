import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { FROM_SOURCES } from '../../test/from-sources.ts'

/**
 * The largest heap in which rows are made of which the last 60 stay alive: while it is kept tight, and after that. The
 * young generation is small, so that it does not hide how the old one grows on the versions of Node.js that make it large.
 */
const MEASURE = `
import { setTimeout as pause } from 'node:timers/promises'
import { inTightHeap } from './tight-heap.ts'

async function largestHeap() {
  const alive = []
  let most = 0
  for (let round = 0; round < 400; round++) {
    alive.push(Array.from({ length: 8000 }, (_, at) => 'row ' + round + ' ' + at))
    if (alive.length > 60) alive.shift()
    await pause(0)
    most = Math.max(most, process.memoryUsage().heapTotal)
  }
  return most
}
console.log(JSON.stringify([await inTightHeap(largestHeap), await largestHeap()]))
`

test('garbage does not pile up in a tight heap, and piles up again when the work has ended', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-semi-space-size=8', ...FROM_SOURCES, '--input-type=module', '-e', MEASURE],
    { cwd: import.meta.dirname },
  )
  const [tight, loose]: [number, number] = JSON.parse(stdout)

  assert.ok(tight * 1.3 < loose, `${tight} of ${loose} bytes`)
})

/** The largest young generation while a good part of it stays alive at each collection: kept tight, and after that. */
const MEASURE_YOUNG = `
import { setTimeout as pause } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { inTightHeap } from './tight-heap.ts'

const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
async function largestYoung(rounds = 300) {
  const alive = []
  let most = 0
  for (let round = 0; round < rounds; round++) {
    alive.push(Array.from({ length: 8000 }, (_, at) => 'row ' + round + ' ' + at))
    if (alive.length > 30) alive.shift()
    await pause(0)
    most = Math.max(most, young())
  }
  return most
}
const before = await largestYoung(4) // as after a start of the program
console.log(JSON.stringify([before, await inTightHeap(largestYoung), await largestYoung()]))
`

test('the young generation does not grow in a tight heap, and grows when the work has ended', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...FROM_SOURCES, '--input-type=module', '-e', MEASURE_YOUNG],
    { cwd: import.meta.dirname },
  )
  const [before, tight, loose]: [number, number, number] = JSON.parse(stdout)

  // V8 doubles it; that of Node 24 takes single pages besides.
  assert.ok(tight < before * 2 && tight < loose, `${before}, ${tight} and ${loose} bytes`)
})
