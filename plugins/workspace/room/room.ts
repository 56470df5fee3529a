import { nextTurn } from '../../../server/plugin.ts'
import { type Analyst, analyzed, Unanswered } from '../analysis/analyst.ts'
import { newId, type RandomBytes } from '../domain/identity.ts'
import type { Lease } from '../domain/lease.ts'
import { type Micros, microsOf } from '../domain/moment.ts'
import type { NewVersion, Rows, Substrate, Tx } from '../domain/rows.ts'
import { LOOKING, type Session } from '../domain/session.ts'
import type { EngineHooks, Store, StoreContent } from '../engine/store.ts'
import {
  type ActorChange,
  beginChange,
  type Change,
  type ChangeParts,
  currentMoment,
  findReplay,
  isStoredRefusal,
  type KeyedRequest,
  liveActor,
  lookingActor,
  type News,
  noteSeen,
  type RoomSettings,
  replayed,
  type StoredRefusal,
  storeReplay,
  workspaceRow,
} from './change.ts'
import { bootstrap, externalEdit, wasVersion } from './document.ts'
import { expireLeases } from './leases.ts'
import { expireSessions } from './members.ts'
import { SCHEMA, STATEMENTS } from './schema.ts'
import { staleEdit } from './stale-edit.ts'
import { listed } from './tables.ts'
import type { View } from './views.ts'

/** What the room needs of its process; all of it can be replaced in a test. */
export interface RoomParts {
  nowMicros(): Micros
  readonly random: RandomBytes
  readonly settings: RoomSettings
  /** Owned by the caller. */
  readonly analyst: Analyst
  /** Real path of the markdown file, and the name shown for it. */
  readonly path: string
  readonly name: string
  /** Called once per mutation, after it is durable, in mutation order; must not throw and must not wait. */
  publish(news: News): void
  /** The file became unreadable or readable again; nothing was stored. */
  substrateChanged(substrate: Substrate): void
}

/** The field that every mutation takes besides its own. */
export interface Keyed {
  /** 1 to 128 visible ASCII characters: the same request with the same key happens once. */
  readonly idempotency_key?: string | undefined
}

/** The room while this process owns it. Its opener closes it, once. */
export interface Room {
  /** Aborts when the store failed for good; the owner stops serving. */
  readonly poisoned: AbortSignal
  readonly instanceId: string
  /**
   * One mutation by a session: the session is looked up inside the transaction, `work` decides, everything it stored and
   * its events land together. Errors: `unauthorized`, `session_expired`, `idempotency_mismatch`, those of `work` and the store.
   */
  change<I extends object, T>(
    sessionId: string,
    operation: string,
    input: I & Keyed,
    work: (change: ActorChange, input: I) => T | StoredRefusal,
  ): Promise<T>
  /** A mutation without a session: by the room itself, or for a participant who is joining. */
  changeAsSystem<T>(work: (change: Change) => T): Promise<T>
  /** A consistent read by a live session. */
  read<T>(sessionId: string, work: (view: View) => T): Promise<T>
  /**
   * The same where the answer may be as long as the document: of all that wait one goes on in each turn of the event loop,
   * so that another call waits for one such answer and not for that of every reader.
   */
  readInTurn<T>(sessionId: string, work: (view: View) => T): Promise<T>
  /** A consistent read without a session, for the room itself. */
  readAsSystem<T>(work: (rows: Rows, now: string) => T): Promise<T>
  /** A text of the document as nodes of the owner page: JSON in UTF-8 with `nodes` and `rest`. */
  markup(text: string): Promise<Uint8Array>
  /** Notices an edit of the file made by other means. */
  look(): Promise<void>
  /** Expires leases and sessions. Returns when the next one ends by the process's clock, if any. */
  expire(): Promise<Micros | undefined>
  /** Stores workspace.stopped and closes the store. */
  close(): Promise<void>
}

/** Schema, statements and hooks for the engine to open the room's store with. */
export function storeContent(parts: RoomParts): StoreContent {
  const hooks: EngineHooks = {
    bootstrap: (tx: Tx, document: NewVersion) =>
      bootstrap(beginChange(tx, changeParts(parts)), document, parts.name),
    external: (tx: Tx, document: NewVersion) => externalEdit(beginChange(tx, changeParts(parts)), document),
    staleEdit: (tx, edit, base) => staleEdit(beginChange(tx, changeParts(parts)), edit, base),
    readiness: (thrown) => (thrown instanceof Unanswered ? thrown.found : undefined),
    isVersion: wasVersion,
    substrate: (substrate) => parts.substrateChanged(substrate),
  }
  return { schema: SCHEMA, statements: STATEMENTS, hooks }
}

function changeParts({ nowMicros, random, settings, analyst, publish }: RoomParts): ChangeParts {
  return { nowMicros, random, settings, analysis: analyst.knowing([]), publish }
}

/** Starts serving an opened store: stores workspace.started (`recovered` after an unclean end). */
export async function startRoom(store: Store, parts: RoomParts): Promise<Room> {
  const instanceId = newId('ws', parts.random).slice('ws_'.length)
  const aheadMicros = await store.read((rows) => aheadOf(rows, parts.nowMicros()))
  const nowMicros = (): Micros => parts.nowMicros() + aheadMicros
  const changing = changeParts({ ...parts, nowMicros })
  const { analyst } = parts
  await store.mutate((tx) => {
    const change = beginChange(tx, changing)
    setLifecycle(change, 'ACTIVE')
    const status = store.found === 'unclean' ? 'recovered' : undefined
    change.emit({ type: 'workspace.started', version: tx.document.version, payload: { status } })
  })
  const read: Room['read'] = (sessionId, work) =>
    analyzed(analyst, (analysis) =>
      store.read((rows) => {
        const now = currentMoment(rows, nowMicros())
        const actor = sessionId === LOOKING.session_id ? lookingActor(now) : liveActor(rows, sessionId, now)
        const { settings, path } = parts
        return work({ rows, now, actor, settings, analysis, path, instanceId })
      }),
    )
  return {
    poisoned: store.poisoned,
    instanceId,
    change: (sessionId, operation, input, work) =>
      analyzed(analyst, (analysis) => {
        const running = { store, changing: { ...changing, analysis } }
        return changeBySession(running, sessionId, operation, input, work)
      }),
    changeAsSystem: (work) => store.mutate((tx) => work(beginChange(tx, changing))),
    read,
    async readInTurn(sessionId, work) {
      await nextTurn()
      return read(sessionId, work)
    },
    readAsSystem: (work) => store.read((rows) => work(rows, currentMoment(rows, nowMicros()))),
    markup: analyst.page,
    look: async () => {
      await store.look()
    },
    async expire() {
      const next = await expire(store, changing)
      return next === undefined ? undefined : next - aheadMicros
    },
    close: () => close(store, changing),
  }
}

/**
 * How far the room's time is ahead of this process's: a clock was set back since the newest event. From there on the
 * room's time goes on; if it stopped, it would end no lease and no session until the clock caught up.
 */
function aheadOf(rows: Rows, micros: Micros): Micros {
  return Math.max(0, microsOf(currentMoment(rows, micros)) - micros)
}

interface Running {
  readonly store: Store
  readonly changing: ChangeParts
}

async function changeBySession<I extends object, T>(
  { store, changing }: Running,
  sessionId: string,
  operation: string,
  input: I & Keyed,
  work: (change: ActorChange, input: I) => T | StoredRefusal,
): Promise<T> {
  const { idempotency_key: key, ...fields } = input
  const outcome = await store.mutate((tx) => {
    const base = beginChange(tx, changing)
    const change: ActorChange = { ...base, actor: liveActor(tx, sessionId, base.now) }
    const request: KeyedRequest | undefined =
      key === undefined ? undefined : { operation, key, input: fields }
    const before = request && findReplay(change, request)
    if (before) return { replay: before }
    const latest = tx.latestEventId
    const result = work(change, input)
    if (request) storeReplay(change, request, result)
    if (tx.latestEventId !== latest) noteSeen(change)
    return { result }
  })
  if ('replay' in outcome) return replayed(outcome.replay) as T // kept from a `T` of this operation
  if (isStoredRefusal(outcome.result)) throw outcome.result.refused
  return outcome.result as T // not a stored refusal, so what `work` answered
}

async function expire(store: Store, changing: ChangeParts): Promise<Micros | undefined> {
  const next = await store.read((rows) => nextExpiry(rows))
  if (next === undefined) return undefined
  const due = await store.read((rows) => next <= currentMoment(rows, changing.nowMicros()))
  if (!due) return microsOf(next)
  await store.mutate((tx) => {
    const change = beginChange(tx, changing)
    expireLeases(change)
    expireSessions(change)
  })
  const after = await store.read((rows) => nextExpiry(rows))
  return after === undefined ? undefined : microsOf(after)
}

function nextExpiry(rows: Rows): string | undefined {
  const moments = [
    ...listed<Lease>(rows, 'lease_active').map(({ expires_at }) => expires_at),
    ...listed<Session>(rows, 'session_open').map(({ expires_at }) => expires_at),
  ]
  return moments.sort()[0]
}

async function close(store: Store, changing: ChangeParts): Promise<void> {
  if (!store.poisoned.aborted) {
    await store.mutate((tx) => {
      const change = beginChange(tx, changing)
      setLifecycle(change, 'STOPPED')
      change.emit({ type: 'workspace.stopped', payload: {} })
    })
  }
  await store.close()
}

function setLifecycle({ tx }: Change, lifecycle: 'ACTIVE' | 'STOPPED'): void {
  tx.run('workspace_set', { json: JSON.stringify({ ...workspaceRow(tx), lifecycle }) })
}
