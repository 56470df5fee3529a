import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { CALL_MARK, endMarkedProcesses } from './marked-processes.ts'

export interface ChildCall {
  readonly cwd: string
  /** The whole environment of the child; absent: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  /** Longest time from start to end. */
  readonly limitMs?: number | undefined
  /** Longest time without a byte on stdout or stderr. */
  readonly silenceMs?: number | undefined
  /** Most bytes of stdout; absent: 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Also ends what the child started, where it was stopped. Needs `env`. */
  readonly endsDescendants?: boolean
}

export type ChildEnd =
  | {
      readonly kind: 'exited'
      readonly code: number | null
      readonly stdout: string
      readonly stderr: string
    }
  | { readonly kind: 'stopped'; readonly reason: ChildStop }

/** `missing`: there is no such program, or no such folder to run it in. */
export type ChildStop = 'missing' | 'timeout' | 'aborted' | 'too_much_output'

const MAX_STDOUT_BYTES = 64 * 1024 * 1024
/** More of stderr is read and dropped: messages are at its start. */
const MAX_STDERR_BYTES = 256 * 1024

/**
 * Runs a program without a shell, its stdin empty, and waits for its end. Bytes that are not UTF-8 become U+FFFD. A
 * child beyond a limit is killed. Rejects only for arguments that no process can have, such as one with a NUL.
 */
export async function runChild(program: string, args: readonly string[], call: ChildCall): Promise<ChildEnd> {
  if (call.signal?.aborted) return { kind: 'stopped', reason: 'aborted' }
  const mark = call.endsDescendants ? randomBytes(8).toString('hex') : undefined
  const ended = await waitFor(
    program,
    args,
    mark ? { ...call, env: { ...call.env, [CALL_MARK]: mark } } : call,
  )
  if (mark && ended.kind === 'stopped') await endMarkedProcesses(mark)
  return ended
}

function waitFor(program: string, args: readonly string[], call: ChildCall): Promise<ChildEnd> {
  const { cwd, signal, limitMs, silenceMs, maxBytes = MAX_STDOUT_BYTES } = call
  const env = call.env && { ...call.env } // Node adds NODE_V8_COVERAGE to the object that it is given.
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    let reason: ChildStop | undefined
    const stop = (why: ChildStop): void => {
      reason ??= why
      child.kill('SIGKILL')
      // A descendant may hold the pipes open: `close` must not wait for it.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const onAbort = (): void => stop('aborted')
    const limit = limitMs === undefined ? undefined : setTimeout(stop, limitMs, 'timeout')
    const silence = silenceMs === undefined ? undefined : setTimeout(stop, silenceMs, 'timeout')
    const keep = (most: number, onTooMuch: () => void) => {
      const chunks: Buffer[] = []
      let bytes = 0
      return {
        add(chunk: Buffer): void {
          silence?.refresh()
          bytes += chunk.length
          if (bytes > most) onTooMuch()
          else chunks.push(chunk)
        },
        text: () => Buffer.concat(chunks).toString('utf8'),
      }
    }
    const stdout = keep(maxBytes, () => stop('too_much_output'))
    const stderr = keep(MAX_STDERR_BYTES, () => undefined)
    child.stdout.on('data', stdout.add)
    child.stderr.on('data', stderr.add)
    signal?.addEventListener('abort', onAbort, { once: true })
    const settle = (end: ChildEnd): void => {
      clearTimeout(limit)
      clearTimeout(silence)
      signal?.removeEventListener('abort', onAbort)
      resolve(end)
    }
    child.once('error', () => {
      if (child.pid === undefined) settle({ kind: 'stopped', reason: 'missing' })
    })
    child.once('close', (code) => {
      if (reason !== undefined) settle({ kind: 'stopped', reason })
      else settle({ kind: 'exited', code, stdout: stdout.text(), stderr: stderr.text() })
    })
  })
}
