import { type After, afterTimeout } from './after.ts'
import { createJoiner } from './joined-frames.ts'
import { PumpReader, type PumpTurns, type ReaderOptions } from './pump-reader.ts'

/** Maximum number of readers served in one turn of the event loop (workspace-engine, section 4). */
const READERS_PER_TURN = 256
/** Number of served queue entries that triggers their removal, because under constant load the queue is never empty. */
const FORGET_SERVED = 8192

export interface Pump {
  readonly size: number
  add(options: ReaderOptions): PumpReader
}

/**
 * Writes to many readers: at most 256 readers per turn of the event loop, each with one write of all its queued
 * frames; readers at the same position share the joined bytes. Frames leave the queue before the result of the write
 * is known, so that none is sent twice. A reader that is blocked for 30 s is destroyed.
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
