import { randomBytes } from 'node:crypto'
import { simpleGit } from 'simple-git'
import { refusal } from '../reasons.ts'
import { CONSTANT_CONFIG, type GitEnvironment } from './environment.ts'
import { gitFailure, isBlockTimeout } from './failure.ts'
import { CALL_MARK, endProcessesOf } from './orphans.ts'

/** Runs git in one store. Every argument list is constant but for refs inside refspecs and the URL after `--`. */
export interface Git {
  /**
   * stdout, untrimmed, of one command; bytes that are no UTF-8 become U+FFFD.
   * Errors: classified (modules design 2.6); `too_large`/`repository_too_large` beyond `maxBytes` of output.
   */
  run(args: readonly string[], maxBytes?: number): Promise<string>
  /** As `run`, but what git said comes through unclassified: never pass it on. `stop` ends it as the abort of all does. */
  raw(args: readonly string[], stop: AbortSignal): Promise<string>
}

export interface GitOptions {
  /** An existing directory. */
  readonly baseDir: string
  readonly environment: GitEnvironment
  readonly signal: AbortSignal
  /** Further `-c key=value`, nothing secret. */
  readonly config?: readonly string[]
  /** What no message may show. */
  readonly hidden: readonly string[]
  /** Longest silence of a command; absent: 120 s (modules design 2.1). */
  readonly blockMs?: number
}

const BLOCK_MS = 120_000

/** git in the store that `environment` names, through simple-git with its guards on. Opens nothing. */
export function createGit(options: GitOptions): Git {
  const { environment, signal, hidden } = options
  const raw = async (args: readonly string[], stop: AbortSignal, onBytes?: (count: number) => void) => {
    signal.throwIfAborted()
    const git = simpleGit({
      baseDir: options.baseDir,
      abort: stop,
      allowEnvironment: environment.allowEnvironment,
      config: [...CONSTANT_CONFIG, ...(options.config ?? [])],
      // Without words simple-git takes any end for success: a git that was killed would have said that there is nothing.
      errors: (error, { exitCode }) =>
        error ?? (exitCode === 0 ? undefined : new Error(`git ${args[0]} ended with ${exitCode}`)),
      timeout: { block: options.blockMs ?? BLOCK_MS },
      trimmed: false,
      unsafe: environment.unsafe,
    })
    if (onBytes) {
      git.outputHandler((_command, stdout) => stdout.on('data', (chunk: Buffer) => onBytes(chunk.length)))
    }
    const mark = randomBytes(8).toString('hex')
    try {
      return await git.env({ ...environment.env, [CALL_MARK]: mark }).raw([...args])
    } catch (thrown) {
      // simple-git stopped git itself, and nothing else.
      if (stop.aborted || isBlockTimeout(thrown)) await endProcessesOf(mark)
      throw thrown
    }
  }
  return {
    raw: (args, stop) => raw(args, AbortSignal.any([signal, stop])),
    async run(args, maxBytes) {
      const flood = new AbortController()
      let seen = 0
      const count = (bytes: number): void => {
        seen += bytes
        if (maxBytes !== undefined && seen > maxBytes) flood.abort()
      }
      try {
        return await raw(args, AbortSignal.any([signal, flood.signal]), count)
      } catch (thrown) {
        if (flood.signal.aborted) {
          throw refusal('repository_too_large', `git ${args[0]} answered more than ${maxBytes} bytes.`)
        }
        throw gitFailure(thrown, { hidden, signal })
      }
    },
  }
}
