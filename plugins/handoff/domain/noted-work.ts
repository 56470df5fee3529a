import { type GivenItem, numberItems } from './item-ids.ts'
import {
  discoveries,
  extension,
  failedAttempts,
  type Handoff,
  ITEM_COLLECTIONS,
  inProgress,
} from './record.ts'
import { findRestated, inheritedOf } from './restated-items.ts'

/** What a draft of notes says of itself as long as it continues no record. */
export const UNDESCRIBED_NOTES = {
  title: 'Notes of a session',
  objective: 'Not described yet',
  current_state: 'Only notes were taken.',
} as const

/** True for a draft that only adds notes to the record that it continues, if any. */
export function isNotes(record: Handoff): boolean {
  return extension(record).notes && (record.status === 'draft' || record.status === 'validated')
}

/** A draft of notes, with the record that it continues. */
export interface NotesDraft {
  readonly record: Handoff
  readonly parent: Handoff | undefined
}

/** What a new record takes from the record that it continues and from the notes on that. */
export interface NotedWork {
  readonly inherited: Handoff | undefined
  /** What the notes call done or under way: a child inherits neither. */
  readonly completed: readonly string[]
  readonly in_progress: readonly string[]
  /** The open item that the notes, else the record, named as the next one. */
  readonly next: string | undefined
}

/** Puts drafts of notes together with the record that they continue; without one, with the first of them. */
export function notedWork(base: Handoff | undefined, drafts: readonly NotesDraft[]): NotedWork {
  const [first, ...others] = drafts
  const leads = base && extension(base).next
  if (!first) return { inherited: base, completed: [], in_progress: [], next: leads }
  const start: NotedWork =
    base === undefined
      ? { ...doneIn(first), inherited: withoutDone(first.record), next: extension(first.record).next }
      : { inherited: base, completed: [], in_progress: [], next: leads }
  return (base === undefined ? others : drafts).reduce(withNotes, start)
}

function withoutDone(record: Handoff): Handoff {
  return { ...record, summary: { ...record.summary, completed: [], in_progress: [] } }
}

function doneIn({ record, parent }: NotesDraft): Pick<NotedWork, 'completed' | 'in_progress'> {
  return {
    completed: beyond(record.summary.completed, parent?.summary.completed),
    in_progress: beyond(inProgress(record), parent && inProgress(parent)),
  }
}

/** Items keep their ids where these are free, and what is said already is not said twice. */
function withNotes(work: NotedWork, draft: NotesDraft): NotedWork {
  const { inherited: base } = work
  if (!base) return work
  const { record, parent } = draft
  const known = itemsOf(base)
  const found = findRestated(known, itemsBeyond(record, parent))
  const taken = ITEM_COLLECTIONS.flatMap((name) => known[name].map(({ id }) => String(id)))
  const { items, assigned, referencesOf } = numberItems(found.fresh, taken, found.labels)
  const kept = inheritedOf(found, referencesOf)
  const next = extension(record).next
  const done = doneIn(draft)
  const lists = {
    ...Object.fromEntries(ITEM_COLLECTIONS.map((name) => [name, [...kept[name], ...items[name]]])),
    artifacts: [...base.artifacts, ...beyondBy('path', record.artifacts, base.artifacts)],
    risks: [...base.risks, ...beyondBy('description', record.risks, base.risks)],
  }
  const { work: said } = record
  const inherited = {
    ...base,
    ...lists,
    work: {
      ...base.work,
      scope: union(base.work.scope, said.scope),
      constraints: union(base.work.constraints, said.constraints),
      definition_of_done: union(base.work.definition_of_done, said.definition_of_done),
    },
    summary: { ...base.summary, discoveries: union(discoveries(base), discoveries(record)) },
  } as Handoff // the items of two records of the schema, with ids of the schema
  return {
    inherited,
    completed: union(work.completed, done.completed),
    in_progress: union(work.in_progress, done.in_progress),
    next: next === undefined || isOutweighed(work, draft) ? work.next : (assigned[next] ?? next),
  }
}

/** Notes that name no other item have the one of their record; what was released beside them named its own. */
function isOutweighed({ inherited, next }: NotedWork, { record, parent }: NotesDraft): boolean {
  if (!parent) return false
  const isBeside = parent.id !== inherited?.id && next !== undefined
  return isBeside || extension(record).next === extension(parent).next
}

type Items = Readonly<Record<(typeof ITEM_COLLECTIONS)[number], readonly GivenItem[]>>

function itemsOf(record: Handoff): Items {
  const { decisions, evidence, open_items } = record
  return { decisions, evidence, failed_attempts: failedAttempts(record), open_items } as unknown as Items // objects
}

function itemsBeyond(record: Handoff, parent: Handoff | undefined): Items {
  const own = itemsOf(record)
  if (!parent) return own
  const known = itemsOf(parent)
  const fresh = (name: keyof Items) => {
    const ids = new Set(known[name].map(({ id }) => id))
    return own[name].filter(({ id }) => !ids.has(id))
  }
  return {
    decisions: fresh('decisions'),
    evidence: fresh('evidence'),
    failed_attempts: fresh('failed_attempts'),
    open_items: fresh('open_items'),
  }
}

/** Entries that a draft adds: those that its parent has count once each. */
function beyond(texts: readonly string[], known: readonly string[] | undefined): readonly string[] {
  const before = new Set(known)
  return texts.filter((text) => !before.has(text))
}

function beyondBy<Key extends string, Item extends Readonly<Record<Key, unknown>>>(
  key: Key,
  items: readonly Item[],
  known: readonly Item[],
): readonly Item[] {
  const before = new Set(known.map((item) => item[key]))
  return items.filter((item) => !before.has(item[key]))
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])]
}
