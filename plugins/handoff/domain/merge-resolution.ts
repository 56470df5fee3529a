import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { createItemIds } from './item-ids.ts'
import type { MergeConflict, Position } from './merge-conflicts.ts'
import type { MergedContent } from './merge-content.ts'
import { type Decision, ITEM_COLLECTIONS } from './record.ts'
import { quoted } from './secrets.ts'

/** The decision on one conflict. */
export interface Resolution {
  readonly conflict_id: string
  /** A parent's id, or `text`. */
  readonly choose: string
  readonly text?: string | undefined
  readonly rationale: string
}

export interface Resolved {
  readonly content: MergedContent
  /** Conflicts that are not resolved. */
  readonly open: readonly MergeConflict[]
  /** Values of members outside the content, by pointer; undefined removes the member. */
  readonly members: ReadonlyMap<string, unknown>
}

/**
 * Applies resolutions to a merged content; each becomes a decision of its own, with the positions not taken as
 * alternatives. Errors: `invalid`/`invalid_arguments` for an unknown conflict or position.
 */
export function resolveConflicts(
  { content, conflicts }: { readonly content: MergedContent; readonly conflicts: readonly MergeConflict[] },
  resolutions: readonly Resolution[],
  now: string,
): Resolved {
  let resolved = content
  const members = new Map<string, unknown>()
  for (const [index, resolution] of resolutions.entries()) {
    const conflict = conflicts.find(({ id }) => id === resolution.conflict_id)
    if (!conflict)
      throw refused(index, 'conflict_id', `There is no open conflict ${quoted(resolution.conflict_id, 40)}`)
    const chosen = chosenPosition(conflict, resolution, index)
    if (conflict.kind === 'member')
      members.set(conflict.field, chosen.parent === '' ? chosen.text : chosen.value)
    resolved = withDecision(settled(resolved, conflict, chosen), {
      decision: `Merge, ${conflict.subject}: ${chosen.text}`,
      rationale: resolution.rationale,
      alternatives_considered: conflict.positions
        .filter((position) => position !== chosen)
        .map(({ text }) => text),
      evidence_ids: [],
      made_at: now,
    })
  }
  const decided = new Set(resolutions.map(({ conflict_id }) => conflict_id))
  return { content: resolved, open: conflicts.filter(({ id }) => !decided.has(id)), members }
}

/** A text given by the caller is a position without a parent. */
function chosenPosition(conflict: MergeConflict, { choose, text }: Resolution, index: number): Position {
  if (choose === 'text') {
    if (text === undefined || text === '') throw refused(index, 'text', 'choose "text" needs a text')
    return { parent: '', text }
  }
  const position = conflict.positions.find(({ parent }) => parent.toLowerCase() === choose.toLowerCase())
  if (position) return position
  const parents = conflict.positions.map(({ parent }) => parent).join(', ')
  throw refused(index, 'choose', `Choose "text" or one of ${parents}`)
}

function refused(index: number, field: string, message: string): SatchelError {
  const errors = [{ pointer: `/resolutions/${index}/${field}`, message }]
  return refusals.bad_resolution({ problem: message }, { errors })
}

function settled(content: MergedContent, conflict: MergeConflict, chosen: Position): MergedContent {
  switch (conflict.kind) {
    case 'scalar':
      return withScalar(content, conflict.field, chosen.text)
    case 'edited_twice':
    case 'closed_and_edited':
      return withItem(content, conflict, chosen)
    case 'same_subject':
      return withoutDecisions(
        content,
        conflict.positions.flatMap(({ item_id }) =>
          item_id !== undefined && item_id !== chosen.item_id ? item_id : [],
        ),
      )
    case 'against_attempt':
      return afterAttempt(content, conflict, chosen)
    case 'member':
      return content
  }
}

function withScalar(content: MergedContent, field: string, text: string): MergedContent {
  if (field === 'current_state' || field === 'why_it_matters')
    return { ...content, summary: { ...content.summary, [field]: text } }
  return { ...content, work: { ...content.work, [field]: text } }
}

/** Replaces the merged item by that of the chosen parent; removes it if it is closed there. */
function withItem(content: MergedContent, conflict: MergeConflict, chosen: Position): MergedContent {
  const collection = ITEM_COLLECTIONS.find((name) => name === conflict.field)
  if (!collection) return content
  const id = conflict.positions.find(({ item_id }) => item_id !== undefined)?.item_id
  const items: readonly { readonly id: string }[] = content[collection]
  const replaced = items.flatMap((item) => {
    if (item.id !== id) return [item]
    if (chosen.item === null) return []
    return [
      chosen.item === undefined ? { ...item, ...saying(collection, chosen.text) } : { ...chosen.item, id },
    ]
  })
  return { ...content, [collection]: replaced }
}

const TEXT_MEMBER = {
  decisions: 'decision',
  evidence: 'claim',
  failed_attempts: 'approach',
  open_items: 'description',
} as const

function saying(collection: keyof typeof TEXT_MEMBER, text: string): Record<string, string> {
  return { [TEXT_MEMBER[collection]]: text }
}

function withoutDecisions(content: MergedContent, ids: readonly string[]): MergedContent {
  return { ...content, decisions: content.decisions.filter(({ id }) => !ids.includes(id)) }
}

/** Choosing the decision allows the attempt again; any other choice removes the decision. */
function afterAttempt(content: MergedContent, conflict: MergeConflict, chosen: Position): MergedContent {
  const [decision, attempt] = conflict.positions
  if (chosen !== decision) return withoutDecisions(content, [decision?.item_id ?? ''])
  return {
    ...content,
    failed_attempts: content.failed_attempts.map((item) =>
      item.id === attempt?.item_id ? { ...item, avoid_repeating: false } : item,
    ),
  }
}

function withDecision(content: MergedContent, decision: Omit<Decision, 'id'>): MergedContent {
  const used = createItemIds(ITEM_COLLECTIONS.flatMap((name) => content[name].map(({ id }) => id)))
  return { ...content, decisions: [...content.decisions, { id: used.next('D'), ...decision }] }
}
