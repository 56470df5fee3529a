import { extension, type Handoff, isItemId, type OpenItem } from './record.ts'

const ORDER = ['high', 'medium', 'low'] as const

/**
 * The open item to start with: the one that the record's own session named; else the first unblocked one with a
 * suggested_action, high before medium before low; else, by the same order, one without. An id in `blocked_by` that is not
 * an open item no longer blocks; free text names an outside blocker.
 */
export function firstNextAction(record: Handoff): OpenItem | undefined {
  const open = new Set(record.open_items.map((item) => item.id))
  const isBlocked = (item: OpenItem) =>
    item.blocked_by.some((blocker) => open.has(blocker) || !isItemId(blocker))
  const named = record.open_items.find(({ id }) => id === extension(record).next)
  if (named && !isBlocked(named)) return named
  const unblocked = ORDER.flatMap((priority) =>
    record.open_items.filter((item) => item.priority === priority && !isBlocked(item)),
  )
  return unblocked.find((item) => item.suggested_action) ?? unblocked[0]
}

/** What the item asks for: its action, else its description. */
export function actionOf({ suggested_action, description }: OpenItem): string {
  return suggested_action || description
}
