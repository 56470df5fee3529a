import { basename, join } from 'node:path'
import { orMissing, realDisk, removeQuietly, systemCode } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { refusals } from '../reasons.ts'

/** A summary that the index names. Errors: `conflict`/`index_damaged` when it is missing or not JSON. */
export async function loadSummary(outputDir: string, name: string, disk = realDisk): Promise<ModuleSummary> {
  try {
    return JSON.parse((await disk.readFile(join(outputDir, name))).toString('utf8')) as ModuleSummary // named and written by us
  } catch (cause) {
    throw refusals.summary_damaged({ cause })
  }
}

/** Removes temporary files that a killed run left. Only while the run's lock is held. */
export async function sweepTemporaryFiles(directories: readonly string[], disk = realDisk): Promise<void> {
  for (const directory of directories) {
    for (const name of await disk.list(directory).catch(() => [])) {
      if (/^\.tmp-\d+-[0-9a-f]{12}$/.test(name)) await removeQuietly(disk, join(directory, name))
    }
  }
}

/** Removes summary files that no record names, durably; a name that is not a plain file name is left alone. */
export async function removeFiles(
  outputDir: string,
  names: readonly string[],
  disk = realDisk,
): Promise<void> {
  for (const name of names) {
    if (/^[A-Za-z0-9_+-][A-Za-z0-9._+-]*\.json$/.test(name))
      await orMissing(disk.unlink(join(outputDir, name)))
  }
  if (names.length > 0) await disk.syncDirectory(outputDir)
}

/** Converts a failed write to `where` to an error that a caller can act on; returns any other value unchanged. */
export function storageFailure(thrown: unknown, where = 'The output directory'): unknown {
  const folder = systemCode(thrown) === 'EISDIR' ? (thrown as { readonly dest?: string }).dest : undefined
  if (folder !== undefined) return refusals.folder_in_place({ file: basename(folder) }, { cause: thrown })
  const codes = [
    'ENOSPC',
    'EROFS',
    'EACCES',
    'EPERM',
    'EDQUOT',
    'EIO',
    'EMFILE',
    'EFBIG',
    'ENOTDIR',
    'EEXIST',
    'ENOENT',
  ]
  if (!codes.includes(systemCode(thrown) ?? '')) return thrown
  return refusals.storage_failed({ where }, { cause: thrown })
}
