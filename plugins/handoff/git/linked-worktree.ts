import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/**
 * The root of the main work tree, if `root` is that of a linked one; else undefined. Reads what `git rev-parse
 * --git-common-dir` reads, without starting git. A folder counts as linked only if the main repository names it too.
 */
export function mainWorktreeOf(root: string): string | undefined {
  const named = line(join(root, '.git'))?.match(/^gitdir: (.+)$/)?.[1]
  if (named === undefined) return undefined
  const gitDir = resolve(root, named)
  const [common, back] = [line(join(gitDir, 'commondir')), line(join(gitDir, 'gitdir'))]
  if (common === undefined || back === undefined) return undefined
  if (real(resolve(gitDir, back)) !== real(join(root, '.git'))) return undefined
  const shared = resolve(gitDir, common)
  return basename(shared) === '.git' ? dirname(shared) : undefined // a bare repository has no work tree of its own
}

/**
 * Whether `root` is that of a linked work tree of which the repository is elsewhere, or has it in another folder: one of them
 * was moved, and its main work tree cannot be told.
 */
export function isCutOff(root: string): boolean {
  const named = line(join(root, '.git'))?.match(/^gitdir: (.+)$/)?.[1]
  if (named === undefined) return false
  const gitDir = resolve(root, named)
  if (basename(dirname(gitDir)) !== 'worktrees') return false
  const back = line(join(gitDir, 'gitdir'))
  return back === undefined || real(resolve(gitDir, back)) !== real(join(root, '.git'))
}

/** Whether `root` is that of a submodule: its git directory is inside that of the repository around it. */
export function isSubmodule(root: string): boolean {
  const own = gitDirOf(root)
  for (let at = dirname(root); own !== undefined && dirname(at) !== at; at = dirname(at)) {
    const outer = gitDirOf(at)
    if (outer !== undefined) return own.startsWith(join(outer, 'modules', sep))
  }
  return false
}

/** The git directory of a work tree: the folder `.git`, or the one that a file of this name names. */
function gitDirOf(root: string): string | undefined {
  const named = line(join(root, '.git'))?.match(/^gitdir: (.+)$/)?.[1]
  return real(named === undefined ? join(root, '.git') : resolve(root, named))
}

/** The first line of a small file; undefined for a folder or no file. */
function line(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]
  } catch {
    return undefined // the usual case: `.git` is a folder
  }
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
