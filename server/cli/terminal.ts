import type { Terminal } from '../contract/advanced/command.ts'
import type { Io } from './io.ts'

/** A terminal over the streams of the process, and the state of its pipes. Owned by `run`. */
export interface OpenTerminal extends Terminal {
  /** Aborts when the reader closes stdout (`| head`). This is not an error. */
  readonly pipeClosed: AbortSignal
  /** The system's error code if output could not be written, for example on a full disk behind `> file`. */
  outputLost(): string | undefined
  /** Writes one line with the error on stderr, even when quiet. */
  complain(line: string): void
}

const DEFAULT_COLUMNS = 80
/** Errors of a file; a pipe closed by its reader has EPIPE. */
const LOST: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Wraps `io`: records a closed pipe in `pipeClosed` and a full disk in `outputLost`, then drops further output. */
export function openTerminal(
  io: Io,
  options: { readonly json: boolean; readonly quiet: boolean },
): OpenTerminal {
  const closed = new AbortController()
  let lost: string | undefined
  io.stdout.on('error', (error?: NodeJS.ErrnoException) => {
    if (LOST.includes(error?.code)) lost = error?.code
    closed.abort() // EPIPE, or a closed terminal
  })
  io.stderr.on('error', () => {}) // a closed stderr loses notes, never the result
  const stdoutIsTty = io.stdout.isTTY
  const columns = io.stdout.columns ?? DEFAULT_COLUMNS
  const color = stdoutIsTty === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb'
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
    columns,
    color,
    json: options.json,
    quiet: options.quiet,
    env: io.env,
    pipeClosed: closed.signal,
    outputLost: () => lost,
    write,
    async answer(headline, data) {
      if (options.json) return write(`${JSON.stringify(data, undefined, 2)}\n`)
      const { terminalText } = await import('../answer/terminal-text.ts')
      write(`${await terminalText(headline, data, { columns: stdoutIsTty ? columns : undefined, color })}\n`)
    },
    note: (line) => {
      if (!options.quiet) complain(line)
    },
    complain,
    async flush() {
      if (closed.signal.aborted) return false
      const readerClosed = new Promise<boolean>((resolve) =>
        closed.signal.addEventListener('abort', () => resolve(false)),
      )
      const written = new Promise<boolean>((resolve) => io.stdout.write('', (error) => resolve(!error)))
      return Promise.race([readerClosed, written])
    },
  }
}
