import { extension, type Handoff, isItemId, type OpenItem } from './record.ts'

const ORDER = ['high', 'medium', 'low'] as const

/**
 * The open item to start with: the one that the record's own session named; else the first unblocked one with a suggested_action, high before medium before low. An id
 * in `blocked_by` that is not an open item no longer blocks; free text names an outside blocker.
 */
export function firstNextAction(record: Handoff): OpenItem | undefined {
  const open = new Set(record.open_items.map((item) => item.id))
  const isBlocked = (item: OpenItem) =>
    item.blocked_by.some((blocker) => open.has(blocker) || !isItemId(blocker))
  const named = record.open_items.find(({ id }) => id === extension(record).next)
  if (named?.suggested_action && !isBlocked(named)) return named
  for (const priority of ORDER) {
    const found = record.open_items.find(
      (item) => item.priority === priority && item.suggested_action && !isBlocked(item),
    )
    if (found) return found
  }
  return undefined
}
