import { join, relative } from 'node:path'
import { IGNORE_FILE, orMissing, systemCode, writeFault } from '../../../server/plugin.ts'
import { isAltered } from '../domain/content-digest.ts'
import { byId } from '../domain/lineage.ts'
import { cyclesOf } from '../domain/lineage-graph.ts'
import { parseConflicts, placeOfConflict } from '../domain/merge-conflicts.ts'
import type { StoreProblem } from '../domain/problem-page.ts'
import { extension, isLive } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { isFuture } from '../domain/record-table.ts'
import { isCutOff } from '../git/linked-worktree.ts'
import { reasonText } from '../git/run-git.ts'
import type { Project } from '../project.ts'
import { claimsFolder } from '../store/claim-shelf.ts'
import { loadClaims, withClaims } from '../store/claims.ts'
import { storedProjectId } from '../store/project-identity.ts'
import { DATABASE_RECORDS, type Problem, type StoredRecord } from '../store/read-record.ts'

/** Said where no store exists: hooks then do nothing, silently. */
export const NO_STORE =
  'This project has no handoff store yet, and hooks save nothing without one. The first satchel handoff note or handoff_create makes it.'

const CUT_OFF: StoreProblem = {
  kind: 'unusable_store',
  path: '.git',
  detail:
    'this is a linked work tree, and its repository is not where it was: the store of the main work tree is out of reach',
  next: 'Run git worktree repair in the main work tree, with the path of this one.',
}

const TEMP_AGE_MS = 60_000

/** Examines every file of a store and the links between its records. Reads only. */
export async function examineStore(
  project: Project,
  nowMs: number,
  clockMs: number,
): Promise<readonly StoreProblem[]> {
  const apart = project.store.keepsFiles && isCutOff(project.root) ? [CUT_OFF] : []
  const unreadable = await unreadableStore(project)
  if (unreadable.length > 0) return [...apart, ...unreadable]
  if (!(await project.store.exists())) return [...apart, ...(await unusableStore(project))]
  const { rows: stored, problems } = await project.index.view()
  const rows = withClaims(stored, await loadClaims(project.store, nowMs))
  return [
    ...apart,
    ...problems.map(damagedRecord),
    ...(await contentProblems(project, stored)),
    ...(project.store.keepsFiles ? await folderProblems(project, clockMs) : []),
    ...lineageProblems(rows, problems),
    ...statusProblems(rows, nowMs),
    ...rows.filter(({ updatedMs }) => isFuture(updatedMs, nowMs)).map(fromTheFuture),
  ]
}

/** A folder of the store that this user may not read: nothing is known of its records. */
async function unreadableStore({ root, store }: Project): Promise<StoreProblem[]> {
  if (!store.keepsFiles) return []
  const { disk, layout } = store
  for (const folder of [layout.folder, layout.records]) {
    const cause = await disk.list(folder).then(() => undefined, systemCode)
    if (cause !== 'EACCES' && cause !== 'EPERM') continue
    return [
      {
        kind: 'unusable_store',
        path: relative(root, folder),
        detail: `cannot be read (${cause}): no record can be given, and nothing is saved`,
        next: 'Give it to the user of satchel, with its permissions to read, write and enter it.',
      },
    ]
  }
  return []
}

/** A file or a link in the place of a folder of the store. */
async function unusableStore({ root, store }: Project): Promise<StoreProblem[]> {
  if (!store.keepsFiles) return []
  const { disk, layout } = store
  for (const folder of [layout.folder, layout.records]) {
    const found = await disk.stat(folder)
    if (found === undefined || found.kind === 'directory') continue
    return [
      {
        kind: 'unusable_store',
        path: relative(root, folder),
        detail: 'is a link or a file: nothing is saved',
        next: 'Put a folder in its place, or set handoff.store to another one.',
      },
    ]
  }
  return []
}

function damagedRecord({ path, reason, detail }: Problem): StoreProblem {
  return { kind: 'damaged_record', path, detail: `${reason}: ${detail}`, next: repairOf(path, reason) }
}

function repairOf(path: string, reason: Problem['reason']): string {
  if (path.startsWith(DATABASE_RECORDS))
    return 'Put the corrected record into files: satchel storage import replaces it.'
  return reason === 'bad_json'
    ? 'satchel handoff doctor --fix repairs conflict markers; correct other damage in an editor, or restore the file.'
    : 'Correct it in an editor, or restore it from version control.'
}

/** Records that a session must not simply continue from: in conflict, or edited after their release. */
async function contentProblems(project: Project, rows: readonly RecordRow[]): Promise<StoreProblem[]> {
  const found: StoreProblem[] = []
  for (const row of rows) {
    const isPresented = row.status === 'ready' || row.status === 'resumed'
    const isOpen = isPresented || row.status === 'draft' || row.status === 'validated'
    const isConflicted = isOpen && row.flags.includes('conflicted')
    if (!isPresented && !isConflicted) continue
    const stored = await project.store.read(row.id)
    if (stored?.kind !== 'record') continue
    if (isConflicted) found.push(conflictedRecord(stored))
    if (isPresented && isAltered(stored)) {
      found.push({
        kind: 'altered_record',
        path: stored.path,
        detail: `its content changed after it became ${row.status}; the checks saw another text`,
        next: `Read it, then keep what is right in a child: satchel handoff amend ${row.id}. Or restore the file from version control.`,
      })
    }
  }
  return found
}

function conflictedRecord({ id, path, record }: StoredRecord): StoreProblem {
  const conflicts = parseConflicts(extension(record).conflicts)
  const places = conflicts.map((conflict) => `${conflict.id} ${placeOfConflict(conflict)}`)
  if (places.length > 0) {
    return {
      kind: 'conflicted_record',
      path,
      detail: `its versions disagree: ${namedOf(places, 'handoff_resume')}`,
      next: `satchel handoff merge --child ${id} --resolutions '{"conflict_id": "${conflicts[0]?.id}", "choose": "${conflicts[0]?.positions[0]?.parent}", "rationale": "why"}', once for each`,
    }
  }
  return {
    kind: 'conflicted_record',
    path,
    detail:
      'it is flagged conflicted: another record continues the same parent, or it was imported over another version',
    next: `Compare with satchel handoff lineage ${id}, then satchel handoff set-status ${id} --clear-flags conflicted --reason "why".`,
  }
}

async function folderProblems(project: Project, clockMs: number): Promise<StoreProblem[]> {
  return [
    ...(await unwritableStore(project)),
    ...(await leftTemps(project, clockMs)),
    ...(await damagedConfig(project)),
    ...(await unusableLocal(project)),
    ...(await missingMergeDriver(project)),
    ...(await untrustedRepository(project)),
  ]
}

/** Finds a folder that a new record needs and that cannot be written. A missing folder is created by the next write. */
async function unwritableStore({ root, store: { layout } }: Project): Promise<StoreProblem[]> {
  for (const folder of [layout.folder, layout.records, layout.temps]) {
    const code = await writeFault(folder)
    if (code === undefined || code === 'ENOENT') continue
    return [
      {
        kind: 'unusable_store',
        path: relative(root, folder),
        detail: `cannot be written (${code}): records can be read, and nothing is saved`,
        next: 'Give it to the user of satchel on a file system that can be written, or set handoff.store to another folder.',
      },
    ]
  }
  return []
}

/** In a container the files may belong to another user, and git then refuses: records have no commit and no changes. */
async function untrustedRepository({ root, git }: Project): Promise<StoreProblem[]> {
  const answer = await git('rev-parse', '--git-dir')
  if (answer.kind !== 'failed' || answer.reason !== 'dubious_ownership') return []
  return [
    {
      kind: 'untrusted_repository',
      path: '.',
      detail: `${reasonText(answer.reason)}: records know no commit, and no change since`,
      next: `If the files are yours: git config --global --add safe.directory ${root}`,
    },
  ]
}

/** Every clone has the attributes, but not the command that they name. Without it git silently merges records line by line. */
async function missingMergeDriver({ root, store, git }: Project): Promise<StoreProblem[]> {
  const path = relative(root, join(store.layout.records, 'a.json'))
  const named = await git('check-attr', 'merge', '--', path)
  if (named.kind === 'failed' || !named.stdout.trimEnd().endsWith(`: merge: ${MERGE_DRIVER}`)) return []
  const driver = await git('config', '--get', `merge.${MERGE_DRIVER}.driver`)
  if (driver.kind === 'done' || driver.reason !== 'refused') return []
  return [
    {
      kind: 'no_merge_driver',
      path: '.gitattributes',
      detail: `records have merge=${MERGE_DRIVER}, but this clone has no merge.${MERGE_DRIVER}.driver: git merges them as text`,
      next: 'satchel setup --git-merge',
    },
  ]
}

/** As `satchel setup --git-merge` names it. */
const MERGE_DRIVER = 'handoff'

/** A folder that cannot be read, so that no claims or sessions of this machine are stored. Records still work. */
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
    if (!stat || name === IGNORE_FILE || clockMs - stat.modifiedMs < TEMP_AGE_MS) continue
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

/** Names in a detail; a tool shows all. */
const MAX_NAMED = 10

function lineageProblems(rows: readonly RecordRow[], damaged: readonly Problem[]): StoreProblem[] {
  const known = byId(rows)
  // A damaged parent is a problem of its own.
  const isDamaged = (id: string) => damaged.some(({ path }) => path.endsWith(`${id.toLowerCase()}.json`))
  const missing = rows.flatMap((row) =>
    row.parents
      .filter((parent) => !known.has(parent.toLowerCase()) && !isDamaged(parent))
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
    detail: `these records are their own ancestors: ${namedOf(cycle, 'handoff_lineage')}`,
    next: 'Correct lineage.parents of one of them in an editor.',
  }))
  return [...missing, ...cycles]
}

function namedOf(names: readonly string[], tool: string): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more; ${tool} shows all` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
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
