import type { CommitLine } from '../domain/world-facts.ts'
import { type ChangedPath, isOwnPath } from './repository.ts'
import type { Git } from './run-git.ts'

const MAX_LINES = 20

/** The newest commits that `to` has and `from` has not, without those that change only the store. Both are commit ids. */
export async function commitsBetween(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
  storePrefix: string,
): Promise<readonly CommitLine[]> {
  const options = ['-z', '--format=%h%x1f%s', `--max-count=${MAX_LINES}`, '--no-show-signature']
  const answer = await git(
    'log',
    ...options,
    '--end-of-options',
    `${from}..${to}`,
    '--',
    ...theirs(storePrefix),
  )
  if (answer.kind === 'failed') return []
  return answer.stdout.split('\0').flatMap((line) => {
    const [id = '', subject] = line.split('\x1f')
    return subject === undefined ? [] : [{ id, subject }]
  })
}

/** How many commits of `range` change more than the store; null if git cannot tell. */
export async function countCommits(git: Git, range: string, storePrefix: string): Promise<number | null> {
  const places = theirs(storePrefix)
  const count = await git('rev-list', '--count', '--end-of-options', range, '--', ...places)
  return count.kind === 'done' ? Number(count.stdout.trim()) : null
}

/** What was done since a commit, in commits and in the work tree. */
export interface WorkDone {
  readonly commits: readonly CommitLine[]
  /** By path; `new` ones were not there at the commit. */
  readonly files: readonly ChangedPath[]
  /** What `git diff --shortstat` says; files that git does not track are not in it. */
  readonly stat: string | undefined
}

/** What changed from a commit id to the work tree, without satchel's own files. */
export async function workSince(git: Git, from: string, storePrefix: string): Promise<WorkDone> {
  const paths = theirs(storePrefix)
  const commits = await commitsBetween(git, { from, to: 'HEAD' }, storePrefix)
  const names = ['--name-status', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--relative']
  const [tracked, stat, untracked] = await Promise.all([
    git('diff', ...names, '--end-of-options', from, '--', ...paths),
    git('diff', '--shortstat', '--no-ext-diff', '--no-textconv', '--end-of-options', from, '--', ...paths),
    git('ls-files', '--others', '--exclude-standard', '-z', '--', ...paths),
  ])
  const states = new Map(tracked.kind === 'done' ? statesIn(tracked.stdout) : [])
  for (const path of untracked.kind === 'done' ? untracked.stdout.split('\0') : [])
    states.set(path, states.has(path) ? 'modified' : 'new') // deleted in the index alone
  const files = [...states]
    .filter(([path]) => path !== '' && !isOwnPath(path, storePrefix))
    .map(([path, state]) => ({ path, state }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const said = stat.kind === 'done' ? stat.stdout.trim() : ''
  return { commits, files, stat: said === '' ? undefined : said }
}

const STATES: Readonly<Record<string, ChangedPath['state']>> = { A: 'new', D: 'deleted' }

/** Reads `git diff --name-status -z --no-renames`. */
function statesIn(text: string): [path: string, state: ChangedPath['state']][] {
  const words = text.split('\0')
  return words.flatMap((path, at) => {
    const letter = words[at - 1]
    return at % 2 === 0 || letter === undefined ? [] : [[path, STATES[letter] ?? 'modified']]
  })
}

/** Everything below the project but a store inside the work tree. */
function theirs(storePrefix: string): string[] {
  return ['.', ...withoutStore(storePrefix)]
}

/** Everything in the repository but such a store. */
export function notOfStore(storePrefix: string): string[] {
  return [':(top)', ...withoutStore(storePrefix)]
}

function withoutStore(storePrefix: string): string[] {
  return storePrefix.startsWith('..') ? [] : [`:(exclude,literal)${storePrefix.replace(/\/$/, '')}`]
}
