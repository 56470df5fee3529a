import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type Disk, type FileContent, realDisk, removeQuietly, systemCode } from './disk.ts'

/** How the name of a temporary file begins. */
export const TEMP_PREFIX = '.tmp-'

interface WriteOptions {
  readonly disk?: Disk | undefined
  /** Absent: 0o644 less the umask. */
  readonly mode?: number
  /** Path of the temporary file, on the same file system; absent: a name of its own beside the file. */
  readonly temp?: string
}

interface ReplaceOptions extends WriteOptions {
  /** Called after the temporary file is on disk and before the rename; throwing leaves the old file. */
  readonly beforeCommit?: () => Promise<void> | void
}

/**
 * Replaces `path` with `content`: temporary file, fsync, rename, fsync of the directory. A kill at any
 * moment leaves the old or the new file; resolved means on disk. The folder must exist.
 * Errors are the file system's own (`ENOSPC`, `EROFS`, …): the caller knows what to say about them.
 */
export async function writeFileDurably(
  path: string,
  content: FileContent,
  options: ReplaceOptions = {},
): Promise<void> {
  await replaceFile(path, content, options)
  await (options.disk ?? realDisk).syncDirectory(dirname(path))
}

/** As `writeFileDurably`, but a power cut may restore the old file until the caller syncs the directory. */
export async function replaceFile(
  path: string,
  content: FileContent,
  { disk = realDisk, mode, temp = temporaryName(dirname(path)), beforeCommit }: ReplaceOptions = {},
): Promise<void> {
  try {
    await disk.create(temp, content, mode)
    await beforeCommit?.()
    await disk.rename(temp, path)
  } catch (thrown) {
    await removeQuietly(disk, temp)
    throw thrown
  }
}

/**
 * Writes a new file that appears whole, by a hard link; resolved means on disk. Errors: `EEXIST` if the name is taken;
 * those of `link` where the file system has no hard links.
 */
export async function createFileDurably(
  path: string,
  content: string | Uint8Array,
  { disk = realDisk, mode, temp = temporaryName(dirname(path)) }: WriteOptions = {},
): Promise<void> {
  try {
    await disk.create(temp, content, mode)
    await disk.link(temp, path)
  } finally {
    await removeQuietly(disk, temp)
  }
  await disk.syncDirectory(dirname(path))
}

/** A name for a temporary file that no other process uses. */
export function temporaryName(folder: string): string {
  return join(folder, `${TEMP_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`)
}

/** `mkdir -p` whose new names are durable. Errors are the file system's own. */
export async function makeDirectoryDurably(path: string, mode = 0o755, disk = realDisk): Promise<void> {
  await makeDirectory(path, { mode, disk, attempts: PARENT_ATTEMPTS })
}

/**
 * How often the parent of a directory is made: another process may remove it meanwhile. Not without end, because some
 * file systems (procfs) say `ENOENT` for every new directory.
 */
const PARENT_ATTEMPTS = 3

interface NewDirectory {
  readonly mode: number
  readonly disk: Disk
  readonly attempts: number
}

async function makeDirectory(path: string, { mode, disk, attempts }: NewDirectory): Promise<void> {
  if ((await disk.stat(path))?.kind === 'directory') return
  try {
    await disk.mkdir(path, mode)
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'EEXIST') return await refuseFile(disk, path, thrown)
    if (code !== 'ENOENT' || path === dirname(path) || attempts === 0) throw thrown
    await makeDirectory(dirname(path), { mode, disk, attempts: PARENT_ATTEMPTS })
    return await makeDirectory(path, { mode, disk, attempts: attempts - 1 })
  }
  await disk.syncDirectory(dirname(path))
}

/** Another process may have made the directory; a link to one will do. */
async function refuseFile(disk: Disk, path: string, thrown: unknown): Promise<void> {
  if ((await disk.stat(path))?.kind === 'directory') return
  await disk.list(path).catch(() => {
    throw thrown
  })
}
