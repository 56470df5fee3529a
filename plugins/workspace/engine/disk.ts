import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fdatasyncSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  link,
  lstatSync,
  mkdir,
  openSync,
  readdir,
  readFileSync,
  renameSync,
  unlink,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

/** What a look at a name tells; never follows a symbolic link. */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other'
  readonly size: number
  readonly mode: number
  readonly inode: string
  readonly modifiedMs: number
}

/**
 * Every call that touches the sidecar or the markdown file. Injected, so that power cuts and full disks can be
 * simulated. Errors are the file system's own (`code`: ENOSPC, EIO, EACCES, EEXIST, ENOENT, …).
 */
export interface Disk {
  /** Undefined when there is nothing of that name. */
  stat(path: string): FileFacts | undefined
  read(path: string): Buffer
  /** An existing file for reading and writing; the caller closes it. */
  open(path: string): number
  /** All of `bytes` at `position`, or an error (then any part of them may be there). */
  write(file: number, bytes: Uint8Array, position: number): void
  truncate(file: number, length: number): void
  /** fdatasync, blocking. */
  flushSync(file: number): void
  close(file: number): void
  /** fdatasync. */
  flush(file: number): Promise<void>
  /** A new file with this content, flushed; its *name* is durable only after `syncDirectory`. EEXIST if the name is taken. */
  create(path: string, content: string | Uint8Array, mode: number): Promise<void>
  /** As `create`, blocking. */
  createSync(path: string, content: string | Uint8Array, mode: number): void
  list(directory: string): Promise<readonly string[]>
  mkdir(path: string, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  link(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
  /** As `syncDirectory`, blocking. */
  syncDirectorySync(path: string): void
}

const RENAME_TRIES = 10 // design workspace-engine 2: Windows refuses while another process looks at the file
const RENAME_PAUSE_MS = 20

const flushFile = promisify(fdatasync)
const fsyncFile = promisify(fsync)
const linkFile = promisify(link)
const listDirectory = promisify(readdir)
const makeDirectory = promisify(mkdir)
const unlinkFile = promisify(unlink)

/** The disk of this machine. macOS: libuv's fsync is F_FULLFSYNC. Network file systems are not supported. */
export const realDisk: Disk = {
  stat: factsOf,
  read: (path) => readFileSync(path),
  open: (path) => openSync(path, constants.O_RDWR),
  write: writeWhole,
  truncate: ftruncateSync,
  flushSync: fdatasyncSync,
  close: closeSync,
  flush: (file) => flushFile(file),
  create: createFlushed,
  createSync: createFlushedSync,
  list: (directory) => listDirectory(directory),
  mkdir: async (path, mode) => {
    await makeDirectory(path, { mode })
  },
  rename: renamePatiently,
  link: (from, to) => linkFile(from, to),
  unlink: (path) => unlinkFile(path),
  syncDirectory,
  syncDirectorySync,
}

/** For clean-up beside an error that is already on its way. */
export async function removeQuietly(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch {
    // The temporary file was never made, or goes with the next start.
  }
}

/** Whether a flush failed: then nobody knows what the disk has, and the store must be poisoned. */
export function isFlushFailure(thrown: unknown): boolean {
  const { syscall } = (thrown ?? {}) as NodeJS.ErrnoException
  return syscall === 'fsync' || syscall === 'fdatasync'
}

/** Waits for every write, also after a failure, so that nothing is written behind the clean-up; a failed flush wins. */
export async function allWritten(writes: readonly Promise<void>[]): Promise<void> {
  const failures = (await Promise.allSettled(writes)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  if (failures.length > 0) throw failures.find(isFlushFailure) ?? failures[0]
}

function factsOf(path: string): FileFacts | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  return {
    kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
    size: found.size,
    mode: found.mode & 0o7777,
    inode: `${found.dev}:${found.ino}`,
    modifiedMs: found.mtimeMs,
  }
}

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
  }
}

const SMALL_BYTES = 1024 * 1024 // written to the page cache in well under a millisecond

/** Only what waits for the disk leaves the loop: each turn through the thread pool costs as much as a small write. */
async function createFlushed(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  if (bytes.length > SMALL_BYTES) return createLarge(path, bytes, mode)
  const file = openSync(path, 'wx', mode)
  try {
    fill(file, bytes, mode)
    await fsyncFile(file)
  } finally {
    closeSync(file)
  }
}

function createFlushedSync(path: string, content: string | Uint8Array, mode: number): void {
  const file = openSync(path, 'wx', mode)
  try {
    fill(file, typeof content === 'string' ? Buffer.from(content) : content, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function fill(file: number, bytes: Uint8Array, mode: number): void {
  writeWhole(file, bytes, 0)
  // The umask may have taken bits away; a document keeps the mode its owner gave it.
  fchmodSync(file, mode)
}

async function createLarge(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(bytes)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Windows has no such call: a no-op there. */
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
      const code = (thrown as NodeJS.ErrnoException).code
      const busy = process.platform === 'win32' && (code === 'EPERM' || code === 'EBUSY')
      if (!busy || attempt === RENAME_TRIES) throw thrown
      await new Promise((resolve) => setTimeout(resolve, RENAME_PAUSE_MS))
    }
  }
}
