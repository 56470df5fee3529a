import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { unconfined } from '../platform/paths.ts'

/**
 * Resolves a path typed at the command line; this OS user may name any. A relative path is resolved against the working
 * directory if it exists there, because that is what a shell completes, otherwise against the project root, as at every door.
 */
export function callerPath(cwd: string, projectRoot: string): (path: string) => Promise<string> {
  const fromRoot = unconfined(projectRoot)
  const fromCwd = unconfined(cwd)
  return async (path) => {
    const isHere = !path.includes('\0') && (await exists(resolve(cwd, path)))
    return isHere ? fromCwd(path) : fromRoot(path)
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
