import type { RecordRow } from './record-row.ts'

/** Parent id (lower case) -> its children. */
export function childrenOf(rows: readonly RecordRow[]): ReadonlyMap<string, readonly RecordRow[]> {
  const children = new Map<string, RecordRow[]>()
  for (const row of rows) {
    for (const parent of new Set(row.parents.map((id) => id.toLowerCase()))) {
      const siblings = children.get(parent)
      if (siblings) siblings.push(row)
      else children.set(parent, [row])
    }
  }
  return children
}

/** Records that no ready, resumed or superseded child goes on from. A draft never hides its parent. */
export function leavesOf(rows: readonly RecordRow[]): readonly RecordRow[] {
  const children = childrenOf(rows)
  const hides = ({ status }: RecordRow) =>
    status === 'ready' || status === 'resumed' || status === 'superseded'
  return rows.filter((row) => !(children.get(row.id.toLowerCase()) ?? []).some(hides))
}

/**
 * The record to go on from: the newest ready or resumed leaf of the project, else the newest draft or validated
 * one; skeletons last.
 */
export function latestOf(rows: readonly RecordRow[], projectId: string | undefined): RecordRow | undefined {
  const own = projectId === undefined ? rows : rows.filter((row) => row.project_id === projectId)
  const leaves = [...leavesOf(own)].sort(newestFirst)
  const at = (...statuses: readonly string[]) =>
    leaves.find((row) => statuses.includes(row.status) && !row.skeleton)
  return (
    at('ready', 'resumed') ??
    at('draft', 'validated') ??
    leaves.find((row) => row.skeleton && row.status === 'draft')
  )
}

/** By time of update, then by id, newest first. */
export function newestFirst(a: RecordRow, b: RecordRow): number {
  return b.updatedMs - a.updatedMs || (a.id.toLowerCase() < b.id.toLowerCase() ? 1 : -1)
}
