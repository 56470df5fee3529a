import type { StopSignal } from './cli/io.ts'

/** Stops this process in order, as a signal from outside does. */
export function stopByOwnSignal(): void {
  process.emit('SIGTERM', 'SIGTERM')
}

const EXIT_CODES = { SIGTERM: 0, SIGHUP: 0, SIGINT: 130 } as const

/** Exits on a signal as a server of MCP does, which has nothing under way yet. Returns the function that ends this. */
export function exitOnSignals(): () => void {
  const handlers = Object.entries(EXIT_CODES).map(([name, code]) => ({
    name,
    end: () => {
      process.off('exit', tellOfEarlyExit)
      process.exit(code)
    },
  }))
  for (const { name, end } of handlers) process.on(name, end)
  return () => {
    for (const { name, end } of handlers) process.off(name, end)
  }
}

/**
 * Until the returned function is called, a `process.exit` is the act of a plugin: it is named on standard error, and the exit
 * code is 1. Otherwise a command without a result would look like one that succeeded.
 */
export function refuseEarlyExit(): () => void {
  process.on('exit', tellOfEarlyExit)
  return () => process.off('exit', tellOfEarlyExit)
}

function tellOfEarlyExit(code: number): void {
  const frames = (new Error().stack ?? '').split('\n')
  const caller = frames[frames.findIndex((frame) => frame.includes('at process.exit ')) + 1]?.trim()
  if (caller === undefined || !caller.startsWith('at ')) return // Node ends the process, and says why
  process.exitCode = 1
  process.stderr.write(
    `satchel: process.exit(${code}) was called ${caller}, before the command was done. Correct the plugin that has it.\n`,
  )
}

/** Calls `listener` when the event loop is empty, before the process would end. Returns the function that removes it. */
export function onProcessIdle(listener: () => void): () => void {
  process.on('beforeExit', listener)
  return () => process.off('beforeExit', listener)
}

/** How often a command that `npx` started looks for its parent. */
const PARENT_CHECK_MS = 1000

/**
 * Calls `listener` for each signal that ends a command, and once the shell of `npx` has ended: npm passes a signal to that
 * shell, which does not pass it on. Returns the function that removes it.
 */
export function onProcessSignal(
  env: Readonly<Record<string, string | undefined>>,
  listener: (signal: StopSignal) => void,
): () => void {
  const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const each = signals.map((signal) => [signal, () => listener(signal)] as const)
  for (const [signal, handler] of each) process.on(signal, handler)
  const parentCheck = env['npm_lifecycle_event'] === 'npx' ? whenParentEnds(listener) : undefined
  return () => {
    clearInterval(parentCheck)
    for (const [signal, handler] of each) process.off(signal, handler)
  }
}

function whenParentEnds(listener: (signal: StopSignal) => void): NodeJS.Timeout {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    listener('SIGTERM')
  }, PARENT_CHECK_MS)
  return check.unref()
}
