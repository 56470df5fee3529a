import { JOURNAL_LIMITS } from '../../../plugins/workspace/engine/generations.ts'
import type { LabContext } from '../../context.ts'
import { openBenchRoom } from '../room/bench-room.ts'
import { cpuMs } from '../timing.ts'
import type { Point } from './curve.ts'

const COMMITS = 10
const ROUNDS = 3
/** Events that wait together for one flush. */
const GROUP = 64
/** Events of which the processor time is taken, at each size. */
const SAMPLE = 64 * GROUP

/** Milliseconds of a durable commit of a document of so many bytes. */
export async function commitCosts(sizes: readonly number[], wasm: string): Promise<readonly Point[]> {
  const room = await openBenchRoom(undefined, wasm, JOURNAL_LIMITS)
  try {
    let version = 0
    const commits = async (bytes: number): Promise<number> => {
      const began = performance.now()
      for (let one = 0; one < COMMITS; one++)
        await room.commit(`# Version ${++version}\n`.padEnd(bytes, 'word '))
      return (performance.now() - began) / COMMITS
    }
    const least = sizes.map(() => Number.POSITIVE_INFINITY)
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, size] of sizes.entries())
        least[at] = Math.min(least[at] ?? Number.POSITIVE_INFINITY, await commits(size))
    }
    return sizes.map((size, at) => ({ size, cost: least[at] ?? 0 }))
  } finally {
    await room.close()
  }
}

/** What an event takes after so many others, in microseconds of the processor, and an opening after a death, in milliseconds. */
export async function eventCosts(
  sizes: readonly number[],
  wasm: string,
  { signal, note }: Pick<LabContext, 'signal' | 'note'>,
): Promise<{ readonly each: readonly Point[]; readonly reopened: readonly Point[] }> {
  const room = await openBenchRoom(undefined, wasm, JOURNAL_LIMITS)
  const [each, reopened]: [Point[], Point[]] = [[], []]
  let events = 0
  const add = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= GROUP) {
      signal.throwIfAborted()
      await Promise.all(Array.from({ length: GROUP }, () => room.mutate()))
      events += GROUP
    }
  }
  try {
    await add(SAMPLE) // the first ones compile
    for (const size of sizes) {
      await add(size - events)
      note(`${events} events`)
      each.push({ size, cost: (1000 * (await cpuMs(() => add(SAMPLE)))) / SAMPLE })
      reopened.push({ size, cost: await room.dieAndReopen() })
    }
    return { each, reopened }
  } finally {
    await room.close()
  }
}
