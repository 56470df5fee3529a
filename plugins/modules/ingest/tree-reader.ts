import type { Repository } from '../git/repository.ts'
import type { Tree } from '../git/tree.ts'

/** Trees asked for before they are needed: git lists one while another is read. */
const AHEAD = 3

/**
 * Gives the trees of `commits`, in whose order they will be asked for. Trees of one commit are listed once as long as
 * they are held, which is until the next commit is asked for.
 */
export function createTreeReader(
  git: Repository,
  commits: readonly (string | undefined)[],
): (commit: string) => Promise<Tree> {
  const order = [...new Set(commits.flatMap((commit) => (commit === undefined ? [] : [commit])))]
  const asked = new Map<string, Promise<Tree>>()
  const ask = (commit: string): Promise<Tree> => {
    const known = asked.get(commit)
    if (known !== undefined) return known
    const tree = git.tree(commit)
    tree.catch(() => undefined) // whoever asks for this tree hears of it
    asked.set(commit, tree)
    return tree
  }
  return (commit) => {
    const at = order.indexOf(commit)
    for (const passed of order.slice(0, Math.max(0, at))) asked.delete(passed)
    const tree = ask(commit)
    for (const next of order.slice(at + 1, at + 1 + AHEAD)) void ask(next) // its rejection is handled above
    return tree
  }
}
