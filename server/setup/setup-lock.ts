import { join } from 'node:path'
import { systemCode } from '../platform/disk.ts'
import { makeDirectoryDurably } from '../platform/durable-file.ts'
import { waitForLock } from '../platform/process-lock.ts'
import { type SetupPlace, shownPath, stateFolder } from './folders.ts'
import { refusals } from './refusals.ts'
import { removeUnfinished } from './saved-files.ts'

const LONGEST_WAIT_MS = 5_000
const FOLDER_MODE = 0o700

/**
 * Does `work` while no other setup of this user runs.
 * Errors: `conflict`/`setup_running` after 5 s; `unavailable`/`config_not_written` for a state folder that cannot be made.
 */
export async function whileLocked<T>(at: SetupPlace, work: () => Promise<T>): Promise<T> {
  const folder = stateFolder(at)
  const attempt = await takeAt(folder).catch((cause: unknown) => {
    const error = systemCode(cause)
    throw error === undefined
      ? cause
      : refusals.config_not_written({ path: shownPath(folder, at), error }, { cause })
  })
  if (attempt.kind !== 'owner')
    throw refusals.setup_running({ pid: attempt.kind === 'held' ? attempt.record.pid : 'unknown' })
  try {
    await removeUnfinished(folder)
    return await work()
  } finally {
    await attempt.lock.release()
  }
}

async function takeAt(folder: string) {
  await makeDirectoryDurably(folder, FOLDER_MODE)
  return waitForLock({ path: join(folder, 'lock.'), released: 'emptied' }, LONGEST_WAIT_MS)
}
