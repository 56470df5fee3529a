import { isEditable } from './record.ts'
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

/** Who asks for the record to continue from; what is absent decides nothing. */
export interface Continuing {
  /** Every name of the session. */
  readonly names: readonly string[]
  readonly branch: string | undefined
  readonly projectId: string | undefined
}

/**
 * The record to continue from (design round-2, section 2): the session's own described draft; what it released or
 * resumed; the latest described record of the branch, of the project, of the store; a skeleton last. A session's own
 * records are newer for it than what others wrote meanwhile.
 */
export function recordToContinue(
  rows: readonly RecordRow[],
  { names, branch, projectId }: Continuing,
): RecordRow | undefined {
  const leaves = leavesOf(rows).filter(({ status }) => OPEN.has(status))
  const described = [...leaves].filter((row) => !row.skeleton).sort(newestFirst)
  const isOwn = ({ session }: RecordRow) => session !== null && names.includes(session)
  const project = projectId === undefined ? [] : described.filter((row) => row.project_id === projectId)
  return (
    described.find((row) => isOwn(row) && isEditable(row)) ??
    described.find((row) => isOwn(row) || (row.claim !== null && names.includes(row.claim.by))) ??
    newestReleased(project.filter((row) => branch !== undefined && row.branch === branch)) ??
    newestReleased(project) ??
    newestReleased(described) ??
    [...leaves].sort(newestFirst).find(isOwn) ??
    [...leaves].sort(newestFirst)[0]
  )
}

const OPEN: ReadonlySet<string> = new Set(['draft', 'validated', 'ready', 'resumed'])

/** Of rows that are sorted: the first released one, else the first draft. */
function newestReleased(rows: readonly RecordRow[]): RecordRow | undefined {
  return rows.find((row) => !isEditable(row)) ?? rows[0]
}

/** `recordToContinue` for a caller of whom nothing is known but the project. */
export function latestOf(rows: readonly RecordRow[], projectId: string | undefined): RecordRow | undefined {
  return recordToContinue(rows, { names: [], branch: undefined, projectId })
}

/** True if the branch decides between records: they are of several. */
export function branchesDiffer(rows: readonly RecordRow[]): boolean {
  return new Set(rows.map(({ branch }) => branch)).size > 1
}

/** By time of update, then by id, newest first. */
export function newestFirst(a: RecordRow, b: RecordRow): number {
  return b.updatedMs - a.updatedMs || (a.id.toLowerCase() < b.id.toLowerCase() ? 1 : -1)
}
