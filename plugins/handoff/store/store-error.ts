import { isWithoutLinks, systemCode } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const UNWRITABLE = new Set([
  'ENOENT',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'EEXIST',
  'EIO',
  'EFBIG',
  'EMFILE',
  'ENFILE',
  'EISDIR',
  'ELOOP',
])

/** A failure of the disk as what a caller can act on; everything else stays what it is. */
export function asStoreError(thrown: unknown): unknown {
  const code = systemCode(thrown)
  if (code === undefined) return thrown
  if (isOfLink(thrown)) return refusals.no_hard_links({ cause: thrown })
  if (FULL.has(code)) return refusals.disk_full({ cause: thrown })
  if (!UNWRITABLE.has(code)) return thrown
  return refusals.store_unwritable({ code }, { details: { code }, cause: thrown })
}

function isOfLink(thrown: unknown): boolean {
  const isLink = thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'link'
  return isLink && (isWithoutLinks(thrown) || systemCode(thrown) === 'EXDEV')
}
