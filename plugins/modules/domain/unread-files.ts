import { posix } from 'node:path'
import { moduleFlavour } from './module-files.ts'
import type { Diagnostic, ModuleSummary } from './summary.ts'

/**
 * The files of a module that were not understood whole, each with what is wrong with it first: what they declare is not in
 * the summary, so nothing can be said to be missing from it. Of a block that is stated twice one is there.
 */
export function unreadFiles({ diagnostics }: Pick<ModuleSummary, 'diagnostics'>): Diagnostic[] {
  const first = new Map<string, Diagnostic>()
  for (const diagnostic of diagnostics) {
    const file = diagnostic.file ?? ''
    if (isUnread(diagnostic) && !first.has(file)) first.set(file, diagnostic)
  }
  return [...first.values()]
}

function isUnread({ severity, code, file }: Diagnostic): boolean {
  if (file !== undefined && moduleFlavour(posix.basename(file)) === undefined) return false // such as a README
  return code === 'symlink_skipped' || (severity === 'error' && code !== 'duplicate_block')
}
