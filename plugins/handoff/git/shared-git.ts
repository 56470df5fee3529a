import { setTimeout as pause } from 'node:timers/promises'
import { STANDING_COMMANDS } from './repository.ts'
import type { Git, GitAnswer } from './run-git.ts'

/** Between two starts of one command while callers wait for it: at least this, more where it takes long, and at most a second. */
const EVERY_MS = 100
const TIMES_ITS_LENGTH = 4
const LONGEST_MS = 1000

/** How long the answer of a standing command is given to later callers. */
const STANDING_MS = 1000
const STANDING = new Set(STANDING_COMMANDS.map(keyOf))
/** So many commands are known to have found no repository. */
const MAX_OUTSIDE = 16

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
 * ten processes a second for each command, fewer on a busy machine, and a caller alone never waits. A standing command is
 * asked at most once a second: of what it says a second changes nothing. A command that found no repository is not started
 * again while there is none: servers that many share often run in a folder of their own.
 */
export function sharedGit(
  git: Git,
  {
    clock = () => performance.now(),
    isOutside = () => false,
  }: { clock?(): number; isOutside?(): boolean } = {},
): Git {
  /** The answers of commands that found no repository. */
  const outside = new Map<string, GitAnswer>()
  const commands = new Map<string, Command>()
  const standing = new Map<string, { readonly askedAt: number; readonly answer: Promise<GitAnswer> }>()

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
  const ask = (key: string, args: readonly string[]): Promise<GitAnswer> => {
    const command = commands.get(key)
    if (command === undefined) return run(key, args)
    command.next ??= runAfter(command, key, args)
    return command.next
  }
  const askStanding = (key: string, args: readonly string[]): Promise<GitAnswer> => {
    const known = standing.get(key)
    if (known !== undefined && clock() - known.askedAt < STANDING_MS) return known.answer
    const asked = { askedAt: clock(), answer: git(...args) }
    standing.set(key, asked)
    const forget = (): void => {
      if (standing.get(key) === asked) standing.delete(key)
    }
    asked.answer.then((answer) => {
      if (!holds(answer)) forget()
    }, forget)
    return asked.answer
  }
  return async (...args) => {
    const key = keyOf(args)
    const known = outside.get(key)
    if (known !== undefined && isOutside()) return known
    const answer = await (STANDING.has(key) ? askStanding(key, args) : ask(key, args))
    if (answer.kind === 'failed' && answer.reason === 'no_repository' && outside.size < MAX_OUTSIDE)
      outside.set(key, answer)
    return answer
  }
}

function keyOf(args: readonly string[]): string {
  return args.join('\0')
}

/** `git config` refuses where nothing is set, which is an answer. Without a repository, time or trust there is none: the next caller asks again. */
function holds(answer: GitAnswer): boolean {
  return answer.kind === 'done' || answer.reason === 'refused'
}
