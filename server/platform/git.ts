import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { devNull } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type ChildCall, type ChildStop, runChild } from './child-process.ts'
import { createStarter } from './starter-process.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface GitCall extends ChildCall {
  /** From `cleanGitEnvironment`. */
  readonly env: Environment
  /** Further `key=value` pairs of configuration; nothing secret, the process list shows them. */
  readonly config?: readonly string[]
  /** The command changes nothing: where many are run, a small process may start them. */
  readonly readsOnly?: boolean
}

/** `refused`: git ended with another code than 0; `stderr` has its words, in English. */
export type GitEnd =
  | { readonly kind: 'done'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly reason: ChildStop | 'refused'; readonly stderr: string }

/** A repository's own configuration names programs to run: none of them ever is. */
const SAFE_CONFIG = [`core.hooksPath=${devNull}`, 'core.fsmonitor=false']

/** What of an environment changes what git does. A hook of git runs with `GIT_DIR` set, which would lead to another repository. */
const CHANGES_GIT = /^(git_.*|editor|pager|visual|prefix|ssh_askpass)$/i

/**
 * The environment of a git command: `base` without what changes git, then `own`. git never asks on a terminal and
 * speaks English.
 */
export function cleanGitEnvironment(base: Environment, own: Environment = {}): Record<string, string> {
  const kept = Object.entries(base).filter(([name]) => !CHANGES_GIT.test(name))
  const all = [...kept, ...Object.entries({ GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...own })]
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const starter = createStarter()

/** Runs git to its end. `args` start with the command; what comes from outside is behind `--` or checked by the caller. */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitEnd> {
  const words = [...configArguments(call), ...args]
  const elsewhere = call.readsOnly ? await starter.run('git', words, call) : undefined
  const ended = elsewhere ?? (await runChild('git', words, call))
  if (ended.kind === 'stopped') return { kind: 'failed', reason: ended.reason, stderr: '' }
  if (ended.code === 0) return { kind: 'done', stdout: ended.stdout }
  return { kind: 'failed', reason: 'refused', stderr: ended.stderr }
}

/** Starts a git that reads requests from stdin and answers on stdout. The caller ends it. */
export function startGit(
  args: readonly string[],
  call: Pick<GitCall, 'cwd' | 'env' | 'config'>,
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn('git', [...configArguments(call), ...args], {
    cwd: call.cwd,
    env: { ...call.env },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
}

function configArguments({ config = [] }: Pick<GitCall, 'config'>): string[] {
  return [...SAFE_CONFIG, ...config].flatMap((pair) => ['-c', pair])
}
