import { mkdirSync, rmSync } from 'node:fs'
import {
  appendFile,
  chown,
  constants,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/*
 * Changes of the file tree that a power cut may undo: scratch folders, caches, and files that a user asks to have made.
 * What is acknowledged as stored goes through `durable-file.ts`. Errors are the file system's own.
 */

/** `mkdir -p`. `mode` holds for each folder that is made. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await mkdir(path, { recursive: true, mode })
}

/** As `makeFolder`, before anything may wait. */
export function makeFolderSync(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode })
}

/** Does `work` in a new folder of the system's temporary folder, and removes it. */
export async function withScratchFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  try {
    return await work(folder)
  } finally {
    await removeTree(folder)
  }
}

/** Removes a file, or a folder with all it holds; links are not followed. No error when there is none. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Removes a file. No error when there is none. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
}

/** As `removeFile`, before anything may wait. */
export function removeFileSync(path: string): void {
  rmSync(path, { force: true })
}

/** Writes a new file in a folder that exists. Errors: `EEXIST` when the name is taken. */
export async function createFile(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' })
}

/** Appends to a file, which is made with the folders above it where there is none. */
export async function appendToFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  await appendFile(path, text)
}

/** Makes `path` a link to the folder `target`. */
export async function linkFolder(target: string, path: string): Promise<void> {
  await makeFolder(dirname(path))
  await symlink(target, path, 'junction')
}

/** Moves `from` to `to` on the same file system; what has that name is replaced. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to)
}

/** Gives a file to another owner and group. Errors: `EPERM` for a user who may not. */
export async function giveFile(
  path: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  await chown(path, uid, gid)
}

/** Removes a folder if it is empty; false if it is not. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  return rmdir(path).then(
    () => true,
    () => false,
  )
}

/** Opens a file for reading, by its real path: a link put there meanwhile is refused (`ELOOP`), and a pipe does not block. */
export async function openToRead(path: string): Promise<FileHandle> {
  return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
}
