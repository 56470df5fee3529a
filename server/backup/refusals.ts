import { defineRefusals } from '../contract/refusals.ts'
import { systemCode } from '../platform/disk.ts'

/** The refusals of `satchel backup` and `satchel restore`. */
export const refusals = defineRefusals({
  backup_folder_used: {
    code: 'conflict',
    message: 'The folder {folder} is not empty.',
    next: 'Name a new one.',
  },
  backup_not_a_folder: {
    code: 'conflict',
    reason: 'backup_folder_used',
    message: '{folder} exists and is not a folder.',
    next: 'Name a new one.',
  },
  backup_empty: {
    code: 'not_found',
    message: 'There is nothing to back up: no plugin has stored anything for {project}.',
    next: 'Check --project and --config.',
  },
  backup_in_database: {
    code: 'not_found',
    reason: 'backup_empty',
    message:
      'There is nothing to back up: what is stored for {project} is in the database, and no plugin keeps files.',
    next: 'Back up the database with pg_dump. Files that the database replaced are backed up without storage.url.',
  },
  store_changing: {
    code: 'unavailable',
    message: '{store} changed for {seconds} s without a pause in which it could be copied.',
    next: 'Try again when fewer calls change it.',
  },
  backup_not_found: {
    code: 'not_found',
    message: '{folder} is not a complete backup: it has no manifest.json.',
    next: 'Name a folder that satchel backup wrote.',
  },
  backup_damaged: {
    code: 'invalid',
    message: 'The backup is damaged: {place}: {fault}.',
    next: 'Nothing was restored. Use another backup.',
  },
  backup_newer: {
    code: 'invalid',
    message: 'A newer version of satchel ({version}) wrote this backup.',
    next: 'Restore it with that version.',
  },
  store_unknown: {
    code: 'not_found',
    message: 'The backup has {store}, for which this configuration has no place.',
    next: 'Use the configuration with which it was made.',
  },
  store_in_use: { code: 'conflict', message: '{fault}', next: 'Nothing was restored.' },
  store_differs: {
    code: 'conflict',
    message: '{store} has other content than the backup: {count} files, such as {example}.',
    next: 'Nothing was restored. With --force the present content is moved aside and kept.',
  },
  restore_running: { code: 'conflict', message: 'Another restore is running.', next: 'Wait for its end.' },
  backup_not_written: {
    code: 'unavailable',
    message: 'The backup could not be completed: {error} at {path}.',
    next: 'No backup was left. Check the free space and the permissions, or name another folder.',
  },
  restore_not_written: {
    code: 'unavailable',
    message: '{store} could not be written: {error} at {path}.',
    next: 'Check the free space and the permissions, then run the same command again: it completes what is missing.',
  },
  restore_lock_not_written: {
    code: 'unavailable',
    message: 'The lock of a restore could not be written to {folder} ({error}).',
    next: 'Nothing was restored. Make the folder writable, or set XDG_STATE_HOME to one that is.',
  },
})

/** Does `work`; an error of the file system becomes the refusal that `refuse` makes of its code and path. */
export async function refusingFaults<T>(
  refuse: (fault: { readonly error: string; readonly path: string }, options: { cause: unknown }) => Error,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const error = systemCode(cause)
    if (error === undefined) throw cause
    const path = cause instanceof Error && 'path' in cause ? String(cause.path) : 'an open file'
    throw refuse({ error, path }, { cause })
  }
}
