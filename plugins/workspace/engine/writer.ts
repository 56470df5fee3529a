import {
  type Disk,
  isFlushFailure,
  isSatchelError,
  type Log,
  type SatchelError,
} from '../../../server/plugin.ts'
import type { NewVersion, Tx } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import type { StoredText } from './bodies.ts'
import type { FileOrigin } from './file-version.ts'
import type { Flusher } from './flusher.ts'
import type { Generations, JournalLimits } from './generations.ts'
import { storeUnavailable } from './journal.ts'
import { type Codec, RECORD_MAX_BYTES } from './journal-record.ts'
import type { TextChange } from './journal-texts.ts'
import type { EngineHooks } from './store.ts'
import { type Draft, metaOf, openTransaction, type RoomState } from './transaction.ts'

/** The open store's parts. */
export interface StoreState extends RoomState {
  readonly disk: Disk
  readonly log: Log
  readonly hooks: EngineHooks
  readonly codec: Codec
  readonly limits: Pick<JournalLimits, 'textBytes'>
  readonly flusher: Flusher
  readonly generations: Generations
  /** Absent: no other machine has a copy of the file. */
  readonly origin?: FileOrigin | undefined
  tempPath(): string
  fence(): void
  /** Throws once poisoned or closed. */
  assertUsable(): void
  isPoisoned(): boolean
  /** Poisons the store; gives the error for the caller. */
  poison(reason: unknown): SatchelError
}

/** Runs `work` and leaves its transaction open for `append` or `rollback`; what it throws is rolled back here. */
export function transact<T>(
  state: StoreState,
  work: (tx: Tx) => T,
  document?: NewVersion,
): { answer: T; draft: Draft } {
  const { tx, draft, end } = openTransaction(state, document)
  state.ledger.begin()
  try {
    const answer = work(tx)
    if (answer instanceof Promise) throw new Error('The work of a mutation must be synchronous')
    return { answer, draft }
  } catch (thrown) {
    rollback(state)
    throw thrown
  } finally {
    end()
  }
}

/** The texts of a transaction that its record cannot carry and that are not files yet: to be made files before it. */
export function longTexts(state: StoreState, draft: Draft): readonly (readonly [string, string])[] {
  return [...draft.bodies]
    .filter(([sha256, body]) => isLong(state, body) && !state.bodies.has(sha256))
    .map(([sha256, { text }]) => [sha256, text])
}

/**
 * Seals the open transaction, appends its record with the texts that it brings and commits it in memory, or ends it when
 * it changed nothing. Its `longTexts` are durable files already. It is durable after the flush. Errors: rolled back,
 * nothing of it stays on the disk.
 */
export function append(state: StoreState, draft: Draft, materialized: boolean): void {
  const { ledger, bodies, generations, flusher } = state
  if (ledger.steps() === 0 && !draft.document && draft.nextEventId === ledger.meta.nextEventId) {
    rollback(state)
    return
  }
  const record = ledger.seal(metaOf(draft, ledger.meta, materialized), flusher.durable())
  const change = textChange(state, draft)
  const bytes = state.codec.encode(
    generations.journal().generation,
    change ? { ...record, ...change, contentOf: (sha256) => draft.bodies.get(sha256)?.content } : record,
  )
  try {
    if (bytes.length > RECORD_MAX_BYTES) throw tooLarge(bytes.length)
    generations.journal().append(bytes)
  } catch (thrown) {
    rollback(state)
    throw isSatchelError(thrown) ? thrown : state.poison(thrown)
  }
  ledger.commit()
  if (change) bodies.follow(change)
  generations.appended((change?.texts ?? []).filter(([, text]) => text !== null).length)
}

function textChange(state: StoreState, draft: Draft): TextChange | undefined {
  const { bodies, ledger } = state
  if (draft.bodies.size === 0 && draft.drops.length === 0) return undefined
  const texts = [...draft.bodies]
    .filter(([sha256]) => !bodies.has(sha256))
    .map(([sha256, body]) => [sha256, isLong(state, body) ? null : body.text] as const)
  // What is stored and given up by one transaction stays, and so does the newest text under all rules.
  const drops = draft.drops.filter((sha256) => !draft.bodies.has(sha256) && sha256 !== ledger.meta.hash)
  return { ...(texts.length > 0 && { texts }), ...(drops.length > 0 && { drops }) }
}

function isLong({ limits }: StoreState, { content }: StoredText): boolean {
  return content.length > limits.textBytes
}

export function rollback(state: StoreState): void {
  try {
    state.ledger.rollback()
  } catch (thrown) {
    // Memory and journal disagree now: nothing read from here can be trusted.
    throw state.poison(thrown)
  }
}

/** Calls every listener; a failing one does not affect the others. */
export function publish(state: StoreState, draft: Draft): void {
  for (const tell of draft.publish) {
    try {
      tell()
    } catch (thrown) {
      state.log.error('A subscriber of the room failed', { error: String(thrown) })
    }
  }
}

/** What a failed write of a file means for the caller; a failed flush poisons. */
export function writeFailure(state: StoreState, thrown: unknown): unknown {
  if (isSatchelError(thrown)) return thrown
  return isFlushFailure(thrown) ? state.poison(thrown) : storeUnavailable(thrown)
}

function tooLarge(bytes: number): SatchelError {
  return refusals.change_too_large({ details: { limit: RECORD_MAX_BYTES, bytes } })
}
