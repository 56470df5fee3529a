import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { unconfined } from '../platform/paths.ts'

/**
 * How a path typed at the command line becomes a real path: this OS user may name any. A relative one starts at the working
 * directory when something is there, because that is what a shell completes, else at the project root as at every door.
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
