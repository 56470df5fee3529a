import { ownToContinue } from '../domain/latest.ts'
import { isNotes, type NotesDraft, UNDESCRIBED_NOTES } from '../domain/noted-work.ts'
import { isEditable } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { newestOf, ownLeaves, type RecordTable } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { claimedRecord } from './claimed-record.ts'
import { continueFrom, continuing, isOwnBy } from './continue-from.ts'
import { draftsBeside, draftsOn, openDrafts, parentOfNotes, sessionsThatEnded } from './notes-on.ts'

/** What a new record goes on from. */
export interface Ground {
  /** Undefined: it is a root. */
  readonly parent: StoredRecord | undefined
  /** Notes that it takes up, oldest first: of this session, and of sessions that have ended. */
  readonly notes: readonly (NotesDraft & { readonly stored: StoredRecord })[]
}

export const NO_GROUND: Ground = { parent: undefined, notes: [] }

/** Where a note goes: to a draft of the session, else to a new draft on this ground. */
export type NotePlace =
  | { readonly kind: 'append'; readonly id: string }
  | { readonly kind: 'begin'; readonly ground: Ground }

/**
 * The place of a note. A session goes on with what it has itself written, resumed or been given; a command without a
 * session shares the drafts that have none, and goes on with the latest record.
 */
export async function placeOfNote(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<NotePlace> {
  const beginOn = async (id: string): Promise<NotePlace> => ({
    kind: 'begin',
    ground: await groundOn(project, table, { id, names }),
  })
  if (names.length === 0) {
    const draft = newestDraft(table, [null])
    if (draft !== undefined) return { kind: 'append', id: table.id(draft) }
    const latest = await continueFrom(project, table, names)
    return latest ? beginOn(latest.id) : { kind: 'begin', ground: NO_GROUND }
  }
  const own = ownToContinue(table, await continuing(project, table, names))
  if (own === undefined) {
    const skeleton = newestDraft(table, names)
    return skeleton === undefined
      ? { kind: 'begin', ground: NO_GROUND }
      : { kind: 'append', id: table.id(skeleton) }
  }
  const [row] = await table.load([own])
  const isDraft = row !== undefined && isOwnBy(row, names) && isEditable(row)
  // A draft about no record gives way to what was resumed since.
  const from = isDraft ? await continueFrom(project, table, names) : row
  return isDraft && from?.id === row.id ? { kind: 'append', id: row.id } : beginOn(from?.id ?? table.id(own))
}

function newestDraft(table: RecordTable, names: readonly (string | null)[]): number | undefined {
  const leaves = ownLeaves(table, names)
  return newestOf(
    table,
    leaves.filter((record) => isEditable({ status: table.status(record) })),
  )[0]
}

/**
 * What a record without a named parent goes on from: the draft that the session was given after a compaction; the record
 * that it has claimed; what it was given; its own notes.
 */
export async function groundOfSession(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<Ground> {
  if (names.length === 0) return NO_GROUND
  const id = await idOfSession(project, table, names)
  return id === undefined ? NO_GROUND : groundOn(project, table, { id, names })
}

async function idOfSession(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<string | undefined> {
  const who = await continuing(project, table, names)
  const given = ownToContinue(table, { ...who, names: [], claimed: NONE })
  const [row] = given === undefined ? [] : await table.load([given])
  if (row && isOwnBy(row, names) && isEditable(row)) return row.id
  for (const name of names) {
    const claimed = await claimedRecord(project, table, name)
    if (claimed) return claimed.id
  }
  return row?.id ?? (await ownNotes(project, table, names))[0]?.id
}

const NONE: ReadonlySet<number> = new Set()

/** The open notes of a session, newest first. */
async function ownNotes(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<readonly StoredRecord[]> {
  const own = ownLeaves(table, names).filter((record) => isEditable({ status: table.status(record) }))
  const drafts = await openDrafts(project, await table.load(newestOf(table, own)), names)
  return drafts.filter(({ isNotes }) => isNotes).map(({ stored }) => stored)
}

/**
 * A record with the notes that a new one takes up: on it, and on what it superseded. Notes are not continued themselves: what goes on from them goes on
 * from the record that they are about. The session's own notes that are about no record are taken up, too.
 */
export async function groundOn(
  project: Project,
  table: RecordTable,
  { id, names }: { readonly id: string; readonly names: readonly string[] },
): Promise<Ground> {
  const named = await project.store.read(id)
  if (named?.kind !== 'record') return NO_GROUND
  const isTaken = isNotes(named.record) && (await isFree(project, table, { stored: named, names }))
  const parent = isTaken ? await parentOfNotes(project, named.record) : named
  const on = parent
    ? [
        ...(await draftsOn(project, table, parent.id, names)),
        ...(await draftsBeside(project, table, parent.id, names)),
      ]
    : []
  const loose = (await ownNotes(project, table, names)).filter(isLoose)
  const found = new Map<string, StoredRecord>()
  const taken = on.filter((draft) => draft.isNotes && (draft.isOwn || draft.isOver))
  for (const stored of [...taken.map((draft) => draft.stored), ...loose, ...(isTaken ? [named] : [])])
    if (stored.id !== parent?.id) found.set(stored.id, stored)
  const notes = [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  // Those on a record that the parent superseded add to that one.
  const about = async (stored: StoredRecord) =>
    stored.record.lineage.parents[0] === parent?.id ? parent : await parentOfNotes(project, stored.record)
  return {
    parent,
    notes: await Promise.all(
      notes.map(async (stored) => ({ stored, record: stored.record, parent: (await about(stored))?.record })),
    ),
  }
}

/** Notes that were taken before their session resumed anything. */
function isLoose({ record }: StoredRecord): boolean {
  return record.lineage.parents.length === 0 && record.work.title === UNDESCRIBED_NOTES.title
}

/** Notes of the session itself, or of one that has ended. */
async function isFree(
  project: Project,
  table: RecordTable,
  { stored, names }: { readonly stored: StoredRecord; readonly names: readonly string[] },
): Promise<boolean> {
  const record = table.find(stored.id)
  const [row]: readonly RecordRow[] = record === undefined ? [] : await table.load([record])
  if (!row) return false
  return isOwnBy(row, names) || (await sessionsThatEnded(project))(row)
}
