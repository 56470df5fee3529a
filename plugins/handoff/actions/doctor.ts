import { join, relative } from 'node:path'
import { orMissing, systemCode } from '../../../server/plugin.ts'
import { byId } from '../domain/lineage.ts'
import { cyclesOf } from '../domain/lineage-graph.ts'
import type { StoreProblem } from '../domain/problem-page.ts'
import { isLive } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { isFuture } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { claimsFolder } from '../store/claim-shelf.ts'
import { loadClaims, withClaims } from '../store/claims.ts'
import { storedProjectId } from '../store/project-identity.ts'
import type { Problem } from '../store/read-record.ts'

const TEMP_AGE_MS = 60_000

/** Examines every file of a store and the links between its records. Reads only. */
export async function examineStore(
  project: Project,
  nowMs: number,
  clockMs: number,
): Promise<readonly StoreProblem[]> {
  if (!(await project.store.exists())) return []
  const { rows: stored, problems } = await project.index.view()
  const rows = withClaims(stored, await loadClaims(project.store, nowMs))
  return [
    ...problems.map(damagedRecord),
    ...(project.store.keepsFiles ? await folderProblems(project, clockMs) : []),
    ...lineageProblems(rows),
    ...statusProblems(rows, nowMs),
    ...rows.filter(({ updatedMs }) => isFuture(updatedMs, nowMs)).map(fromTheFuture),
  ]
}

function damagedRecord({ path, reason, detail, line, column }: Problem): StoreProblem {
  const at = line === undefined ? '' : ` (line ${line}, column ${column})`
  return {
    kind: 'damaged_record',
    path,
    detail: `${reason}: ${detail}${at}`,
    next:
      reason === 'bad_json'
        ? 'satchel handoff doctor --fix repairs conflict markers; correct other damage in an editor, or restore the file.'
        : 'Correct it in an editor, or restore it from version control.',
  }
}

async function folderProblems(project: Project, clockMs: number): Promise<StoreProblem[]> {
  return [
    ...(await leftTemps(project, clockMs)),
    ...(await damagedConfig(project)),
    ...(await unusableLocal(project)),
  ]
}

/** What keeps claims and sessions of this machine from being kept. Records are read and written anyway. */
async function unusableLocal({ root, store: { disk, layout } }: Project): Promise<StoreProblem[]> {
  for (const folder of [layout.local, claimsFolder(layout)]) {
    const cause = await disk.list(folder).then(() => undefined, systemCode)
    if (cause === undefined || cause === 'ENOENT') continue
    return [
      {
        kind: 'unusable_local',
        path: relative(root, folder),
        detail: `cannot be read (${cause}): no claim is kept, and no session is known`,
        next: 'Remove it, or give it to the user of satchel: it is made again.',
      },
    ]
  }
  return []
}

/** Temporary files of interrupted writes: harmless, and removed by a later write. */
async function leftTemps({ root, store }: Project, clockMs: number): Promise<StoreProblem[]> {
  const { disk, layout } = store
  const found: StoreProblem[] = []
  for (const name of (await orMissing(disk.list(layout.temps))) ?? []) {
    const stat = await disk.stat(join(layout.temps, name))
    if (!stat || clockMs - stat.modifiedMs < TEMP_AGE_MS) continue
    found.push({
      kind: 'orphan_temp',
      path: relative(root, join(layout.temps, name)),
      detail: 'left by an interrupted write; no record is affected',
      next: 'Nothing: a later write removes it once it is an hour old.',
    })
  }
  return found
}

async function damagedConfig({ root, store }: Project): Promise<StoreProblem[]> {
  const { disk, layout } = store
  const isThere = (await disk.stat(layout.config)) !== undefined
  if (isThere && (await storedProjectId(disk, layout)) !== undefined) return []
  return [
    {
      kind: 'damaged_config',
      path: relative(root, layout.config),
      detail: isThere ? 'has no project_id' : 'is missing',
      next: isThere ? 'Correct it in an editor.' : 'Nothing: the next new record creates it.',
    },
  ]
}

function fromTheFuture({ path, updated_at }: RecordRow): StoreProblem {
  return {
    kind: 'future_time',
    path,
    detail: `its updated_at is ${updated_at}, later than the clock of this machine; it is not taken for latest`,
    next: 'Check the clock, or resume the record by its id.',
  }
}

/** Records of a cycle that are named; `handoff_lineage` lists all. */
const MAX_NAMED = 10

function lineageProblems(rows: readonly RecordRow[]): StoreProblem[] {
  const known = byId(rows)
  const missing = rows.flatMap((row) =>
    row.parents
      .filter((parent) => !known.has(parent.toLowerCase()))
      .map((parent) => ({
        kind: 'missing_parent' as const,
        path: row.path,
        detail: `its parent ${parent} is not in this store`,
        next: 'Import the parent if another store has it.',
      })),
  )
  const cycles = cyclesOf(rows).map((cycle) => ({
    kind: 'lineage_cycle' as const,
    path: known.get(cycle[0] ?? '')?.path ?? '',
    detail: `these records are their own ancestors: ${namedOf(cycle)}`,
    next: 'Correct lineage.parents of one of them in an editor.',
  }))
  return [...missing, ...cycles]
}

function namedOf(ids: readonly string[]): string {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more; handoff_lineage lists all` : ''
  return `${ids.slice(0, MAX_NAMED).join(', ')}${more}`
}

function statusProblems(rows: readonly RecordRow[], nowMs: number): StoreProblem[] {
  const known = byId(rows)
  const released = rows.filter(({ status }) => status === 'ready' || status === 'resumed')
  const open = released.flatMap((child) =>
    child.relation === 'fork'
      ? []
      : child.parents.flatMap((parent) => {
          const row = known.get(parent.toLowerCase())
          return row && ['ready', 'resumed', 'draft', 'validated'].includes(row.status)
            ? [{ child, row }]
            : []
        }),
  )
  const expired = rows.filter(({ claim }) => claim && !isLive(claim, nowMs))
  return [
    ...open.map(({ child, row }) => ({
      kind: 'not_superseded' as const,
      path: row.path,
      detail: `${child.id} supersedes it, but its status is still ${row.status}; lists follow the lineage`,
      next: `satchel handoff set-status ${row.id} superseded`,
    })),
    ...expired.map((row) => ({
      kind: 'expired_claim' as const,
      path: row.path,
      detail: 'its claim has expired; any session may resume it',
      next: `satchel handoff set-status ${row.id} ready`,
    })),
  ]
}
