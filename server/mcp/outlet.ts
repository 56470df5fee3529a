import type { RealStdout } from '../process-io.ts'

/** Unwritten bytes above which nothing new is asked for (mcp, section 10). */
export const CONGESTED_BYTES = 1024 * 1024

/** The one way to stdout. Owned by the wire; it ends with the process. */
export interface Outlet {
  /** Resolved when written; rejected when the pipe is broken. */
  send(message: unknown): Promise<void>
  /** A hint: while the pipe is congested the newest per `key` waits, and goes out once when there is room. */
  hint(key: string, message: () => unknown): void
  readonly congested: boolean
  /** Resolved when everything sent so far was written or cannot be. */
  flushed(): Promise<void>
}

interface OutletEvents {
  /** There is room again after `congested`. */
  roomy(): void
  /** The reader closed its end. */
  broken(): void
}

/** An outlet over the real stdout, one JSON message a line. */
export function createOutlet(stdout: RealStdout, events: OutletEvents): Outlet {
  const hints = new Map<string, () => unknown>()
  let unwritten = 0
  let isBroken = false
  let waiters: (() => void)[] = []

  const breakDown = (): void => {
    if (isBroken) return
    isBroken = true
    hints.clear()
    wake()
    events.broken()
  }
  const wake = (): void => {
    const woken = waiters
    waiters = []
    for (const resolve of woken) resolve()
  }
  const written = (bytes: number): void => {
    const wasCongested = unwritten > CONGESTED_BYTES
    unwritten -= bytes
    if (unwritten === 0) wake()
    if (!wasCongested || unwritten > CONGESTED_BYTES) return
    sendHints()
    events.roomy()
  }
  const sendHints = (): void => {
    const waiting = [...hints.values()]
    hints.clear()
    for (const message of waiting) send(message()).catch(() => undefined) // breakDown has said so
  }
  const send = (message: unknown): Promise<void> => {
    if (isBroken) return Promise.reject(new Error('stdout is closed'))
    const line = `${JSON.stringify(message)}\n`
    unwritten += line.length
    return new Promise((resolve, reject) => {
      stdout.write(line, (error) => {
        written(line.length)
        if (error) reject(error)
        else resolve()
      })
    })
  }

  stdout.on('error', breakDown)
  stdout.on('close', breakDown)
  return {
    send,
    hint(key, message) {
      if (isBroken) return
      if (unwritten > CONGESTED_BYTES) hints.set(key, message)
      else send(message()).catch(() => undefined) // a hint that cannot be delivered is no error
    },
    get congested() {
      return unwritten > CONGESTED_BYTES
    },
    flushed() {
      if (unwritten === 0 || isBroken) return Promise.resolve()
      return new Promise((resolve) => waiters.push(resolve))
    },
  }
}
