import type { RealStdout } from '../process-io.ts'

/** Number of unwritten bytes above which no input is read (mcp, section 10). */
export const CONGESTED_BYTES = 1024 * 1024

/** The only writer of stdout. Owned by the wire; it ends with the process. */
export interface Outlet {
  /** Resolves when the message is written; rejects if the pipe is broken. */
  send(message: unknown): Promise<void>
  /** Sends a hint. While the pipe is congested, only the newest hint of each `key` is kept. */
  hint(key: string, message: () => unknown): void
  readonly congested: boolean
  /** Resolves when all messages are written or the pipe is broken. */
  flushed(): Promise<void>
}

interface OutletEvents {
  /** Called when the pipe is no longer congested. */
  roomy(): void
  /** Called when the reader closes the pipe. */
  broken(): void
}

/** Creates an outlet that writes one JSON message per line to the real stdout. */
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
    for (const message of waiting) send(message()).catch(() => undefined) // breakDown reports it
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
      else send(message()).catch(() => undefined) // hints may be lost
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
