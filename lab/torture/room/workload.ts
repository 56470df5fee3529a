import type { NewVersion, Rows, Tx } from '../../../plugins/workspace/domain/rows.ts'
import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { JournalLimits } from '../../../plugins/workspace/engine/generations.ts'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import type { Store } from '../../../plugins/workspace/engine/store.ts'
import {
  addDraft,
  addNote,
  commitText,
  draftName,
  droppedText,
  lostTexts,
  noteName,
  pruneTexts,
  versionName,
} from '../../../plugins/workspace/testing/model.ts'
import type { SimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import { isSatchelError, SatchelError } from '../../../server/plugin.ts'
import type { Chance } from '../chance.ts'
import type { History } from './history.ts'
import { FILE, LIMITS, openOn, type PlantedBug, ROOMY_LIMITS } from './stage.ts'

export interface WorkloadOptions {
  readonly simulated: SimulatedDisk
  readonly sql: Sql
  readonly chance: Chance
  readonly history: History
  readonly owner: number
  /** Operations of each client. */
  readonly steps: number
  readonly bug?: PlantedBug | undefined
  /** Runs when the room is open, before the first operation. */
  opened?(): void
  /** Runs before the last mutation in front of a clean stop, and after it. */
  closing?(): void
  closed?(): void
  /** Told what each caller got: undefined when it was answered. */
  outcome?(thrown: unknown, store: Store): void
}

const CLIENTS = 3
const FIRST_NOTE = 1_000_000 // all ids are equally long, so that records are, so that stale ones could fit
const KEPT_TEXTS = 2
const USUAL_TEXTS = 6
// Below and above what a record carries here.
const TEXT_CHARS = [900, 250, 900, 700] as const

/** What a run is about. */
interface Kind {
  readonly limits: JournalLimits
  /** The operations by their share in a hundred. */
  readonly shares: Readonly<Record<Operation, number>>
}

type Operation = 'note' | 'notes' | 'commit' | 'draft' | 'again' | 'edit' | 'refused' | 'read'

const MIXED: Kind = {
  limits: LIMITS,
  shares: { note: 45, notes: 14, commit: 12, draft: 6, again: 4, edit: 8, refused: 5, read: 6 },
}
const TEXTS: Kind = {
  limits: ROOMY_LIMITS,
  shares: { note: 6, notes: 0, commit: 20, draft: 36, again: 24, edit: 4, refused: 2, read: 8 },
}

/** Opens the room, lets clients work side by side, closes it cleanly most of the time. */
export async function runWorkload(options: WorkloadOptions): Promise<void> {
  const kind = options.chance.maybe(0.65) ? MIXED : TEXTS
  const store = await openOn(options.simulated.disk, options.sql, {
    owner: options.owner,
    bug: options.bug,
    limits: kind.limits,
    adopted: (tx, version) => adopted(options, tx, version),
  })
  const texts = new Map<string, string>()
  options.opened?.()
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) => workAs({ ...options, kind, texts }, store, client)),
  )
  if (options.chance.maybe(0.3)) return
  options.closing?.()
  await note(options, store).then(
    () => options.outcome?.(undefined, store),
    (thrown: unknown) => options.outcome?.(thrown, store),
  )
  options.closed?.()
  await store.close()
}

interface Working extends WorkloadOptions {
  readonly kind: Kind
  /** Of drafts, by sha256. */
  readonly texts: Map<string, string>
}

async function workAs(options: Working, store: Store, client: number): Promise<void> {
  for (let step = 0; step < options.steps; step += 1) {
    const name = `${options.owner}-${client}-${step}`
    try {
      await operation(options, store, name)
      options.outcome?.(undefined, store)
    } catch (thrown) {
      options.outcome?.(thrown, store)
    }
  }
}

const OPERATIONS: Readonly<
  Record<Operation, (options: Working, store: Store, name: string) => Promise<unknown>>
> = {
  note,
  notes: (options, store) => Promise.all(Array.from({ length: 5 }, () => note(options, store))),
  commit: (options, store, name) => commit(options, store, textOf(options, name)),
  draft: (options, store, name) => {
    const text = textOf(options, name)
    return draft(options, store, () => text)
  },
  // A text that was just given up is taken up again.
  again: (options, store, name) => {
    const other = textOf(options, name)
    return draft(options, store, (tx) => options.texts.get(droppedText(tx) ?? '') ?? other)
  },
  edit: (options, store, name) => edit(options, store, `# Theirs ${name}\n`.padEnd(700, ',')),
  refused: (_, store) => refused(store),
  read: readAll,
}

function operation(options: Working, store: Store, name: string): Promise<unknown> {
  let drawn = options.chance.below(100)
  for (const [key, share] of Object.entries(options.kind.shares) as [Operation, number][]) {
    drawn -= share
    if (drawn < 0) return OPERATIONS[key](options, store, name)
  }
  throw new Error('unreachable: the shares are a hundred')
}

/** A text of its own, or one of a few that come again and again, also after a death. */
function textOf({ chance }: WorkloadOptions, name: string): string {
  const usual = chance.maybe(0.3) ? chance.below(USUAL_TEXTS) : undefined
  const chars = TEXT_CHARS[(usual ?? chance.below(TEXT_CHARS.length)) % TEXT_CHARS.length] ?? 0
  return `# Ours ${usual === undefined ? name : `as usual ${usual}`}\n`.padEnd(chars, '.')
}

async function note(options: WorkloadOptions, store: Store): Promise<void> {
  await issued(options, store, (tx) => {
    const id = FIRST_NOTE + Number(tx.one('noteCount')?.['n'])
    return { eventId: addNote(tx, id, `note ${id}`.padEnd(120, '-')), change: noteName(id) }
  })
}

async function commit(options: WorkloadOptions, store: Store, text: string): Promise<void> {
  options.history.text(sha256Of(text), 'us')
  await issued(options, store, (tx) => {
    const { version, hash } = commitText(tx, text)
    settleTexts(options, tx)
    return { eventId: tx.latestEventId, change: versionName(version, hash) }
  })
}

async function draft(options: Working, store: Store, textIn: (tx: Tx) => string): Promise<void> {
  await issued(options, store, (tx) => {
    const text = textIn(tx)
    const id = 1 + Number(tx.one('draftCount')?.['n'])
    const { eventId, hash } = addDraft(tx, id, text)
    options.texts.set(hash, text)
    settleTexts(options, tx)
    return { eventId, change: draftName(id, hash) }
  })
}

function settleTexts(options: WorkloadOptions, tx: Tx): void {
  pruneTexts(tx, KEPT_TEXTS)
  lookAtTexts(options, tx)
}

/** Every text that a row names can be read at every moment. */
function lookAtTexts({ history }: WorkloadOptions, rows: Rows): void {
  for (const fault of lostTexts(rows)) history.complain(`while the room worked ${fault}`)
}

/** One mutation whose fate the history follows. */
async function issued(
  options: WorkloadOptions,
  store: Store,
  work: (tx: Tx) => { eventId: number; change: string },
): Promise<void> {
  const { history, bug } = options
  let mine: { eventId: number; change: string } | undefined
  try {
    await store.mutate((tx) => {
      const { eventId, change } = work(tx)
      mine = { eventId, change }
      history.issue(eventId, change)
      const publish = (): void => {
        history.tell(eventId)
        if (store.poisoned.aborted) options.outcome?.(new Error('a poisoned room published'), store)
      }
      if (bug?.publishEarly) publish()
      else tx.onDurable(publish)
    })
    if (mine) history.tell(mine.eventId)
  } catch (thrown) {
    if (mine && isCleanRefusal(thrown)) history.refuse(mine.eventId, mine.change)
    throw thrown
  }
}

/** A refusal that promises that nothing was stored. */
export function isCleanRefusal(thrown: unknown): boolean {
  return (
    isSatchelError(thrown) &&
    thrown.reason === 'store_unavailable' &&
    thrown.details?.['version'] === undefined
  )
}

function adopted({ history }: WorkloadOptions, tx: Tx, { version, hash }: NewVersion): void {
  const eventId = tx.latestEventId
  history.issue(eventId, versionName(version, hash))
  tx.onDurable(() => history.tell(eventId))
}

/** A person saves the file in an editor that does it properly. */
async function edit({ simulated, history }: WorkloadOptions, store: Store, text: string): Promise<void> {
  const { disk } = simulated
  const temp = `${FILE}.${simulated.changes.length}`
  history.text(sha256Of(text), 'editor')
  try {
    await disk.create(temp, text, 0o644)
    await disk.rename(temp, FILE)
    await disk.syncDirectory('/room')
  } catch {
    // The editor met the failing disk itself, and says so to its user.
    return
  }
  await store.look()
}

async function refused(store: Store): Promise<void> {
  try {
    await store.mutate((tx) => {
      addNote(tx, 9_000_000, 'never')
      throw new SatchelError('conflict', 'stale_version', 'The rules said no.')
    })
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.reason !== 'stale_version') throw thrown
  }
}

async function readAll(options: WorkloadOptions, store: Store): Promise<void> {
  const latest = await store.read((rows) => {
    lookAtTexts(options, rows)
    return rows.latestEventId
  })
  options.history.tell(latest)
}
