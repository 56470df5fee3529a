import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  link,
  linkSync,
  lstatSync,
  mkdir,
  openSync,
  readdir,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  unlink,
  writeSync,
} from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isForThisThread } from './on-this-thread.ts'

/** The result of `stat`; symbolic links are not followed. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other'
  readonly size: number
  readonly mode: number
  readonly inode: string
  readonly modifiedMs: number
}

/** What a new file holds: in pieces where a copy of all of it would take much memory. */
export type FileContent = string | Uint8Array | readonly Uint8Array[]

/** The bytes of a content in one piece. */
export function bytesOfContent(content: FileContent): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? content : Buffer.concat(content)
}

/**
 * Every call by which a store touches its files. Injected, so that power cuts, kills and full disks can be simulated.
 * Errors are the file system's own (`code`: ENOSPC, EIO, EACCES, EEXIST, ENOENT, …).
 */
export interface Disk {
  /** Undefined if the name does not exist. */
  stat(path: string): Promise<FileFacts | undefined>
  statSync(path: string): FileFacts | undefined
  /** `size mtime ctime inode device`, times in nanoseconds: any write or replacement of a file changes it. Undefined if there is none. */
  stamp(path: string): Promise<string | undefined>
  /** The whole file. A symbolic link is refused with `ELOOP`. */
  readFile(path: string): Promise<Buffer>
  readFileSync(path: string): Buffer
  /** At most `length` bytes from `position` on; fewer at the end of the file. A symbolic link is refused with `ELOOP`. */
  readPart(path: string, position: number, length: number): Promise<Buffer>
  /** Adds to the end of a file, making it if its folder exists. Not flushed: for what can be made again. */
  appendSync(path: string, text: string): void
  /** An existing file for reading and writing; the caller closes it. */
  openSync(path: string): number
  /** An existing file for reading only; the caller closes it. A symbolic link is refused with `ELOOP`. */
  openToReadSync(path: string): number
  /** The length of an open file. */
  sizeSync(file: number): number
  /** Fills `into` from `position`; gives the bytes read, fewer only where the file ends. */
  readSync(file: number, into: Uint8Array, position: number): number
  /** All of `bytes` at `position`, or an error, after which any part of them may be on the disk. */
  writeSync(file: number, bytes: Uint8Array, position: number): void
  truncateSync(file: number, length: number): void
  /** fdatasync. */
  flush(file: number): Promise<void>
  flushSync(file: number): void
  closeSync(file: number): void
  /**
   * A new file with this content, flushed; its name is durable only after `syncDirectory`. `mode` absent: 0o644 less
   * the umask. Errors: `EEXIST` if the name is taken.
   */
  create(path: string, content: FileContent, mode?: number): Promise<void>
  createSync(path: string, content: FileContent, mode?: number): void
  list(directory: string): Promise<readonly string[]>
  mkdir(path: string, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Makes the names in a directory durable. Windows has no such call: no effect there. */
  syncDirectory(path: string): Promise<void>
  syncDirectorySync(path: string): void
}

const RENAME_TRIES = 10 // design workspace-engine 2: Windows refuses while another process has the file open
const RENAME_PAUSE_MS = 20

const flushFile = promisify(fdatasync)
const fsyncFile = promisify(fsync)
const linkFile = promisify(link)

/** The disk of this machine. macOS: libuv's fsync is F_FULLFSYNC. Network file systems are not supported. */
export const realDisk: Disk = {
  stat: async (path) => {
    if (isForThisThread()) return realDisk.statSync(path)
    const found = await lstat(path).catch(missing)
    return found && factsOf(found)
  },
  statSync: (path) => {
    const found = present(() => lstatSync(path, { throwIfNoEntry: false }))
    return found && factsOf(found)
  },
  stamp: async (path) => {
    const found = isForThisThread()
      ? present(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
      : await lstat(path, { bigint: true }).catch(missing)
    return found && [found.size, found.mtimeNs, found.ctimeNs, found.ino, found.dev].join(' ')
  },
  readFile: async (path) => {
    const small = isForThisThread() ? readSmall(path) : undefined
    if (small) return small
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return await file.readFile()
    } finally {
      await file.close()
    }
  },
  readFileSync: readWhole,
  readPart,
  appendSync: appendText,
  openSync: (path) => openSync(path, constants.O_RDWR),
  openToReadSync: (path) => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW),
  sizeSync: (file) => fstatSync(file).size,
  readSync: readAt,
  writeSync: writeWhole,
  truncateSync: ftruncateSync,
  flush: (file) => flushFile(file),
  flushSync: fdatasyncSync,
  closeSync,
  create: createFlushed,
  createSync: createFlushedSync,
  list: promisify(readdir) as (directory: string) => Promise<string[]>, // without options it gives names
  mkdir: async (path, mode) => {
    await promisify(mkdir)(path, { mode })
  },
  rename: renamePatiently,
  // On this thread too nothing comes between the link and what the caller notes of it.
  link: async (from, to) => (isForThisThread() ? linkSync(from, to) : linkFile(from, to)),
  unlink: promisify(unlink),
  syncDirectory,
  syncDirectorySync,
}

/** The error code of the operating system (`ENOENT`), if the thrown value carries one. */
export function systemCode(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Runs `action`; undefined where the file or directory does not exist. */
export async function orMissing<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** For clean-up beside an error that is already on its way. */
export async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch {
    // The temporary file was never made, or goes with the next start.
  }
}

/** Whether a flush failed: then the state of the disk is unknown, and the store must be poisoned. */
export function isFlushFailure(thrown: unknown): boolean {
  const syscall = thrown instanceof Error && 'syscall' in thrown ? thrown.syscall : undefined
  return syscall === 'fsync' || syscall === 'fdatasync'
}

/** Waits for every write, also after a failure, so that nothing is written behind the clean-up; a failed flush wins. */
export async function allWritten(writes: readonly Promise<void>[]): Promise<void> {
  const failures = (await Promise.allSettled(writes)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  if (failures.length > 0) throw failures.find(isFlushFailure) ?? failures[0]
}

function missing(thrown: unknown): undefined {
  const code = systemCode(thrown)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw thrown
}

/** A name below a file is missing too: `throwIfNoEntry` does not tell so. */
function present<T>(look: () => T | undefined): T | undefined {
  try {
    return look()
  } catch (thrown) {
    return missing(thrown)
  }
}

function factsOf(found: Stats): FileFacts {
  return {
    kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
    size: found.size,
    mode: found.mode & 0o7777,
    inode: `${found.dev}:${found.ino}`,
    modifiedMs: found.mtimeMs,
  }
}

/** Undefined for a large file and for what is none: reading either may take long. */
function readSmall(path: string): Buffer | undefined {
  // Without O_NONBLOCK, which Windows lacks, opening a pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    return found.isFile() && found.size <= SMALL_BYTES ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

function readWhole(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function readAt(file: number, into: Uint8Array, position: number): number {
  let done = 0
  while (done < into.length) {
    const read = readSync(file, into, done, into.length - done, position + done)
    if (read === 0) break
    done += read
  }
  return done
}

/** Read on this thread: a turn through the thread pool costs more than a part of a file that was just written. */
async function readPart(path: string, position: number, length: number): Promise<Buffer> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readAt(file, bytes, position))
  } finally {
    closeSync(file)
  }
}

function appendText(path: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    writeSync(file, text)
  } finally {
    closeSync(file)
  }
}

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

const NEW_FILE_MODE = 0o644
const SMALL_BYTES = 1024 * 1024 // written to the page cache in well under a millisecond

/** Only what waits for the disk leaves the loop: each turn through the thread pool costs as much as a small write. */
async function createFlushed(path: string, content: FileContent, mode?: number): Promise<void> {
  if (sizeOf(content) > SMALL_BYTES) return createLarge(path, content, mode)
  const bytes = bytesOfContent(content)
  const file = openSync(path, 'wx', mode ?? NEW_FILE_MODE)
  try {
    fill(file, bytes, mode)
    await fsyncFile(file)
  } finally {
    closeSync(file)
  }
}

function createFlushedSync(path: string, content: FileContent, mode?: number): void {
  const file = openSync(path, 'wx', mode ?? NEW_FILE_MODE)
  try {
    fill(file, bytesOfContent(content), mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function fill(file: number, bytes: Uint8Array, mode?: number): void {
  writeWhole(file, bytes, 0)
  // The umask may have taken bits away; a document keeps the mode its owner gave it.
  if (mode !== undefined) fchmodSync(file, mode)
}

/** In bytes; that of a text, which may have more, in characters. */
function sizeOf(content: FileContent): number {
  if (typeof content === 'string' || content instanceof Uint8Array) return content.length
  return content.reduce((sum, piece) => sum + piece.length, 0)
}

async function createLarge(path: string, content: FileContent, mode?: number): Promise<void> {
  const file = await open(path, 'wx', mode ?? NEW_FILE_MODE)
  try {
    for (const piece of Array.isArray(content) ? content : [content]) await file.writeFile(piece)
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  try {
    await fsyncFile(directory)
  } finally {
    closeSync(directory)
  }
}

function syncDirectorySync(path: string): void {
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Synchronous, so that nothing comes between the caller's last look at `to` and the rename. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return renameSync(from, to)
    } catch (thrown) {
      const code = systemCode(thrown)
      const busy = process.platform === 'win32' && (code === 'EPERM' || code === 'EBUSY')
      if (!busy || attempt === RENAME_TRIES) throw thrown
      await new Promise((resolve) => setTimeout(resolve, RENAME_PAUSE_MS))
    }
  }
}
