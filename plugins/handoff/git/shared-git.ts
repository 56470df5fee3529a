import { setTimeout as pause } from 'node:timers/promises'
import type { Git, GitAnswer } from './run-git.ts'

/** Between two starts of one command while callers wait for it: at least this, more where it takes long, and at most a second. */
const EVERY_MS = 50
const TIMES_ITS_LENGTH = 4
const LONGEST_MS = 1000

interface Command {
  /** When the run that goes on began, in milliseconds of `performance.now()`. */
  readonly beganAt: number
  /** How long it took, in milliseconds; undefined while it goes on. */
  tookMs: number | undefined
  readonly running: Promise<GitAnswer>
  /** The run that begins after it, for all who asked meanwhile. */
  next: Promise<GitAnswer> | undefined
}

/**
 * git whose callers share runs. A call never gets the answer of a run that began before it, since the work tree may have
 * changed meanwhile: while the same command runs, all further calls wait for one next run. So many callers cost at most
 * twenty processes a second for each command, fewer on a busy machine, and a caller alone never waits.
 */
export function sharedGit(git: Git): Git {
  const commands = new Map<string, Command>()

  const run = (key: string, args: readonly string[]): Promise<GitAnswer> => {
    const running = git(...args).finally(() => {
      command.tookMs = performance.now() - command.beganAt
      if (commands.get(key) === command && command.next === undefined) commands.delete(key)
    })
    const command: Command = {
      beganAt: performance.now(),
      tookMs: undefined,
      running,
      next: undefined,
    }
    commands.set(key, command)
    return running
  }
  const runAfter = async (command: Command, key: string, args: readonly string[]): Promise<GitAnswer> => {
    await command.running.catch(() => undefined) // its own callers are told
    const everyMs = Math.min(LONGEST_MS, Math.max(EVERY_MS, (command.tookMs ?? 0) * TIMES_ITS_LENGTH))
    await pause(Math.max(0, command.beganAt + everyMs - performance.now()))
    return run(key, args)
  }
  return (...args) => {
    const key = args.join('\0')
    const command = commands.get(key)
    if (command === undefined) return run(key, args)
    command.next ??= runAfter(command, key, args)
    return command.next
  }
}
