import type { Terminal } from '../contract/advanced/command.ts'
import type { Io } from './io.ts'

/** A terminal over the process's streams, and what became of its pipes. Owned by `run`. */
export interface OpenTerminal extends Terminal {
  /** Aborts when the reader of stdout is gone (`| head`): not an error, but nobody listens any more. */
  readonly pipeClosed: AbortSignal
  /** The system's code when what was written could not be kept: a full disk behind `> file`. */
  outputLost(): string | undefined
  /** One line on stderr, also when quiet: the error. */
  complain(line: string): void
  /** Ends when everything written has left the process or its reader is gone. */
  flush(): Promise<void>
}

const DEFAULT_COLUMNS = 80
/** What a file has to say, where a pipe whose reader left has EPIPE. */
const LOST: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Wraps `io`; a closed pipe is noted in `pipeClosed`, a full disk in `outputLost`, and further output is dropped. */
export function openTerminal(
  io: Io,
  options: { readonly json: boolean; readonly quiet: boolean },
): OpenTerminal {
  const closed = new AbortController()
  let lost: string | undefined
  io.stdout.on('error', (error?: NodeJS.ErrnoException) => {
    if (LOST.includes(error?.code)) lost = error?.code
    closed.abort() // EPIPE, or a terminal that went away: nobody reads any more
  })
  io.stderr.on('error', () => {}) // a closed stderr loses notes, never the result
  const stdoutIsTty = io.stdout.isTTY
  const write = (text: string): void => {
    if (!closed.signal.aborted) io.stdout.write(text)
  }
  const complain = (line: string): void => {
    io.stderr.write(`${line}\n`)
  }
  return {
    stdin: io.stdin,
    stdinIsTty: io.stdin.isTTY === true,
    stdoutIsTty,
    stderrIsTty: io.stderr.isTTY === true,
    columns: io.stdout.columns ?? DEFAULT_COLUMNS,
    color: stdoutIsTty && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb',
    json: options.json,
    quiet: options.quiet,
    env: io.env,
    pipeClosed: closed.signal,
    outputLost: () => lost,
    write,
    note: (line) => {
      if (!options.quiet) complain(line)
    },
    complain,
    async flush() {
      if (closed.signal.aborted) return
      const gone = new Promise<void>((resolve) => closed.signal.addEventListener('abort', () => resolve()))
      await Promise.race([gone, new Promise<void>((resolve) => io.stdout.write('', () => resolve()))])
    },
  }
}
