import { execFile } from 'node:child_process'

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

const LIMIT_MS = 2000 // design handoff, section 8
const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024

/** Never a prompt, a hook, a file-system monitor or a fetch; nothing of the index is refreshed on disk. */
const SAFE_OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
const SAFE_ENVIRONMENT = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
}

/** git in `cwd`, by argument array; each command is killed after its limit (2 s) and when `signal` aborts. */
export function gitIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  { limitMs = LIMIT_MS, signal }: { readonly limitMs?: number; readonly signal?: AbortSignal } = {},
): Git {
  return (...args) =>
    new Promise((resolve) => {
      execFile(
        'git',
        [...SAFE_OPTIONS, ...args],
        {
          cwd,
          env: { ...withoutGitVariables(env), ...SAFE_ENVIRONMENT },
          timeout: limitMs,
          killSignal: 'SIGKILL',
          ...(signal && { signal }),
          maxBuffer: LARGEST_OUTPUT_BYTES,
          encoding: 'utf8',
        },
        (error, stdout, stderr) => {
          if (!error) resolve({ kind: 'done', stdout })
          else resolve({ kind: 'failed', reason: failure(error, stderr) })
        },
      )
    })
}

/** A hook of git itself runs with `GIT_DIR` set, which would point us at another repository. */
function withoutGitVariables(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))
}

function failure(error: Error & { code?: unknown; killed?: boolean }, stderr: string): GitFailure {
  if (error.code === 'ENOENT' || error.code === 'EACCES') return 'no_git'
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'too_much_output'
  if (error.killed || error.name === 'AbortError') return 'timeout'
  if (stderr.includes('dubious ownership')) return 'dubious_ownership'
  return stderr.includes('not a git repository') ? 'no_repository' : 'refused'
}
