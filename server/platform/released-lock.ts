import type { Disk, FileFacts } from './disk.ts'
import { diskOf, isSameFile, type LockFiles, lockFile } from './lock-file.ts'

/** A lock file that this process emptied. */
export interface ReleasedLock {
  readonly n: number
  readonly file: FileFacts
}

/** By disk and path of the lock. Lives as long as the process; the oldest go first. */
const released = new WeakMap<Disk, Map<string, ReleasedLock>>()
const MOST_KEPT = 8192

/**
 * The lock file that this process emptied last, if it is as it was left: then it is the newest of its lock, because the
 * next holder removes it. The folder, with files of thousands of locks, need not be listed. Each is told once, so that a
 * second try looks at the folder.
 */
export function releasedHere(files: LockFiles): ReleasedLock | undefined {
  const kept = released.get(diskOf(files))
  const last = kept?.get(files.path)
  kept?.delete(files.path)
  return last && isAsLeft(files, last) ? last : undefined
}

/** Whether the file is there, empty, and was not written since. */
export function isAsLeft(files: LockFiles, { n, file }: ReleasedLock): boolean {
  const now = diskOf(files).statSync(lockFile(files, n))
  return now?.size === 0 && isSameFile(now, file)
}

/** Remembers the lock that was just emptied. */
export function keepReleased(files: LockFiles, n: number): void {
  const disk = diskOf(files)
  const file = disk.statSync(lockFile(files, n))
  if (file?.size !== 0) return
  const kept = released.get(disk) ?? new Map<string, ReleasedLock>()
  released.set(disk, kept.set(files.path, { n, file }))
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
}
