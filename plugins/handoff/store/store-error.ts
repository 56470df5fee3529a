import { relative, sep } from 'node:path'
import { isWithoutLinks, systemCode } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Layout } from './layout.ts'

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

/** A failure of the disk as what a caller can act on, with the folder it concerns; everything else stays what it is. */
export function asStoreError(thrown: unknown, layout: Layout): unknown {
  const code = systemCode(thrown)
  if (code === undefined) return thrown
  if (isOfLink(thrown)) return refusals.no_hard_links({ cause: thrown })
  if (FULL.has(code)) return refusals.disk_full({ cause: thrown })
  if (!UNWRITABLE.has(code)) return thrown
  const folder = relative(layout.root, folderOf(thrown, layout)) || '.'
  return refusals.store_unwritable({ code, folder }, { details: { code, folder }, cause: thrown })
}

/** The folder of the store in which a file could not be used. */
function folderOf(thrown: unknown, { folder, records, locks, temps, cache, local }: Layout): string {
  const path = thrown instanceof Error && 'path' in thrown ? String(thrown.path) : folder
  const isIn = (one: string) => path === one || path.startsWith(one + sep)
  return [records, locks, temps, cache, local].find(isIn) ?? folder
}

function isOfLink(thrown: unknown): boolean {
  const isLink = thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'link'
  return isLink && (isWithoutLinks(thrown) || systemCode(thrown) === 'EXDEV')
}
