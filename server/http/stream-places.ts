import { readFileSync } from 'node:fs'
import type { EventStream } from '../fanout/event-stream.ts'
import type { Pump } from '../fanout/pump.ts'
import { refusals } from './refusals.ts'

/** File descriptors reserved for uses other than streams (workspace-engine, section 4). */
const KEPT_FILES = 256

/** The open streams of one listener. Owned by the listener, which ends the streams when it closes. */
export interface StreamPlaces {
  readonly pump: Pump
  /** Refuses a stream before descriptors run out, when connections would be reset. Errors: `unavailable`/`too_many_streams`. */
  requireOne(): void
  take(stream: EventStream): void
  leave(stream: EventStream): void
  endAll(): void
}

/** Creates an empty set of streams. `maxStreams` limits the readers of the pump on all listeners. */
export function createStreamPlaces(pump: Pump, maxStreams = Number.POSITIVE_INFINITY): StreamPlaces {
  const limit = Math.min(maxStreams, openFileLimit() - KEPT_FILES)
  const streams = new Set<EventStream>()
  return {
    pump,
    requireOne() {
      if (pump.size < limit) return
      throw refusals.too_many_streams()
    },
    take: (stream) => void streams.add(stream),
    leave: (stream) => void streams.delete(stream),
    endAll() {
      for (const stream of [...streams]) stream.end()
    },
  }
}

/** Returns the limit of open files of this process; infinite if the system does not report it. */
function openFileLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
