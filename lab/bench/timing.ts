import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Wall-clock milliseconds of `work`, and its value. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const began = performance.now()
  const value = await work()
  return { value, ms: performance.now() - began }
}

/** Milliseconds of CPU that this process takes for `work`. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The least of each measurement over rounds in which they take turns: noise only ever adds. */
export async function leastOf<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measurements) as Name[] // its own keys
  const least = Object.fromEntries(names.map((name) => [name, Number.POSITIVE_INFINITY]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, await measurements[name]())
    }
  }
  return least as Record<Name, number> // every name is set above
}

/** Wall-clock milliseconds of one process, whose output is dropped. Fails unless it exits with 0. */
export async function processMs(
  [command = process.execPath, ...args]: readonly string[],
  { input = '', ...options }: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<number> {
  const began = performance.now()
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.on('error', () => {}) // it may end before it read everything
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} ended with ${code}`)
  return performance.now() - began
}
