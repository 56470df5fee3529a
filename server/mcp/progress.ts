/** Minimum time between two progress notifications of one call (mcp, section 8). */
const PROGRESS_INTERVAL_MS = 100
/** Minimum time between the last progress and the result; clients lose progress that arrives with it (mcp, section 8). */
const RESULT_GAP_MS = 25

export interface ProgressParams {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The progress of one call; its owner calls `end` once, before the result is sent. */
export interface Progress {
  report(done: number, total?: number, message?: string): void
  /** Drops a pending report and returns the milliseconds by which to delay the result. */
  end(): number
}

/**
 * Sends the first report immediately, then at most the newest one every 100 ms. Values that do not increase are
 * dropped. `clock` in milliseconds; `send` must not throw.
 */
export function createProgress(send: (params: ProgressParams) => void, clock: () => number): Progress {
  let sentAt = Number.NEGATIVE_INFINITY
  let sent = Number.NEGATIVE_INFINITY
  let waiting: ProgressParams | undefined
  let timer: NodeJS.Timeout | undefined
  let ended = false

  const flush = (): void => {
    timer = undefined
    if (waiting === undefined) return
    const params = waiting
    waiting = undefined
    sent = params.progress
    sentAt = clock()
    send(params)
  }

  return {
    report(done, total, message) {
      if (ended || !(done > Math.max(sent, waiting?.progress ?? sent))) return
      waiting = {
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }
      const wait = sentAt + PROGRESS_INTERVAL_MS - clock()
      if (wait <= 0) flush()
      else timer ??= setTimeout(flush, wait)
    },
    end() {
      ended = true
      clearTimeout(timer)
      return Math.max(0, sentAt + RESULT_GAP_MS - clock())
    },
  }
}
