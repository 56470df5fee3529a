import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  type Disk,
  ignoreFolder,
  isSatchelError,
  type Log,
  realDisk,
  removeTree,
} from '../../../server/plugin.ts'
import type { Rows } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { newestTextOf, openBodies } from './bodies.ts'
import { type Clock, type Random, realClock, realRandom } from './clock.ts'
import { databaseMark, refuseDatabaseRoom } from './database-mark.ts'
import { documentIn } from './document-commit.ts'
import type { JournalLimits } from './generations.ts'
import { storeUnavailable } from './journal.ts'
import { openMarkdownFile } from './markdown-file.ts'
import type { Meter } from './meter.ts'
import { recover, type TornTail } from './recovery.ts'
import type { HeldRoom } from './room-lease.ts'
import {
  newestRoomLock,
  type Rank,
  type RoomLock,
  type RoomLockRecord,
  type Surroundings,
  systemSurroundings,
  takeRoomLock,
} from './room-lock.ts'
import { openStore, type StoreOptions } from './room-store.ts'
import { prepareSocket, socketPath } from './socket-path.ts'
import type { Sql } from './sql.ts'
import type { Found, Store, StoreContent } from './store.ts'
import { openRows } from './transaction.ts'
import { watchFile } from './watcher.ts'

const GUARD_MS = 2_000 // as often as the file is looked at

/** Where a room lies. All paths are real: symbolic links are resolved first. */
export interface RoomPlace {
  readonly file: string
  readonly sidecar: string
  readonly socket: string
}

export interface RoomOptions {
  readonly place: RoomPlace
  readonly content: StoreContent
  readonly log: Log
  readonly rank: Rank
  readonly takeOver?: boolean
  /** Removes the sidecar at the clean stop. */
  readonly ephemeral?: boolean
  /** The path of `sql-wasm.wasm`. */
  readonly wasm: string
  readonly meter?: Meter
  readonly seams?: RoomSeams
}

/** What tests replace; the real ones by default. */
export interface RoomSeams {
  readonly disk?: Disk
  readonly clock?: Clock
  readonly random?: Random
  readonly surroundings?: Surroundings
  readonly limits?: JournalLimits
}

/** An open room. Owned by the caller that opened it. */
export interface Room {
  readonly store: Store
  readonly lock: RoomLock
  readonly place: RoomPlace
  /** Stops watching, closes the store, releases the lock. Idempotent. */
  close(): Promise<void>
}

export type RoomAttempt =
  | { readonly kind: 'owner'; readonly room: Room }
  /** A live process owns it: connect to `record.socket`, or to what it announced. */
  | HeldRoom
  /** Another process was faster: try again. */
  | { readonly kind: 'lost' }

/** Resolves the file of a room, which may be missing while its folder is there. */
export function roomPlace(path: string, env: Readonly<Record<string, string | undefined>>): RoomPlace {
  const file = realFile(path)
  const sidecar = join(dirname(file), `.${basename(file)}.satchel`)
  const place = {
    platform: process.platform,
    runtimeDir: env['XDG_RUNTIME_DIR'],
    uid: process.getuid?.() ?? 0,
  }
  return { file, sidecar, socket: socketPath(sidecar, file, place) }
}

/**
 * Takes the room and recovers it, or says who has it. The caller listens on `place.socket` next: an old socket
 * is removed. Errors: those of `takeLock` and `openStore`, `unavailable`/`store_unavailable`; then the lock is released.
 */
export function openRoom(options: RoomOptions): Promise<RoomAttempt> {
  return inOwnWords(() => attemptRoom(options))
}

/** What the system refuses to the opening of a room. Errors: those of `work`, `unavailable`/`store_unavailable`. */
export async function inOwnWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    // A folder that cannot be written to, a full disk: the system's own words do not help.
    const isSystem = thrown instanceof Error && !isSatchelError(thrown) && 'syscall' in thrown
    throw isSystem ? storeUnavailable(thrown) : thrown
  }
}

async function attemptRoom(options: RoomOptions): Promise<RoomAttempt> {
  const { place } = options
  const { disk = realDisk, clock = realClock, random = realRandom } = options.seams ?? {}
  refuseDatabaseRoom(place)
  if (!disk.statSync(place.sidecar)) {
    // Refused now, a first opening leaves no folder behind.
    const markdown = openMarkdownFile(disk, clock, place.file)
    documentIn(markdown, markdown.look())
  }
  await ensureSidecar(disk, place.sidecar)
  const attempt = await takeRoomLock({
    disk,
    clock,
    random,
    sidecar: place.sidecar,
    surroundings: options.seams?.surroundings ?? systemSurroundings,
    rank: options.rank,
    socket: place.socket,
    takeOver: options.takeOver,
  })
  if (attempt.kind !== 'owner') return attempt
  const owned = await ownedRoom(options, attempt.lock, async () => {
    const uid = process.getuid?.() ?? 0
    prepareSocket(place.socket, place.sidecar, { platform: process.platform, runtimeDir: undefined, uid })
    return {}
  })
  await hideFromGit(disk, place.sidecar)
  return owned
}

/**
 * The room behind a lock that was just taken; the lock is released where the room cannot be opened. `prepare` says where
 * the journal is, if not in the sidecar.
 */
export async function ownedRoom(
  options: RoomOptions,
  lock: RoomLock,
  prepare: () => Promise<Pick<StoreOptions, 'medium'>>,
): Promise<RoomAttempt> {
  const { place, log } = options
  const { disk = realDisk, clock = realClock, random = realRandom } = options.seams ?? {}
  try {
    const store = await openStore({
      ...(await prepare()),
      ...place,
      content: options.content,
      sql: await loadedSql(options.wasm),
      disk,
      clock,
      random,
      log,
      owner: lock.record.n,
      holdsLock: lock.holds,
      ...(options.meter && { meter: options.meter }),
      ...(options.seams?.limits && { limits: options.seams.limits }),
    })
    return { kind: 'owner', room: roomOf(options, { store, lock, disk, clock }) }
  } catch (thrown) {
    await lock.release()
    throw thrown
  }
}

/** The record of a room's last owner, alive or not; undefined when it was left cleanly. Reads only. */
export async function lastOwner(place: RoomPlace): Promise<RoomLockRecord | undefined> {
  return databaseMark(place)?.owner ?? newestRoomLock(realDisk, place.sidecar)
}

/** A room without an owner, recovered into memory; no byte on the disk changes. */
export interface Inspection {
  readonly found: Found
  readonly torn: TornTail | undefined
  read<T>(work: (rows: Rows) => T): T
  close(): void
}

/** Errors: `not_found`/`room_not_found` when none was ever opened here; those of `recover`. */
export async function inspectRoom(
  place: RoomPlace,
  content: StoreContent,
  wasm: string,
): Promise<Inspection> {
  refuseDatabaseRoom(place)
  const { ledger, texts, found, torn, created } = await recover(
    realDisk,
    place.sidecar,
    await loadedSql(wasm),
    content,
  )
  if (created) {
    ledger.close()
    throw refusals.room_not_found({ file: place.file })
  }
  const never = (): never => {
    throw new Error('An inspection writes nothing')
  }
  const bodies = openBodies({ disk: realDisk, sidecar: place.sidecar, texts, tempPath: never, fence: never })
  const markdown = openMarkdownFile(realDisk, realClock, place.file)
  const seen = markdown.look()
  // The last owner may have ended before a record said so.
  if (seen.kind === 'text' && seen.hash === ledger.meta.hash) ledger.note({ materialized: true })
  const newestText = newestTextOf(ledger, bodies)
  return {
    found,
    torn,
    read: (work) => {
      const { rows, end } = openRows({ ledger, bodies, markdown, newestText })
      try {
        return work(rows)
      } finally {
        end()
      }
    },
    close: () => ledger.close(),
  }
}

/** The open room of a store and what holds it. */
function roomOf(
  { place, log, ephemeral }: Pick<RoomOptions, 'place' | 'log' | 'ephemeral'>,
  parts: { store: Store; lock: RoomLock; disk: Disk; clock: Clock },
): Room {
  const { store, lock } = parts
  const stopWatching = watchFile(parts.disk, parts.clock, place.file, keptLook(store, log))
  const stopGuarding = guardLock(parts)
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    stopWatching()
    stopGuarding()
    await store.close()
    const poisoned = store.poisoned.aborted
    if (ephemeral && !poisoned && lock.holds()) await removeTree(place.sidecar)
    else await lock.release()
  }
  return {
    store,
    lock,
    place,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** A look that rejects while an edit could not be kept; a row of failures is logged once. */
function keptLook(store: Store, log: Log): () => Promise<void> {
  let hasFailed = false
  return async () => {
    try {
      await store.look()
      hasFailed = false
    } catch (thrown) {
      if (store.poisoned.aborted) return // for good
      if (!hasFailed) log.warn('The file could not be looked at', { error: String(thrown) })
      hasFailed = true
      throw thrown
    }
  }
}

/**
 * Polls, so that an idle store notices that its lock was removed: then a process that waits for the room, also at the new
 * place of a moved folder, sees this one release it. Returns the function that stops the polling.
 */
function guardLock({ store, lock, clock }: { store: Store; lock: RoomLock; clock: Clock }): () => void {
  let cancel = (): void => {}
  const holds = (): boolean => {
    try {
      return lock.holds()
    } catch {
      return false // a folder that cannot be looked into: the store finds the same
    }
  }
  const look = (): void => {
    if (holds()) cancel = clock.after(GUARD_MS, look)
    else store.look().catch(() => {}) // refused, which is what poisons it
  }
  cancel = clock.after(GUARD_MS, look)
  return () => cancel()
}

/** Makes the folder of a room durably where there is none. */
export async function ensureSidecar(disk: Disk, sidecar: string): Promise<void> {
  if (disk.statSync(sidecar)) return
  try {
    await disk.mkdir(sidecar, 0o700)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  }
  await disk.syncDirectory(dirname(sidecar))
}

/** Hides the folder of a room from git where possible. Only its owner does: what another holds stays as it is. */
export async function hideFromGit(disk: Disk, sidecar: string): Promise<void> {
  try {
    await ignoreFolder(sidecar, { disk, mode: 0o600 })
  } catch {
    // A full disk or a lost lock: what follows is refused too, and says why.
  }
}

function realFile(path: string): string {
  try {
    return realpathSync(path)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
    // A link to nothing is the room of the file that it names: that may be missing for a moment.
    return link === undefined
      ? join(realpathSync(dirname(path)), basename(path))
      : realFile(resolve(realpathSync(dirname(path)), link))
  }
}

let loading: { readonly wasm: string; readonly sql: Promise<Sql> } | undefined

/** Compiled once a process; nothing of it is loaded before the first room. */
function loadedSql(wasm: string): Promise<Sql> {
  if (loading?.wasm !== wasm) {
    const sql = import('./sql.lazy.ts').then(({ loadSql }) => loadSql(readFileSync(wasm)))
    loading = { wasm, sql }
  }
  return loading.sql
}
