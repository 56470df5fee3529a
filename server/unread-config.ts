import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'

const NAME = 'satchel.yaml'

/**
 * Tells of a `satchel.yaml` that is not in use; undefined where a file is in use or there is none. That of the project's
 * root is not read where satchel runs in another folder (surface, section 3): it could load code of a folder that the user
 * is not in. One in this folder that is not a file is often made by a container that mounts a file that is not there.
 */
export function unreadConfig(
  { file }: Pick<Config, 'file'>,
  { projectRoot, cwd }: { readonly projectRoot: string; readonly cwd: string },
): string | undefined {
  if (file !== undefined) return undefined
  const own = resolve(cwd, NAME)
  if (existsSync(own)) return `${own} was not read: it is a folder, pipe or device. Put a file in its place.`
  if (resolve(projectRoot) === resolve(cwd)) return undefined
  const unread = join(projectRoot, NAME)
  if (!existsSync(unread)) return undefined
  return `${unread} was not read: run satchel in its folder, or name it with --config.`
}
