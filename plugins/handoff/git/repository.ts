import { isCommitId, type Root } from '../domain/commit-id.ts'
import type { Git, GitFailure } from './run-git.ts'

/** State of a work tree at one moment. */
export interface RepositoryFacts {
  readonly kind: 'repository'
  /** Absent before the first commit. */
  readonly head: string | null
  readonly branch: string | null
  readonly dirty: boolean | null
  readonly remote: string | null
  /**
   * Paths relative to the work tree that differ from HEAD; `new` ones are not tracked. A folder of too many new files is
   * one path, which ends with `/`.
   */
  readonly changed: readonly ChangedPath[]
  /** Why git did not list them; absent where it did. */
  readonly unlisted?: GitFailure
}

export interface ChangedPath {
  readonly path: string
  readonly state: 'modified' | 'new' | 'deleted'
}

export type CapturedRepository = RepositoryFacts | { readonly kind: 'none'; readonly reason: GitFailure }

/** Where the folder is in its repository, and where that was cloned from: both change rarely. */
const WHERE = ['rev-parse', '--is-inside-work-tree', '--show-prefix'] as const
const REMOTE = ['config', '--get', 'remote.origin.url'] as const
/** Commands whose answer callers may share for a while; see `sharedGit`. */
export const STANDING_COMMANDS = [WHERE, REMOTE]

/**
 * Head, branch, remote and changed paths of the work tree; one failing command never fails the capture. Paths are
 * relative to the folder git runs in. Paths below `storePrefix` (`.handoffs/`) are left out.
 */
export async function captureRepository(git: Git, storePrefix: string): Promise<CapturedRepository> {
  const [inside, status, remote] = await Promise.all([
    git(...WHERE),
    git('status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--no-renames', '--', '.'),
    line(git(...REMOTE)),
  ])
  if (inside.kind === 'failed') return { kind: 'none', reason: inside.reason }
  const prefix = inside.stdout.slice(inside.stdout.indexOf('\n') + 1).replace(/\n$/, '')
  const { head, branch, entries } = status.kind === 'done' ? statusOf(status.stdout) : await headAlone(git)
  const below = (entries ?? []).map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }))
  // git names a folder that it does not track, not what is in it.
  const isNew = below.some(({ path }) => path === '')
  const named = (isNew ? await newPlaces(git) : below).filter(({ path }) => !isOwnPath(path, storePrefix))
  const changed = await withNewFiles(git, named, storePrefix)
  return {
    kind: 'repository',
    head: head !== null && isCommitId(head) ? head : null,
    branch,
    dirty: entries === undefined ? null : changed.length > 0,
    remote: remote === null ? null : withoutUserInfo(remote),
    changed,
    ...(status.kind === 'failed' && { unlisted: status.reason }),
  }
}

/** The files and the folders in the folder itself, of which git tracks nothing. */
async function newPlaces(git: Git): Promise<readonly ChangedPath[]> {
  const listed = await git('ls-files', '--others', '--exclude-standard', '-z')
  if (listed.kind === 'failed') return [{ path: './', state: 'new' }]
  const places = listed.stdout.split('\0').map((path) => path.replace(/(?<=\/).*/s, ''))
  return [...new Set(places)].flatMap((path) => (path === '' ? [] : { path, state: 'new' as const }))
}

/** Up to so many changed paths the files of new folders are named. */
const MAX_NAMED = 100

/** The files of the folders that git does not track: what they hold is captured and compared, a folder's is not. */
async function withNewFiles(
  git: Git,
  changed: readonly ChangedPath[],
  storePrefix: string,
): Promise<readonly ChangedPath[]> {
  const folders = changed.filter(({ path }) => path.endsWith('/'))
  if (folders.length === 0 || changed.length > MAX_NAMED) return changed
  const places = folders.map(({ path }) => `:(literal)${path}`)
  const listed = await git('ls-files', '--others', '--exclude-standard', '-z', '--', ...places)
  if (listed.kind === 'failed') return changed
  const files = listed.stdout.split('\0').filter((path) => path !== '' && !isOwnPath(path, storePrefix))
  let count = changed.length
  return changed.flatMap((entry) => {
    if (!entry.path.endsWith('/')) return entry
    const within = files.filter((path) => path.startsWith(entry.path))
    if (within.length === 0 || count - 1 + within.length > MAX_NAMED) return entry
    count += within.length - 1
    return within.map((path) => ({ path, state: 'new' as const }))
  })
}

interface Status extends Pick<RepositoryFacts, 'head' | 'branch'> {
  /** Paths from the root of the work tree; absent where git did not list them. */
  readonly entries?: readonly ChangedPath[]
}

/** What is known where the list of changes took too long. */
async function headAlone(git: Git): Promise<Status> {
  const [head, branch] = await Promise.all([headOf(git), currentBranch(git)])
  return { head: head ?? null, branch: branch ?? null }
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

/** The smallest root commit of HEAD. git walks the whole history for it. */
export async function rootCommit(git: Git): Promise<Root> {
  const shallow = await git('rev-parse', '--is-shallow-repository')
  if (shallow.kind === 'failed') return withoutRoot(shallow.reason)
  if (shallow.stdout.trim() !== 'false') return 'none'
  const roots = await git('rev-list', '--max-parents=0', 'HEAD')
  if (roots.kind === 'failed') return withoutRoot(roots.reason)
  const [commit] = roots.stdout.split('\n').filter(isCommitId).sort()
  return commit === undefined ? 'none' : { commit }
}

function withoutRoot(reason: GitFailure): Root {
  return reason === 'timeout' ? 'untold' : 'none'
}

async function line(answer: ReturnType<Git>): Promise<string | null> {
  const settled = await answer
  const text = settled.kind === 'done' ? settled.stdout.trim() : ''
  return text === '' ? null : text
}

/** Fields before the path, by the first character of an entry: changed, with conflicts. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { 1: 8, u: 10 }

/** Reads `git status --porcelain=v2 --branch -z --no-renames`. */
function statusOf(text: string): Status {
  const entries: ChangedPath[] = []
  let head: string | null = null
  let branch: string | null = null
  for (const entry of text.split('\0')) {
    const words = entry.split(' ')
    const [kind = '', second = ''] = words
    const fields = FIELDS_BEFORE_PATH[kind]
    if (kind === '?') entries.push({ path: entry.slice(2), state: 'new' })
    else if (fields !== undefined) {
      const state = second.includes('D') ? 'deleted' : 'modified'
      entries.push({ path: words.slice(fields).join(' '), state })
    } else if (second === 'branch.oid') head = words[2] ?? null
    else if (second === 'branch.head' && words[2] !== '(detached)') branch = words[2] ?? null
  }
  return { head, branch, entries }
}

/** A remote without the user info before its host. */
export function withoutUserInfo(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1').replace(/^[^/@:]+@([^/:]+:)/, '$1')
}
