import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

interface WriteOptions {
  /** File mode of a new file; absent: 0o644. */
  readonly mode?: number
  /** Called after the temporary file is on disk and before the rename; throwing leaves the old file. */
  readonly beforeCommit?: () => Promise<void>
  /** Folder for the temporary file, on the same file system; absent: the file's own. */
  readonly tempDir?: string
}

/**
 * Replaces `path` with `content`: temporary file, fsync, rename, fsync of the directory. A kill at any
 * moment leaves the old or the new file; resolved means on disk. The folder must exist.
 * Errors are the file system's own (`ENOSPC`, `EROFS`, …): the caller knows what to say about them.
 */
export async function writeFileDurably(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const temp = join(options.tempDir ?? dirname(path), `.tmp-${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    const file = await open(temp, 'wx', options.mode ?? 0o644)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await options.beforeCommit?.()
    await rename(temp, path)
  } catch (thrown) {
    await rm(temp, { force: true })
    throw thrown
  }
  await syncDirectory(dirname(path))
}

/** Makes the names in a directory durable. Windows has no such call: a no-op there. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** `mkdir -p` whose new names are durable. Errors are the file system's own. */
export async function makeDirectoryDurably(path: string, mode = 0o755): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode }).catch((thrown: NodeJS.ErrnoException) => {
    // Of a read-only file system Node's recursive mkdir says ENOENT; asked for one folder it says what is the matter.
    if (thrown.code !== 'ENOENT') throw thrown
    return mkdirEach(path, mode)
  })
  if (made !== undefined) await syncDirectory(dirname(made))
}

/** Gives the first folder that was missing. */
async function mkdirEach(path: string, mode: number): Promise<string> {
  const above = dirname(path)
  const first = existsSync(above) ? undefined : await mkdirEach(above, mode)
  await mkdir(path, { mode })
  return first ?? path
}
