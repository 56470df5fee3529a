import { type ChildProcess, spawn } from 'node:child_process'
import type { ChildCall, ChildEnd, ChildStop } from './child-process.ts'

/** A run of a program that may be begun again, because it changes nothing. */
type RepeatableCall = Pick<ChildCall, 'cwd' | 'signal' | 'limitMs' | 'maxBytes'> & {
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Starts programs from a small process while this one starts many. Lives as long as this process. */
export interface Starter {
  /** As `runChild`. Undefined: this process must start the program by itself. */
  run(program: string, args: readonly string[], call: RepeatableCall): Promise<ChildEnd | undefined>
  /** The small process; undefined where there is none. */
  pid(): number | undefined
}

interface Pace {
  /** How long programs must have been started, one after another, before the small process is. */
  readonly busyMs?: number
  /** After so long without a start this process no longer counts as busy. */
  readonly quietMs?: number
  /** After so long without a start the small process is ended. */
  readonly idleMs?: number
}

const BUSY_MS = 2_000
const QUIET_MS = 500
const IDLE_MS = 10_000
const MAX_STDOUT_BYTES = 4 * 1024 * 1024
const MAX_STDERR_BYTES = 256 * 1024

/** Given as text, so that it works the same from source and from a bundle. It ends with the channel to its parent. */
const PROGRAM = `
const { spawn } = require('node:child_process')
const children = new Map()
const end = (child) => {
  child.kill('SIGKILL')
  child.stdout.destroy()
  child.stderr.destroy()
}
const kept = (stream, most, onTooMuch) => {
  const chunks = []
  let bytes = 0
  stream.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > most) onTooMuch()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
process.on('disconnect', () => {
  for (const child of children.values()) end(child)
  process.exit()
})
process.on('message', ({ id, call }) => {
  if (!call) return children.has(id) && end(children.get(id))
  const { program, args, cwd, env, most } = call
  const answer = (end) => process.connected && process.send({ id, end })
  try {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    children.set(id, child)
    let reason
    const stdout = kept(child.stdout, most.stdout, () => {
      reason = 'too_much_output'
      end(child)
    })
    const stderr = kept(child.stderr, most.stderr, () => {})
    child.once('error', () => child.pid === undefined && answer({ kind: 'stopped', reason: 'missing' }))
    child.once('close', (code) => {
      children.delete(id)
      answer(reason ? { kind: 'stopped', reason } : { kind: 'exited', code, stdout: stdout(), stderr: stderr() })
    })
  } catch {
    answer()
  }
})
`

/**
 * Starting a process copies the table of the memory of the one that starts it, which holds a large server up for
 * milliseconds, and again at each of its pages that it writes to afterwards. While programs are started again and again,
 * a process of 40 MB starts them. Where it ends before an answer, the caller starts the program by itself.
 */
export function createStarter({
  busyMs = BUSY_MS,
  quietMs = QUIET_MS,
  idleMs = IDLE_MS,
}: Pace = {}): Starter {
  const pending = new Map<number, (end: ChildEnd | undefined) => void>()
  let helper: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let [busySince, lastAt, lastId] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]

  /** Whether programs were started for long enough with short pauses only. */
  const isBusy = (): boolean => {
    const now = performance.now()
    if (now - lastAt > quietMs) busySince = now
    lastAt = now
    return now - busySince >= busyMs
  }
  const lose = (lost: ChildProcess): void => {
    if (helper !== lost) return
    helper = undefined
    for (const settle of pending.values()) settle(undefined)
  }
  const start = (env: RepeatableCall['env']): ChildProcess => {
    const { NODE_OPTIONS: _, ...own } = env // those of this process are not for it
    const child = spawn(process.execPath, ['--max-semi-space-size=1', '-e', PROGRAM], {
      env: own,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    })
    child.on('error', () => lose(child))
    child.on('exit', () => lose(child))
    child.on('message', (message) => {
      const { id, end } = message as { id: number; end?: ChildEnd } // as the program above answers
      pending.get(id)?.(end)
    })
    hold(child, 'unref')
    return child
  }
  const keep = (child: ChildProcess): void => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (helper !== child) return
      if (pending.size > 0) return keep(child)
      helper = undefined
      child.disconnect()
    }, idleMs).unref()
  }

  return {
    pid: () => helper?.pid,
    async run(program, args, call) {
      if (call.signal?.aborted) return undefined
      const busy = isBusy()
      if (!helper && !busy) return undefined
      helper ??= start(call.env)
      keep(helper)
      return ask(helper, pending, { id: ++lastId, program, args, call })
    },
  }
}

interface Asked {
  readonly id: number
  readonly program: string
  readonly args: readonly string[]
  readonly call: RepeatableCall
}

function ask(
  helper: ChildProcess,
  pending: Map<number, (end: ChildEnd | undefined) => void>,
  { id, program, args, call: { cwd, env, signal, limitMs, maxBytes = MAX_STDOUT_BYTES } }: Asked,
): Promise<ChildEnd | undefined> {
  return new Promise((resolve) => {
    const settle = (end: ChildEnd | undefined): void => {
      clearTimeout(limit)
      signal?.removeEventListener('abort', onAbort)
      pending.delete(id)
      if (pending.size === 0) hold(helper, 'unref')
      resolve(end)
    }
    const stop = (reason: ChildStop): void => {
      send(helper, { id })
      settle({ kind: 'stopped', reason })
    }
    const onAbort = (): void => stop('aborted')
    const limit = limitMs === undefined ? undefined : setTimeout(stop, limitMs, 'timeout')
    signal?.addEventListener('abort', onAbort, { once: true })
    pending.set(id, settle)
    hold(helper, 'ref')
    const most = { stdout: maxBytes, stderr: MAX_STDERR_BYTES }
    if (!send(helper, { id, call: { program, args, cwd, env, most } })) settle(undefined)
  })
}

/** Whether the process waits for the small one: only while a caller does. */
function hold(helper: ChildProcess, how: 'ref' | 'unref'): void {
  helper[how]()
  helper.channel?.[how]()
}

/** False where the channel is closed. */
function send(helper: ChildProcess, message: object): boolean {
  if (!helper.connected) return false
  helper.send(message, () => undefined) // its end is told by `exit`
  return true
}
