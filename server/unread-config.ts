import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'

/**
 * Tells that the project's root has a `satchel.yaml` that is not in use, because satchel runs in another folder; undefined
 * where a file is in use or there is none. Such a file is not read (surface, section 3): it could load code of a folder
 * that the user is not in.
 */
export function unreadConfig(
  { file }: Pick<Config, 'file'>,
  { projectRoot, cwd }: { readonly projectRoot: string; readonly cwd: string },
): string | undefined {
  if (file !== undefined || resolve(projectRoot) === resolve(cwd)) return undefined
  const unread = join(projectRoot, 'satchel.yaml')
  if (!existsSync(unread)) return undefined
  return `${unread} was not read: run satchel in its folder, or name it with --config.`
}
