import { cleanGitEnvironment, runGit } from '../../../server/plugin.ts'

/** What git answered, or why it did not. */
export type GitAnswer =
  | { readonly kind: 'done'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly reason: GitFailure }

/** `no_git`: no program; `no_repository`: none here, or one git does not trust. */
export type GitFailure =
  | 'no_git'
  | 'no_repository'
  | 'dubious_ownership'
  | 'timeout'
  | 'too_much_output'
  | 'refused'

/** Runs read-only git commands in one work tree. */
export type Git = (...args: readonly string[]) => Promise<GitAnswer>

export interface GitLimits {
  readonly limitMs?: number
  readonly signal?: AbortSignal
}

const LIMIT_MS = 2000 // design handoff, section 8
const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024

/** What a person may have configured otherwise: the same change has the same patch for everyone. */
const SAME_EVERYWHERE = [
  'core.quotePath=true',
  'diff.algorithm=myers',
  'diff.context=3',
  'diff.interHunkContext=0',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.srcPrefix=a/',
  'diff.dstPrefix=b/',
  'diff.indentHeuristic=true',
  'diff.suppressBlankEmpty=false',
  'diff.submodule=short',
  'log.showRoot=true',
]

/**
 * git in `cwd`; each command is killed after its limit (2 s) and when `signal` aborts. Never fetches or refreshes the index: before 2.44 git
 * itself fetches what a partial clone lacks unless no protocol is allowed.
 */
export function gitIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  { limitMs = LIMIT_MS, signal }: GitLimits = {},
): Git {
  const call = {
    cwd,
    env: cleanGitEnvironment(env, {
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
    }),
    limitMs,
    signal,
    config: SAME_EVERYWHERE,
    maxBytes: LARGEST_OUTPUT_BYTES,
    readsOnly: true,
  }
  return async (...args) => {
    const ended = await runGit(args, call)
    if (ended.kind === 'done') return ended
    if (ended.reason === 'refused') return { kind: 'failed', reason: refusalIn(ended.stderr) }
    return { kind: 'failed', reason: STOPS[ended.reason] }
  }
}

const STOPS = {
  missing: 'no_git',
  timeout: 'timeout',
  aborted: 'timeout',
  too_much_output: 'too_much_output',
} as const

function refusalIn(stderr: string): GitFailure {
  if (stderr.includes('dubious ownership')) return 'dubious_ownership'
  return stderr.includes('not a git repository') ? 'no_repository' : 'refused'
}

/** A failure of git as text. */
export function reasonText(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    no_git: 'git is not installed',
    no_repository: 'not a git repository',
    dubious_ownership: 'git does not trust this repository (dubious ownership)',
    timeout: 'git took too long',
    too_much_output: 'git answered too much',
  }
  return words[reason] ?? 'git failed'
}
