import { branchChangeOf } from '../domain/branch-change.ts'
import { isCommitId } from '../domain/commit-id.ts'
import { type Continuing, othersToContinue, ownToContinue, rivalsOf } from '../domain/latest.ts'
import { UNDESCRIBED_NOTES } from '../domain/noted-work.ts'
import type { Handoff } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { RecordTable } from '../domain/record-table.ts'
import { timeOf } from '../domain/record-time.ts'
import { movedCommits } from '../git/moved-commits.ts'
import { currentBranch } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { idsClaimedBy } from '../store/claims.ts'
import { givenTo, loadSessions } from '../store/sessions.ts'
import { draftsOn } from './notes-on.ts'
import { projectIdOf } from './project-id.ts'

/**
 * The record from which the session of these names continues. Notes that an ended session took on it say all that it says,
 * and more: they are what to continue from. git is asked only where records are of several branches.
 */
export async function continueFrom(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<RecordRow | undefined> {
  const who = await continuing(project, table, names)
  const record = ownToContinue(table, who) ?? (await latestOfOthers(project, table, who))
  const [row] = record === undefined ? [] : await table.load([record])
  if (!row) return undefined
  if (isOwnBy(row, names)) return (await describedInstead(table, who, row)) ?? row
  return (await notesOf(project, table, row, names)) ?? row
}

/** What is known of a session that asks for the record to continue from, without its branch. */
export async function continuing(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<Continuing> {
  const { disk, layout } = project.store
  const [projectId, held, sessions] = await Promise.all([
    knownProjectId(project),
    idsClaimedBy(project.store, names),
    names.length === 0 ? [] : loadSessions(disk, layout),
  ])
  const among = (ids: readonly string[]) => new Set(ids.flatMap((id) => table.find(id) ?? []))
  return {
    names,
    claimed: among(held),
    given: among(givenTo(sessions, names)),
    branch: undefined,
    projectId,
    nowMs: project.now().getTime(),
  }
}

/** A store without an id has no record that needs it. */
async function knownProjectId(project: Project): Promise<string | undefined> {
  const stored = await project.store.projectId()
  return stored && projectIdOf(project, stored)
}

export function isOwnBy({ session }: Pick<RecordRow, 'session'>, names: readonly string[]): boolean {
  return session !== null && names.includes(session)
}

/** Notes that a session took before it resumed a record describe nothing: that record is what it continues from. */
async function describedInstead(
  table: RecordTable,
  who: Continuing,
  row: RecordRow,
): Promise<RecordRow | undefined> {
  if (row.parents.length > 0 || row.title !== UNDESCRIBED_NOTES.title) return undefined
  const record = ownToContinue(table, { ...who, names: [], claimed: who.claimed })
  const [described] = record === undefined ? [] : await table.load([record])
  return described
}

/** The newest notes of an ended session on a record. */
async function notesOf(
  project: Project,
  table: RecordTable,
  { id }: RecordRow,
  names: readonly string[],
): Promise<RecordRow | undefined> {
  const drafts = await draftsOn(project, table, id, names)
  const notes = drafts.find(({ isNotes, isOver, isOwn }) => isNotes && (isOver || isOwn))
  const record = notes && table.find(notes.stored.id)
  return record === undefined ? undefined : (await table.load([record]))[0]
}

/** Commits before HEAD among which captured ones are looked for. */
const MAX_COMMITS = 5000

/**
 * What others wrote last: the record of the branch, unless a newer one was captured nearer to HEAD, on a branch that was
 * merged since; without one of the branch, the one that was captured nearest to HEAD. A captured commit that was rewritten
 * is where its change is now.
 */
async function latestOfOthers(
  project: Project,
  table: RecordTable,
  unnamed: Continuing,
): Promise<number | undefined> {
  const differs = table.differs('branch')
  const who = differs ? { ...unnamed, branch: await currentBranch(project.git) } : unnamed
  const picked = othersToContinue(table, who)
  const rivals = differs && picked !== undefined ? rivalsOf(table, who, picked) : []
  if (picked === undefined || rivals.length === 0) return picked
  const isOfBranch = who.branch !== undefined && table.hasValue('branch', who.branch)(picked)
  const distances = await distancesFromHead(project)
  let looks = 0
  const distanceOf = async (record: number, most: number) => {
    const stored = await project.store.read(table.id(record))
    if (stored?.kind !== 'record') return Number.POSITIVE_INFINITY
    const head = stored.record.project.repository?.head?.toLowerCase()
    const known = head === undefined ? undefined : distances.get(head)
    if (head === undefined || known !== undefined || most === 0) return known ?? Number.POSITIVE_INFINITY
    const moved = looks++ < MAX_REWRITTEN ? await rewritten(project, stored.record) : undefined
    return (moved === undefined ? undefined : distances.get(moved)) ?? Number.POSITIVE_INFINITY
  }
  let nearest = { record: picked, distance: await distanceOf(picked, MAX_COMMITS) }
  // Where history was rewritten, the name of the branch tells more than a commit that others share.
  const isRewritten = isOfBranch && nearest.distance === Number.POSITIVE_INFINITY
  for (const record of rivals) {
    // What was captured at HEAD itself is not outdone, and nothing is asked of git for others.
    const distance = await distanceOf(record, Math.min(nearest.distance, MAX_COMMITS))
    if (distance < nearest.distance && (!isRewritten || distance === 0)) nearest = { record, distance }
  }
  return nearest.record
}

/** Of so many records it is asked whether their commit was rewritten: a start waits for the answer. */
const MAX_REWRITTEN = 3

/** The commit of HEAD's history that has the change of a captured one, as after a rebase or a squash. */
async function rewritten({ git, storePrefix }: Project, record: Handoff): Promise<string | undefined> {
  const captured = record.project.repository?.head ?? ''
  if (!isCommitId(captured)) return undefined
  const moved = movedCommits(git, { storePrefix, commits: [captured], sinceMs: timeOf(record.created_at) })
  const found = await moved.find(captured)
  if (typeof found === 'object') return found.to
  const added = branchChangeOf(record)
  const squashed = added && (await moved.findBranch(added))
  return typeof squashed === 'object' ? squashed.to : undefined
}

async function distancesFromHead({ git }: Project): Promise<ReadonlyMap<string, number>> {
  const listed = await git('rev-list', `--max-count=${MAX_COMMITS}`, 'HEAD')
  const commits = listed.kind === 'done' ? listed.stdout.split('\n') : []
  return new Map(commits.map((commit, distance) => [commit, distance]))
}
