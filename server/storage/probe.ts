import { isSatchelError } from '../contract/errors.ts'
import { within } from '../platform/within.ts'
import { refusalOfStatement } from './faults.ts'
import { refusals } from './refusals.ts'
import { type Run, refuseUnfit } from './schema.ts'

/** The connections of a pool. */
export interface Connections {
  readonly open: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
  readonly most: number
}

/** A server that answers, as `/ready` shows it. */
export interface StorageState {
  readonly place: string
  readonly answer_ms: number
  /** To add to the clock of this machine for that of the server. */
  readonly clock_offset_ms: number
  readonly connections: Connections
}

export interface ProbeParts {
  readonly wire: {
    readonly place: string
    connections(): Connections
    withClient<T>(work: (run: Run) => Promise<T>): Promise<T>
  }
  ready(): Promise<void>
  clockOffsetMs(): number
}

/**
 * Asks whether the server answers and takes writes. Concurrent questions share one statement, so that those about a server
 * that answers nothing do not fill the pool.
 */
export function createProbe({ wire, ready, clockOffsetMs }: ProbeParts) {
  const { place } = wire
  let asking: Promise<StorageState> | undefined
  const answered = async (): Promise<void> => {
    await ready()
    await wire
      .withClient((run) => refuseUnfit(run, place))
      .catch((thrown) => {
        throw refusalOfStatement(thrown, place)
      })
  }
  const ask = async (): Promise<StorageState> => {
    const began = performance.now()
    // A connection of the pool that has ended says nothing about the next one.
    await answered().catch((thrown) => {
      if (!isSatchelError(thrown) || thrown.reason !== 'storage_lost') throw thrown
      return answered()
    })
    return {
      place,
      answer_ms: Math.round(performance.now() - began),
      clock_offset_ms: Math.round(clockOffsetMs()),
      connections: wire.connections(),
    }
  }
  return (limitMs: number): Promise<StorageState> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    const shared = asking
    const late = () => refusals.storage_unreachable({ place, fault: `no answer within ${limitMs} ms` })
    return within(limitMs, late, () => shared)
  }
}
