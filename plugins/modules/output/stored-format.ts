import { isSatchelError } from '../../../server/plugin.ts'
import { isReason } from '../reasons.ts'

/** The format version of a stored file or header: its member `format`, when that is newer than what this version reads. */
export function newerFormat(value: unknown, known: number): number | undefined {
  if (typeof value !== 'object' || value === null || !('format' in value)) return undefined
  return typeof value.format === 'number' && value.format > known ? value.format : undefined
}

/** An error handler for a rebuild, which may replace a damaged file: rethrows any other error, also that of a newer version. */
export function absentIfDamaged(reason: 'index_damaged' | 'store_damaged') {
  return (thrown: unknown): undefined => {
    const isNewer = isSatchelError(thrown) && thrown.details?.['format'] !== undefined
    if (!isReason(thrown, reason) || isNewer) throw thrown
  }
}
