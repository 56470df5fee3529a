import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endsWithin } from './within.ts'

/** A child that reads lines on its stdin and writes lines on its stdout. The caller closes it. */
export interface LineProcess {
  /** Lines of stdout, in order; ends with the output of the child. */
  readonly lines: AsyncIterable<string>
  send(line: string): void
  /** The start of what it wrote on stderr. */
  complaint(): string
  /** False if there is no such program, or no such folder to run it in. Known once `lines` ended. */
  wasStarted(): boolean
  /** Closes its stdin, waits `graceMs` for its end, then kills it. */
  close(graceMs: number): Promise<void>
}

const MAX_COMPLAINT_CHARS = 8192

/** Starts a program without a shell. `env` is its whole environment. */
export function startLineProcess(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): LineProcess {
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let complaint = ''
  child.on('error', () => {}) // told by `wasStarted`
  child.stdin.on('error', () => {}) // it ended before it read everything
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(0, MAX_COMPLAINT_CHARS)
  })
  const closed = once(child, 'close').catch(() => undefined)
  return {
    lines: createInterface({ input: child.stdout }),
    send: (line) => void child.stdin.write(`${line}\n`),
    complaint: () => complaint,
    wasStarted: () => child.pid !== undefined,
    async close(graceMs) {
      child.stdin.end()
      await endsWithin(graceMs, closed)
      child.kill('SIGKILL')
      child.stdout.destroy() // a descendant may hold the pipes open
      child.stderr.destroy()
      await closed
    },
  }
}
