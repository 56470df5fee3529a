import { isCommitId } from '../domain/commit-id.ts'
import type { Git, GitFailure } from './run-git.ts'

/** State of a work tree at one moment. */
export interface RepositoryFacts {
  readonly kind: 'repository'
  /** Absent before the first commit. */
  readonly head: string | null
  readonly branch: string | null
  readonly dirty: boolean | null
  readonly remote: string | null
  /** Paths relative to the work tree that differ from HEAD; `new` ones are not tracked. */
  readonly changed: readonly ChangedPath[]
}

export interface ChangedPath {
  readonly path: string
  readonly state: 'modified' | 'new' | 'deleted'
}

export type CapturedRepository = RepositoryFacts | { readonly kind: 'none'; readonly reason: GitFailure }

/**
 * Head, branch, remote and changed paths of the work tree; one failing command never fails the capture. Paths are
 * relative to the folder git runs in. Paths below `storePrefix` (`.handoffs/`) are left out.
 */
export async function captureRepository(git: Git, storePrefix: string): Promise<CapturedRepository> {
  const inside = await git('rev-parse', '--is-inside-work-tree')
  if (inside.kind === 'failed') return { kind: 'none', reason: inside.reason }
  const [prefix, head, branch, remote, status] = await Promise.all([
    line(git('rev-parse', '--show-prefix')),
    line(git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')),
    line(git('symbolic-ref', '--quiet', '--short', 'HEAD')),
    line(git('config', '--get', 'remote.origin.url')),
    git('status', '--porcelain=v1', '-z', '--untracked-files=normal', '--no-renames', '--', '.'),
  ])
  const changed = (status.kind === 'done' ? changedPaths(status.stdout) : [])
    .map((entry) => ({ ...entry, path: entry.path.slice((prefix ?? '').length) }))
    .filter(({ path }) => !isOwnPath(path, storePrefix))
  return {
    kind: 'repository',
    head: head !== null && isCommitId(head) ? head : null,
    branch,
    dirty: status.kind === 'done' ? changed.length > 0 : null,
    remote: remote === null ? null : withoutUserInfo(remote),
    changed,
  }
}

/** True for what satchel writes beside the user's files: the store, and the sidecar of a room. */
export function isOwnPath(path: string, storePrefix: string): boolean {
  return path.startsWith(storePrefix) || /(?:^|\/)\.[^/]+\.satchel\//.test(path)
}

/** The commit of HEAD; undefined before the first one or without git. */
export async function headOf(git: Git): Promise<string | undefined> {
  const head = await line(git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))
  return head !== null && isCommitId(head) ? head : undefined
}

/** The branch of the work tree; undefined between branches or without git. */
export async function currentBranch(git: Git): Promise<string | undefined> {
  return (await line(git('symbolic-ref', '--quiet', '--short', 'HEAD'))) ?? undefined
}

/** The smallest root commit of HEAD; undefined in a shallow clone, without commits or without git. */
export async function rootCommit(git: Git): Promise<string | undefined> {
  if ((await line(git('rev-parse', '--is-shallow-repository'))) !== 'false') return undefined
  const roots = await git('rev-list', '--max-parents=0', 'HEAD')
  if (roots.kind === 'failed') return undefined
  return roots.stdout.split('\n').filter(isCommitId).sort()[0]
}

async function line(answer: ReturnType<Git>): Promise<string | null> {
  const settled = await answer
  const text = settled.kind === 'done' ? settled.stdout.trim() : ''
  return text === '' ? null : text
}

function changedPaths(status: string): ChangedPath[] {
  return status
    .split('\0')
    .filter((entry) => entry.length > 3)
    .map((entry) => {
      const code = entry.slice(0, 2)
      const state = code === '??' ? 'new' : code.includes('D') ? 'deleted' : 'modified'
      return { path: entry.slice(3), state }
    })
}

/** A remote without the user info before its host. */
export function withoutUserInfo(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1').replace(/^[^/@:]+@([^/:]+:)/, '$1')
}
