import type { CallContext } from '../../../server/plugin.ts'
import type { Authored } from '../domain/new-record.ts'
import { UNDESCRIBED_NOTES } from '../domain/noted-work.ts'
import type { Appendix } from '../domain/record-update.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { sessionNames } from '../session.ts'
import { createRecord } from './create-record.ts'
import { type Ground, placeOfNote } from './ground.ts'
import { redactionWarnings, updateRecord } from './update-record.ts'

export const NOTE_KINDS = ['decision', 'failed', 'next', 'done'] as const

export interface Note {
  readonly kind: (typeof NOTE_KINDS)[number]
  readonly text: string
  readonly why: string | undefined
}

export interface NoteAnswer {
  readonly root: string
  /** The draft. */
  readonly id: string
  /** The item; absent for finished work, which has no id. */
  readonly item?: string
  /** True if the note made the draft. */
  readonly created: boolean
  readonly warnings: readonly string[]
}

/** The label by which the id of the new item is found. */
const LABEL = 'note'

/** Adds a note to the draft of this session, which it makes if there is none: of the record that the session goes on with. */
export async function takeNote(ctx: CallContext, project: Project, given: Note): Promise<NoteAnswer> {
  if (given.text.trim() === '') throw refusals.empty_note()
  const note = { ...given, why: given.why?.trim() ? given.why : undefined }
  const names = await sessionNames(ctx, project)
  // Two notes at the same moment share one draft.
  return project.store.locked(`note-${names[0] ?? 'shared'}`, async () => {
    const place = await project.index.ask((table) => placeOfNote(project, table, names))
    if (place.kind === 'append') return append(project, place.id, note)
    return begin(ctx, project, { note, ground: place.ground })
  })
}

async function append(project: Project, id: string, note: Note): Promise<NoteAnswer> {
  const added = await updateRecord(project, {
    id,
    ifMatch: undefined,
    patch: undefined,
    append: itemsOf(note),
    ...(note.kind === 'next' && { leads: LABEL }),
  })
  const item = added.assigned_ids[LABEL]
  return {
    root: project.root,
    id,
    ...(item !== undefined && { item }),
    created: false,
    warnings: added.warnings,
  }
}

async function begin(
  ctx: CallContext,
  project: Project,
  { note, ground }: { readonly note: Note; readonly ground: Ground },
): Promise<NoteAnswer> {
  const described = ground.parent ? {} : UNDESCRIBED_NOTES
  const authored: Authored = { ...described, ...itemsOf(note) }
  const options = { captureGit: true, hashArtifacts: true, autoArtifacts: 'none', dryRun: false } as const
  const idempotencyKey = undefined
  const made = await createRecord(ctx, project, {
    authored,
    parent: undefined,
    notesOn: ground,
    options,
    idempotencyKey,
  })
  const item = made.assigned_ids[LABEL]
  return {
    root: project.root,
    id: made.id,
    ...(item !== undefined && { item }),
    created: true,
    warnings: [...redactionWarnings(made.redactions.length), ...made.warnings],
  }
}

function itemsOf({ kind, text, why }: Note): Appendix {
  const id = LABEL
  switch (kind) {
    case 'decision':
      return { decisions: [{ id, decision: text, rationale: why ?? null }] }
    case 'failed':
      return { failed_attempts: [{ id, approach: text, reason: why ?? null }] }
    case 'next':
      return { open_items: [{ id, priority: 'high', description: why ?? text, suggested_action: text }] }
    case 'done':
      return { completed: [why === undefined ? text : `${text} (${why})`] }
  }
}
