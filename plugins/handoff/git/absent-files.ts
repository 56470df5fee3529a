import { isCommitId } from '../domain/commit-id.ts'
import type { Git } from './run-git.ts'

/** Paths that git is asked about. */
const MAX_PATHS = 200

/** What git says of paths that are not in the work tree. */
export interface AbsentFiles {
  /** In the index, but left out of this sparse checkout. */
  readonly leftOut: ReadonlySet<string>
  /** Path -> where the file of the captured commit is now, with the same content. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Tells files that are left out or were renamed from deleted ones. `captured` is the head of the record. */
export async function absentFiles(
  git: Git,
  paths: readonly string[],
  captured: string | null,
): Promise<AbsentFiles> {
  const asked = paths.slice(0, MAX_PATHS)
  const [listed, moves] = await Promise.all([
    git('ls-files', '-t', '-z', '--', ...asked.map((path) => `:(literal)${path}`)),
    captured !== null && isCommitId(captured) ? renames(git, captured) : new Map<string, string>(),
  ])
  const tags = listed.kind === 'done' ? listed.stdout.split('\0') : []
  const leftOut = tags.flatMap((line) => (line.startsWith('S ') ? line.slice(2) : []))
  return { leftOut: new Set(leftOut), renamed: new Map([...moves].filter(([from]) => asked.includes(from))) }
}

/** Files of a commit that are in the work tree under another name, byte for byte. */
async function renames(git: Git, from: string): Promise<Map<string, string>> {
  const options = ['-M100%', '--diff-filter=R', '--name-status', '-z', '--no-ext-diff', '--no-textconv']
  const answer = await git('diff', ...options, '--relative', '--end-of-options', from, '--')
  const fields = answer.kind === 'done' ? answer.stdout.split('\0') : []
  const found = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) found.set(fields[at + 1] ?? '', fields[at + 2] ?? '')
  return found
}
