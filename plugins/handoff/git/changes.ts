import type { Git } from './run-git.ts'

/** So many files of a commit are named to git; for more it lists all that its history changed. */
const MAX_PATHS = 100

/**
 * Commits of HEAD's history that are compared, of those that changed certain files: to find these among 5,000 commits takes
 * git a quarter of a second of processor time.
 */
export const MAX_CHANGES = 5000

const RAW = ['--raw', '--no-abbrev', '--no-renames', '--no-show-signature']

/** A commit with what tells it from others after it was rewritten. */
export interface Change {
  readonly commit: string
  readonly tree: string
  /** When its author wrote it, in seconds: a rebase and a cherry-pick keep that. */
  readonly authored: string
  /** Path from the root of the repository -> the blob that the commit leaves there. */
  readonly files: ReadonlyMap<string, string>
}

/** Commits with what they changed, from the trees alone; undefined where git cannot tell. `range` ends with the places. */
export async function changesIn(git: Git, range: readonly string[]): Promise<readonly Change[] | undefined> {
  const answer = await git('log', '-z', '--format=%x01%H %T %at', ...RAW, ...range)
  if (answer.kind === 'failed') return undefined
  return answer.stdout
    .split('\u0001')
    .slice(1)
    .map((part) => {
      const [head = '', ...words] = part.split('\0')
      const [commit = '', tree = '', authored = ''] = head.trim().split(' ')
      const files = new Map<string, string>()
      for (const [at, word] of words.entries()) {
        const blob = /^\n?:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(word)?.[1]
        if (blob !== undefined) files.set(words[at + 1] ?? '', blob)
      }
      return { commit, tree, authored, files }
    })
}

/**
 * The newest commit of a range that has this tree. Nothing else tells what a merge or an empty commit changed: where none
 * has it, the commit is `untraced`, or `untold` where git could not compare all.
 */
export async function commitWithTree(
  git: Git,
  tree: string,
  range: readonly string[],
): Promise<{ readonly to: string } | 'untraced' | 'untold'> {
  const found = await changesIn(git, ['--no-patch', `--max-count=${MAX_CHANGES}`, ...range, '--'])
  const same = found?.find((one) => one.tree === tree)
  if (same) return { to: same.commit }
  return found === undefined || found.length >= MAX_CHANGES ? 'untold' : 'untraced'
}

/** Paths from the root of the repository as arguments of git; none, which is every place, for too many. */
export function placesOf(paths: readonly string[]): readonly string[] {
  return paths.length > MAX_PATHS ? [] : paths.map((path) => `:(top,literal)${path}`)
}

/** What HEAD and all of these commits have; of a single one itself, none where nothing joins them. */
export async function commonBase(git: Git, commits: readonly string[]): Promise<readonly string[]> {
  if (commits.length < 2) return commits
  const base = await git('merge-base', '--octopus', '--end-of-options', 'HEAD', ...commits)
  return base.kind === 'done' ? [base.stdout.trim()] : []
}
