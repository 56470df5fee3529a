import { type After, afterTimeout } from './after.ts'
import { createJoiner } from './joined-frames.ts'
import { PumpReader, type PumpTurns, type ReaderOptions } from './pump-reader.ts'

/** Readers served before the event loop gets its turn back (workspace-engine, section 4). */
const READERS_PER_TURN = 256
/** Places in the queue that were served, kept until they are many: under constant load it never runs empty. */
const FORGET_SERVED = 8192

export interface Pump {
  readonly size: number
  add(options: ReaderOptions): PumpReader
}

/**
 * Writes to many readers: one write per reader and turn of the event loop with everything that waits for it, at
 * most 256 readers a turn; readers in step share the joined bytes. Frames are taken out before the result of the
 * write is looked at, else one would go out twice. A reader blocked for 30 s is destroyed.
 */
export function createPump(after: After = afterTimeout): Pump {
  const joiner = createJoiner()
  let waiting: PumpReader[] = []
  let served = 0
  let scheduled = false
  let size = 0

  const schedule = (reader: PumpReader): void => {
    waiting.push(reader)
    if (scheduled) return
    scheduled = true
    setImmediate(turn)
  }
  const turn = (): void => {
    const last = Math.min(served + READERS_PER_TURN, waiting.length)
    while (served < last) waiting[served++]?.flush()
    scheduled = served < waiting.length
    if (served >= FORGET_SERVED || !scheduled) {
      waiting = waiting.slice(served)
      served = 0
    }
    if (scheduled) setImmediate(turn)
    else joiner.forget()
  }
  const turns: PumpTurns = {
    after,
    schedule,
    join: joiner.join,
    left() {
      size -= 1
    },
  }

  return {
    get size() {
      return size
    },
    add(options) {
      size += 1
      return new PumpReader(options, turns)
    },
  }
}
