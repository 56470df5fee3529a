import { constants } from 'node:fs'
import { link, lstat, open, readdir, rename, truncate, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectoryDurably, syncDirectory } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** What the store needs of a file system; a test passes one that fails or dies at its n-th call. */
export interface Disk {
  /** The whole file. A symbolic link is refused with `ELOOP`. */
  read(path: string): Promise<Buffer>
  list(path: string): Promise<readonly string[]>
  stat(path: string): Promise<FileStat>
  /** Makes the folder and its parents; the new names are durable. */
  makeDirectory(path: string): Promise<void>
  /** A new file whose bytes are on disk when this resolves; `EEXIST` when there is one. */
  writeNew(path: string, content: string | Uint8Array): Promise<void>
  link(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  empty(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
}

export interface FileStat {
  readonly mtimeMs: number
  readonly size: number
  readonly isFile: boolean
  readonly isDirectory: boolean
}

const RECORD_MODE = 0o600 // design handoff-store, section 1

/** The real file system. */
export const realDisk: Disk = {
  async read(path) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return await file.readFile()
    } finally {
      await file.close()
    }
  },
  list: (path) => readdir(path),
  async stat(path) {
    const found = await lstat(path)
    return {
      mtimeMs: found.mtimeMs,
      size: found.size,
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
    }
  },
  makeDirectory: (path) => makeDirectoryDurably(path),
  async writeNew(path, content) {
    const file = await open(path, 'wx', RECORD_MODE)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
  },
  link,
  rename,
  unlink,
  empty: (path) => truncate(path, 0),
  syncDirectory,
}

/** The error code of the operating system, if the thrown value carries one. */
export function systemCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined
  return typeof thrown.code === 'string' ? thrown.code : undefined
}

/** Runs `action`; nothing there (`ENOENT`) gives undefined. */
export async function orMissing<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const UNWRITABLE = new Set([
  'ENOENT',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'EEXIST',
  'EIO',
  'EFBIG',
  'EMFILE',
  'ENFILE',
  'EISDIR',
  'ELOOP',
])

/** A failure of the disk as what a caller can act on; everything else stays what it is. */
export function asStoreError(thrown: unknown): unknown {
  const code = systemCode(thrown)
  if (code === undefined) return thrown
  if (FULL.has(code)) return refusals.disk_full({ cause: thrown })
  if (!UNWRITABLE.has(code)) return thrown
  return refusals.store_unwritable({ code }, { details: { code }, cause: thrown })
}

/** A new file that appears whole, by way of `temp`, and is on disk. Errors: `EEXIST` when there is one; `asLinkError`. */
export async function placeNew(disk: Disk, temp: string, path: string, content: string): Promise<void> {
  try {
    await disk.writeNew(temp, content)
    await disk.link(temp, path)
  } catch (thrown) {
    throw asLinkError(thrown)
  } finally {
    await dropTemp(disk, temp)
  }
  await disk.syncDirectory(dirname(path))
}

/** A file system without hard links cannot hold a store. */
export function asLinkError(thrown: unknown): unknown {
  const code = systemCode(thrown)
  if (code === undefined || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(code))
    return thrown
  return refusals.no_hard_links({ cause: thrown })
}

/** A temporary file that cannot be removed is harmless: the doctor names it, the next writer removes it. */
export async function dropTemp(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch {
    return
  }
}
