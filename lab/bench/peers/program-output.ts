import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

interface Run {
  readonly cwd: string
  readonly signal?: AbortSignal
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
}

/** What a program prints. Errors: a program that cannot be started or fails, with the end of what it said. */
export async function outputOf(
  [command = process.execPath, ...args]: readonly string[],
  { input = '', ...options }: Run,
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: 'pipe' })
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  child.stdin.on('error', () => {}) // it may end before it read everything
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  const [out, error] = await printed
  if (code !== 0) throw new Error(error || out || `${command} ended with ${code}`)
  return out
}

/** What a program and everything it started took, in milliseconds. */
export interface RunCost {
  readonly wall: number
  readonly cpu: number
}

/** Runs a program to its end by a POSIX shell, which counts the processor time of all its children. Errors: as `outputOf`. */
export async function costOf(command: readonly string[], run: Run): Promise<RunCost> {
  const began = performance.now()
  const told = await outputOf(['sh', '-c', '"$@" >&2 || exit 1; times', 'sh', ...command], run)
  return { wall: performance.now() - began, cpu: childrenMs(told) }
}

/** The last line of `times`: user and system time of the children, such as `0m0.63s 0m0.30s`. */
function childrenMs(times: string): number {
  const line = times.trim().split('\n').at(-1) ?? ''
  const seconds = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return seconds.reduce((sum, one) => sum + one, 0) * 1000
}
