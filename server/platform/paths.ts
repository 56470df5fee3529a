import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { refusals } from './refusals.ts'

/** Longest path taken from a caller, in characters. */
const PATH_MAX_CHARS = 4096

/**
 * Makes the function that turns a caller's path into a real path inside one of `roots`; both may be relative to `base`.
 * Symbolic links are followed before the check, also those of a parent when the file does not exist yet, so a link
 * that leads out is refused. The caller still opens the answer, not the path it was given.
 * Errors of the function: `forbidden`/`path_refused`.
 */
export function confineTo(roots: readonly string[], base: string): (path: string) => Promise<string> {
  return async (path) => {
    refuseUnusable(path)
    const real = await realPathOf(resolve(base, path))
    for (const root of roots) {
      if (isInside(real, await realPathOf(resolve(base, root)))) return real
    }
    throw refusals.path_refused()
  }
}

/** A path of this OS user, who may name any: absolute and with links followed. Errors: `forbidden`/`path_refused` for NUL. */
export function unconfined(base: string): (path: string) => Promise<string> {
  return async (path) => {
    refuseUnusable(path)
    return realPathOf(resolve(base, path))
  }
}

function refuseUnusable(path: string): void {
  if (path.includes('\0') || path.length === 0 || path.length > PATH_MAX_CHARS)
    throw refusals.path_unusable({ limit: PATH_MAX_CHARS })
}

/** True when `path` is `root` or lies below it; both absolute and real. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** `realpath` of what exists, with the rest of the path appended. */
async function realPathOf(path: string): Promise<string> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(missingOnly)
    if (real !== undefined) return join(real, ...missing)
    // A link to nothing would be followed when the file is created.
    if (await isLink(at)) throw refusals.path_refused()
    if (at === dirname(at)) return path
    missing.unshift(basename(at))
  }
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(missingOnly)
  return stats?.isSymbolicLink() ?? false
}

function missingOnly(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code === 'ENOENT') return undefined
  throw refusals.path_refused()
}
