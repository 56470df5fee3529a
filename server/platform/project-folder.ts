import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isForThisThread } from './on-this-thread.ts'
import { refusals } from './refusals.ts'
import { visibleLine } from './visible-text.ts'

/** Longest part of a path in a message. */
const SHOWN_CHARS = 200

/**
 * Returns `path` if it is a folder. `named` is the caller's own name for it, for messages; nothing is created.
 * Errors: `not_found`/`project_not_found`, which tells a missing folder, a file and a folder of other users apart.
 */
export async function requireProject(path: string, named: string = path): Promise<string> {
  const shown = { path: visibleLine(named).slice(0, SHOWN_CHARS) }
  const notReadable = (cause: NodeJS.ErrnoException): never => {
    throw refusals.project_not_readable({ ...shown, error: String(cause.code) }, { cause })
  }
  const stats = await statsOf(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
      throw refusals.project_not_found(shown, { cause })
    return notReadable(cause)
  })
  if (!stats.isDirectory()) throw refusals.project_not_a_folder(shown)
  // What cannot be entered has no files for this user, even if there are some.
  await enter(path).catch(notReadable)
  return path
}

/** The nearest folder with a `.git`, from `directory` upwards. Does not run git. */
export async function gitRootOf(directory: string): Promise<string | undefined> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

/** Whether something has this path; a link counts as what it leads to. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function statsOf(path: string): Promise<Stats> {
  return isForThisThread() ? statSync(path) : stat(path)
}

async function enter(path: string): Promise<void> {
  if (isForThisThread()) accessSync(path, constants.X_OK)
  else await access(path, constants.X_OK)
}
