import type { Readable } from 'node:stream'

/**
 * The real standard output. While MCP is served over stdio, `process.stdout` itself points to stderr and only the
 * holder of this object can write where the client reads.
 */
export interface RealStdout {
  /** False: more than the pipe takes waits; `drain` follows. `done` is called when it was written, or cannot be. */
  write(text: string, done?: (error?: Error | null) => void): boolean
  on(event: 'drain' | 'error' | 'close', listener: (error?: Error) => void): unknown
  readonly isTTY: boolean
  readonly columns: number | undefined
}

/** What `main.ts` hands to `run`: the process's own ends. */
export interface ProcessIo {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: RealStdout
}
