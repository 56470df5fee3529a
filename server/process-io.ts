import type { Readable } from 'node:stream'

/**
 * The real standard output. `process.stdout` writes to stderr, and only this object writes the result, or to the client
 * of MCP.
 */
export interface RealStdout {
  /** False: the pipe is full; `drain` follows. `done` is called when the text is written or the write fails. */
  write(text: string, done?: (error?: Error | null) => void): boolean
  on(event: 'drain' | 'error' | 'close', listener: (error?: Error) => void): unknown
  readonly isTTY: boolean
  readonly columns: number | undefined
}

/** The streams and signals of the process that `main.ts` passes to `run`. */
export interface ProcessIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: RealStdout
  /** Called when a server handles signals itself; until then `main.ts` exits on them. */
  readonly onServing?: (() => void) | undefined
}
