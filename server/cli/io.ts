import type { Writable } from 'node:stream'
import type { ProcessIo } from '../process-io.ts'

/** Signals that end a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The process as a command sees it: streams, environment, signals. Made by `run`, or by a test. */
export interface Io extends ProcessIo {
  readonly stderr: Pick<Writable, 'write' | 'on'> & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Returns the function that removes the listener. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  /** Calls `listener` when nothing is left to wait for. Returns the function that removes it. */
  onIdle(listener: () => void): () => void
}
