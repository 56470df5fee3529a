import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SatchelError } from '../../../server/contract/errors.ts'
import { packageRoot } from '../../../server/package-root.ts'

/** How long one child may take before the measurement gives up. */
const CHILD_LIMIT_MS = 120_000
/** How long a server may live: it answers thousands of calls, also on a busy machine. */
const SERVER_LIMIT_MS = 900_000

/** A child process that is being measured; the caller ends it. */
export interface Child {
  readonly pid: number
  readonly process: ChildProcessWithoutNullStreams
  /** The next line of stdout. Errors: `unavailable`/`bench_child` when it ended first. */
  line(): Promise<string>
  /** Ends stdin and gives the milliseconds until the process has exited. */
  end(): Promise<number>
}

/** The built program. Errors: `unavailable`/`not_built`. */
export function builtProgram(): string {
  const path = join(packageRoot(), 'dist', 'satchel.js')
  if (existsSync(path)) return path
  throw new SatchelError('unavailable', 'not_built', 'Only the built program can be measured: npm run build')
}

/** Starts Node with `args`, in `cwd`; it is killed after `limitMs`. */
export function startChild(args: readonly string[], cwd: string, limitMs = CHILD_LIMIT_MS): Child {
  const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stderr.resume()
  child.stdin.on('error', () => {}) // it may end before it read everything
  const guard = setTimeout(() => child.kill('SIGKILL'), limitMs)
  child.on('exit', () => clearTimeout(guard))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid ?? 0,
    process: child,
    async line() {
      const next = await lines.next()
      if (next.done)
        throw new SatchelError(
          'unavailable',
          'bench_child',
          `node ${args.join(' ')} ended before it answered.`,
        )
      return next.value
    },
    async end() {
      const began = performance.now()
      const exited = once(child, 'exit')
      child.stdin.end()
      if (child.exitCode === null) await exited
      return performance.now() - began
    },
  }
}

/** `satchel serve` in `cwd`, and its address; the caller ends it. */
export async function startServe(
  cwd: string,
  limitMs = SERVER_LIMIT_MS,
): Promise<{ readonly server: Child; readonly address: string }> {
  const words = [builtProgram(), 'serve', '--host', '127.0.0.1', '--port', '0', '--json']
  const server = startChild(words, cwd, limitMs)
  const said: { listeners: { address: string }[] } = JSON.parse(await server.line())
  return { server, address: said.listeners[0]?.address ?? '' }
}

/** Milliseconds that Node needs for `args` from start to exit. */
export async function timeToExit(args: readonly string[], cwd: string): Promise<number> {
  const began = performance.now()
  const child = startChild(args, cwd)
  const exited = once(child.process, 'exit')
  child.process.stdout.resume()
  child.process.stdin.end()
  await exited
  return performance.now() - began
}

/** Resident memory of a process in MiB; undefined where there is no `/proc`. */
export function residentMib(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(procFile(pid, 'status'))?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** CPU time of the threads of a process in milliseconds; undefined where there is no `/proc`. */
export function processorMs(pid: number): number | undefined {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return undefined
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number.parseInt(procFile(pid, `task/${task}/schedstat`), 10),
  )
  return nanoseconds.reduce((sum, each) => sum + (each || 0), 0) / 1e6
}

function procFile(pid: number, name: string): string {
  const path = `/proc/${pid}/${name}`
  return existsSync(path) ? readFileSync(path, 'latin1') : ''
}
