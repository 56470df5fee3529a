import { isSatchelError, SatchelError } from '../../../../server/plugin.ts'
import type { NewVersion, Tx } from '../../domain/rows.ts'
import { sha256Of } from '../bodies.ts'
import type { Sql } from '../sql.ts'
import type { Store } from '../store.ts'
import type { Chance } from './chance.ts'
import type { History } from './history.ts'
import { addNote, commitText, noteName, versionName } from './model.ts'
import type { SimulatedDisk } from './simulated-disk.ts'
import { FILE, openOn, type PlantedBug } from './stage.ts'

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

/** Opens the room, lets clients work side by side, closes it cleanly most of the time. */
export async function runWorkload(options: WorkloadOptions): Promise<void> {
  const store = await openOn(options.simulated.disk, options.sql, {
    owner: options.owner,
    bug: options.bug,
    adopted: (tx, version) => adopted(options, tx, version),
  })
  options.opened?.()
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => workAs(options, store, client)))
  if (options.chance.maybe(0.3)) return
  options.closing?.()
  await note(options, store).then(
    () => options.outcome?.(undefined, store),
    (thrown: unknown) => options.outcome?.(thrown, store),
  )
  options.closed?.()
  await store.close()
}

async function workAs(options: WorkloadOptions, store: Store, client: number): Promise<void> {
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

function operation(options: WorkloadOptions, store: Store, name: string): Promise<unknown> {
  const drawn = options.chance.below(100)
  if (drawn < 50) return note(options, store)
  if (drawn < 65) return Promise.all(Array.from({ length: 5 }, () => note(options, store)))
  if (drawn < 78) return commit(options, store, `# Ours ${name}\n`.padEnd(900, '.'))
  if (drawn < 86) return edit(options, store, `# Theirs ${name}\n`.padEnd(700, ','))
  if (drawn < 92) return refused(store)
  return readAll(options, store)
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
    return { eventId: tx.latestEventId, change: versionName(version, hash) }
  })
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

async function readAll({ history }: WorkloadOptions, store: Store): Promise<void> {
  const latest = await store.read((rows) => rows.latestEventId)
  history.tell(latest)
}
