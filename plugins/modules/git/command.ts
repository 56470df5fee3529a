import { runGit } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { CONSTANT_CONFIG } from './environment.ts'
import { abortError, gitFailure } from './failure.ts'

/** Runs git in one store. Every argument list is constant but for refs inside refspecs and the URL after `--`. */
export interface Git {
  /**
   * stdout, untrimmed, of one command; bytes that are not UTF-8 become U+FFFD.
   * Errors: classified (modules design 2.6); `too_large`/`repository_too_large` beyond `maxBytes` of output.
   */
  run(args: readonly string[], maxBytes?: number): Promise<string>
  /** Like `run`, but errors carry git's own messages: never show them. `stop` ends the command like an abort. */
  raw(args: readonly string[], stop: AbortSignal): Promise<string>
}

export interface GitOptions {
  /** An existing directory. */
  readonly baseDir: string
  /** From `gitEnvironment`. */
  readonly environment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Further `-c key=value`, nothing secret. */
  readonly config?: readonly string[]
  /** Texts that no message may contain. */
  readonly hidden: readonly string[]
}

const SILENCE_MS = 120_000 // modules design 2.1

/** git in the store that `environment` names. Opens nothing. */
export function createGit(options: GitOptions): Git {
  const { environment, signal, hidden } = options
  const raw = async (args: readonly string[], stop: AbortSignal, maxBytes?: number): Promise<string> => {
    const ended = await runGit(args, {
      cwd: options.baseDir,
      env: environment,
      config: [...CONSTANT_CONFIG, ...(options.config ?? [])],
      signal: stop,
      silenceMs: SILENCE_MS,
      maxBytes,
      endsDescendants: true,
    })
    if (ended.kind === 'done') return ended.stdout
    switch (ended.reason) {
      case 'missing':
        throw refusals.git_missing()
      case 'timeout':
        throw refusals.timeout()
      case 'too_much_output':
        throw refusals.answer_too_large({ command: args[0] ?? '' })
      case 'aborted':
        throw abortError(stop)
      case 'refused':
        throw new Error(ended.stderr.trim() || `git ${args[0]} failed`)
    }
  }
  return {
    raw: (args, stop) => raw(args, AbortSignal.any([signal, stop])),
    async run(args, maxBytes) {
      try {
        return await raw(args, signal, maxBytes)
      } catch (thrown) {
        throw gitFailure(thrown, { hidden, signal })
      }
    },
  }
}
