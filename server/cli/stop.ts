import type { Io, StopSignal } from './io.ts'
import { refusals } from './refusals.ts'

/** Time that an interrupted verb has to end by itself. */
const INTERRUPT_GRACE_MS = 8_000
const INTERRUPTED_EXIT = 130

/** The end of a run by a signal. Owned by `runProgram`. */
interface Stop {
  readonly signal: AbortSignal
  /** Resolves with an exit code if the verb does not end in time after a signal, or if a second signal arrives. */
  readonly lateExit: Promise<number>
  stoppedBy(): StopSignal | undefined
  /** Gives the stop that a signal began so much more time. */
  extend(ms: number): void
  close(): void
}

/** Listens for signals until it is closed. */
export function openStop(io: Io, pipeClosed: AbortSignal): Stop {
  const interrupted = new AbortController()
  let stoppedBy: StopSignal | undefined
  let timer: NodeJS.Timeout | undefined
  let off = (): void => {}
  let endLater = (_ms: number): void => {}
  const lateExit = new Promise<number>((resolve) => {
    endLater = (ms) => {
      clearTimeout(timer)
      timer = setTimeout(() => resolve(INTERRUPTED_EXIT), ms)
    }
    off = io.onSignal((signal) => {
      if (stoppedBy !== undefined) return resolve(INTERRUPTED_EXIT)
      stoppedBy = signal
      interrupted.abort(refusals.interrupted())
      endLater(INTERRUPT_GRACE_MS)
    })
  })
  return {
    signal: AbortSignal.any([interrupted.signal, pipeClosed]),
    lateExit,
    stoppedBy: () => stoppedBy,
    extend: (ms) => endLater(INTERRUPT_GRACE_MS + ms),
    close() {
      clearTimeout(timer)
      off()
    },
  }
}
