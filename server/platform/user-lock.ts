import { dirname } from 'node:path'
import { systemCode } from './disk.ts'
import { makeDirectoryDurably } from './durable-file.ts'
import { type LockOptions, waitForLock } from './process-lock.ts'

const FOLDER_MODE = 0o700

/** What only one process of a user does at a time. */
export interface Exclusive {
  /** The files of the lock are `<path>.<n>`; their folder is made where it is missing. */
  readonly path: string
  readonly waitMs: number
  /** The error after `waitMs`; the process id where the holder is known. */
  held(pid: number | undefined): Error
  /** The error where the disk refuses the lock, for example `EROFS`. */
  failed(error: string, cause: unknown): Error
}

/** The lock of files that the processes of one user share. */
export function userLock(path: string): LockOptions {
  return { path: `${path}.`, released: 'emptied' }
}

/** Does `work` while no other process of this user holds the lock. Errors: those of `held`, `failed` and `work`. */
export async function withUserLock<T>(exclusive: Exclusive, work: () => Promise<T>): Promise<T> {
  const attempt = await takeInFolder(exclusive).catch((cause: unknown) => {
    const error = systemCode(cause)
    throw error === undefined ? cause : exclusive.failed(error, cause)
  })
  if (attempt.kind !== 'owner') throw exclusive.held(attempt.kind === 'held' ? attempt.record.pid : undefined)
  try {
    return await work()
  } finally {
    await attempt.lock.release()
  }
}

async function takeInFolder({ path, waitMs }: Exclusive) {
  await makeDirectoryDurably(dirname(path), FOLDER_MODE)
  return waitForLock(userLock(path), waitMs)
}
