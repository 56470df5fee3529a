import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Authored } from '../domain/new-record.ts'
import { looksLikePath } from '../domain/path-pattern.ts'
import { quoted } from '../domain/secrets.ts'
import type { Project } from '../project.ts'

/** So many paths are looked for in git. */
const MAX_ASKED = 5
const MAX_CHARS = 120

/**
 * Warns of files of a scope or of artifacts that are not there, where a tracked file ends in the same path: in a folder of
 * a monorepo, an agent names files from that folder. The record would be about nothing.
 */
export async function misplacedPaths(
  { root, git }: Pick<Project, 'root' | 'git'>,
  { scope = [], artifacts = [] }: Authored,
): Promise<string[]> {
  const named = [...scope, ...artifacts.map(({ path }) => path)].filter((path) => typeof path === 'string')
  const warnings: string[] = []
  for (const path of [...new Set(named)].filter(isPlainPath).slice(0, MAX_ASKED)) {
    if (await lstat(join(root, path)).catch(() => undefined)) continue
    const found = await git('ls-files', '-z', '--', `:(glob)**/${path}`)
    const [meant] = found.kind === 'done' ? found.stdout.split('\0') : []
    if (meant)
      warnings.push(
        `There is no ${quoted(path, MAX_CHARS)} in this project; paths are from its root. Did you mean ${quoted(meant, MAX_CHARS)}?`,
      )
  }
  return warnings
}

/** A path below the project without anything that git takes for a pattern. */
function isPlainPath(path: string): boolean {
  return looksLikePath(path) && !/[*?[\]\\:]|^\/|^\.|(?:^|\/)\.\.(?:\/|$)/.test(path)
}
