import { join } from 'node:path'
import { withUserLock } from '../platform/user-lock.ts'
import { type SetupPlace, shownPath, stateFolder } from './folders.ts'
import { refusals } from './refusals.ts'
import { removeUnfinished } from './saved-files.ts'

const LONGEST_WAIT_MS = 5_000

/**
 * Does `work` while no other setup of this user runs.
 * Errors: `conflict`/`setup_running` after 5 s; `unavailable`/`config_not_written` for a state folder that cannot be made.
 */
export async function whileLocked<T>(at: SetupPlace, work: () => Promise<T>): Promise<T> {
  const folder = stateFolder(at)
  const lock = {
    path: join(folder, 'lock'),
    waitMs: LONGEST_WAIT_MS,
    held: (pid: number | undefined) => refusals.setup_running({ pid: pid ?? 'unknown' }),
    failed: (error: string, cause: unknown) =>
      refusals.config_not_written({ path: shownPath(folder, at), error }, { cause }),
  }
  return withUserLock(lock, async () => {
    await removeUnfinished(folder)
    return work()
  })
}
