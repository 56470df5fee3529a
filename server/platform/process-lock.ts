import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Disk, type FileFacts, removeQuietly, systemCode } from './disk.ts'
import { temporaryName } from './durable-file.ts'
import {
  diskOf,
  heldNonces,
  highestLock,
  holderAt,
  holderOf,
  isSameFile,
  type LockJudge,
  type LockRecord,
  lockFile,
  lockNames,
  readRecord,
  releasedFile,
} from './lock-file.ts'
import { systemProcesses } from './process-liveness.ts'
import { isAsLeft, keepReleased, type ReleasedLock, releasedHere } from './released-lock.ts'

/** How a lock is taken. Its directory exists. */
export interface LockOptions<Payload = unknown> extends LockJudge<Payload> {
  readonly payload?: Payload
  /** How a release is noted: by an empty file `<path><n>.released`, or by emptying the lock file. */
  readonly released: 'marker' | 'emptied'
  /** Makes `n` grow across power cuts too. */
  readonly durable?: boolean
  /** Renews the time of the file while the lock is held, for processes that cannot judge this one. */
  readonly beatMs?: number
  /** A second name of the lock: where satchel 0.1.0, which knew no generations, looks for its holder. */
  readonly formerPath?: string
  /** On the same file system; absent: the directory of the lock. */
  readonly temporaryFolder?: string
  /** Random bytes in hex. */
  readonly random?: (bytes: number) => string
}

/** A lock that this process holds until `release`. */
export interface ProcessLock<Payload = unknown> {
  readonly record: LockRecord<Payload>
  /** The fence: false once another process took the lock over, or its directory was replaced. Costs two `stat`. */
  holds(): boolean
  /** Idempotent. A release that the disk refuses ends with the process at the latest. */
  release(): Promise<void>
}

/** The outcome of one try to take a lock. */
export type LockAttempt<Payload = unknown> =
  | { readonly kind: 'owner'; readonly lock: ProcessLock<Payload> }
  | { readonly kind: 'held'; readonly record: LockRecord<Payload> }
  /** Another process was faster: try again. */
  | { readonly kind: 'lost' }

const FILE_MODE = 0o600

/**
 * Takes the lock if no process holds it. A stale file is never removed or renamed to take the lock, because two
 * processes could then both succeed: the next number has one winner, since `link` fails if the name exists.
 * Errors: the file system's; those of `isHeld`.
 */
export async function takeLock<P>(options: LockOptions<P>): Promise<LockAttempt<P>> {
  const released = isForgotten(options) ? undefined : releasedHere(options)
  const highest = released?.n ?? (await highestLock(options))
  const holder = released || highest === 0 ? undefined : await holderOf(options, highest)
  if (holder) return { kind: 'held', record: holder }

  const { self } = options.processes ?? systemProcesses
  const nonce = (options.random ?? randomHex)(16)
  const record = { ...self, n: highest + 1, nonce, ...options.payload } as LockRecord<P> // the members are all here
  if (!(await claim(options, record))) return { kind: 'lost' }
  let lock: ProcessLock<P> | undefined
  try {
    lock = holding(options, record)
    if (released && isAsLeft(options, released)) return await succeed(options, lock, released)
    return await settle(options, lock)
  } catch (thrown) {
    heldNonces.delete(nonce)
    await lock?.release()
    throw thrown
  }
}

/** Where more than an emptied file tells that a lock is free, each look is at the whole folder. */
function isForgotten<P>({ released, durable, formerPath }: LockOptions<P>): boolean {
  return released === 'marker' || durable === true || formerPath !== undefined
}

/**
 * After the claim of the number that follows the one that this process released, whose file is there as it was left:
 * numbers are removed in ascending order, so no higher one was ever used, and a listing would tell nothing more.
 */
async function succeed<P>(
  options: LockOptions<P>,
  lock: ProcessLock<P>,
  { n }: ReleasedLock,
): Promise<LockAttempt<P>> {
  await removeQuietly(diskOf(options), lockFile(options, n))
  return { kind: 'owner', lock }
}

/** As `takeLock`, but waits up to `limitMs` while the lock is held, with growing pauses. Gives the last attempt. */
export async function waitForLock<P>(options: LockOptions<P>, limitMs: number): Promise<LockAttempt<P>> {
  const deadline = performance.now() + limitMs
  for (let pauses = 0; ; ) {
    const attempt = await takeLock(options)
    if (attempt.kind === 'owner') return attempt
    // While a generation is held there is no higher one: its own file tells enough and costs less than a listing.
    let isHeld = attempt.kind === 'held'
    do {
      if (performance.now() > deadline) return attempt
      await wait(pauseMs(pauses++, randomBytes(1).readUInt8() / 256))
      isHeld = attempt.kind === 'held' && isHeld && (await isStillHeld(options, attempt.record.n))
    } while (isHeld)
  }
}

const FORMER = 0 // the number of a lock that has none

async function isStillHeld<P>(options: LockOptions<P>, n: number): Promise<boolean> {
  const { formerPath = '' } = options
  return (await (n === FORMER ? holderAt(options, formerPath, n) : holderOf(options, n))) !== undefined
}

const SHORT_PAUSE_MS = 4 // 1 to 5 ms: design handoff-store, section 1
const LONG_PAUSE_MS = 31

/**
 * The back-off after `pauses` earlier pauses: 1 to 5 ms at first, for a lock that is soon free; up to 32 ms later, so
 * that many waiting processes leave the CPU to the holder. `chance`, from 0 up to 1, spreads them.
 */
export function pauseMs(pauses: number, chance: number): number {
  const longest = Math.min(SHORT_PAUSE_MS * 2 ** Math.min(pauses, 10), LONG_PAUSE_MS)
  return 1 + Math.floor(chance * longest)
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Makes name and content appear together; false if another process has the name. */
async function claim<P>(options: LockOptions<P>, record: LockRecord<P>): Promise<boolean> {
  const disk = diskOf(options)
  const temp = temporaryName(options.temporaryFolder ?? dirname(options.path))
  heldNonces.add(record.nonce)
  try {
    // Not flushed, a power cut leaves an empty file or none, and no holder either: each says that the lock is free.
    if (options.durable) await disk.create(temp, JSON.stringify(record), FILE_MODE)
    else disk.appendSync(temp, JSON.stringify(record))
    await linkOrCreate(options, temp, { path: lockFile(options, record.n), record })
    return true
  } catch (thrown) {
    heldNonces.delete(record.nonce)
    const code = systemCode(thrown)
    // ENOENT: the holder removed the temporary file, which it took for a leftover.
    const isLost =
      code === 'EEXIST' || (code === 'ENOENT' && disk.statSync(dirname(options.path)) !== undefined)
    if (isLost) return false
    throw thrown
  } finally {
    await removeQuietly(disk, temp)
  }
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Whether the file system said that it has no hard links. */
export function isWithoutLinks(thrown: unknown): boolean {
  return NO_LINKS.has(systemCode(thrown) ?? '')
}

async function linkOrCreate<P>(
  options: LockOptions<P>,
  from: string,
  to: { readonly path: string; readonly record: LockRecord<P> },
): Promise<void> {
  try {
    await diskOf(options).link(from, to.path)
  } catch (thrown) {
    if (!options.withoutLinks || !isWithoutLinks(thrown)) throw thrown
    await diskOf(options).create(to.path, JSON.stringify(to.record), FILE_MODE)
  }
}

/** After the claim: gives way to a higher generation and to a former holder, else removes the lower generations. */
async function settle<P>(options: LockOptions<P>, lock: ProcessLock<P>): Promise<LockAttempt<P>> {
  const disk = diskOf(options)
  const { n } = lock.record
  const names = await lockNames(options)
  // A process that was suspended may have linked a name that was used and removed long ago: only the highest counts.
  if (names.some((found) => found.n > n)) {
    await removeQuietly(disk, lockFile(options, n))
    await lock.release()
    return { kind: 'lost' }
  }
  if (options.durable) await disk.syncDirectory(dirname(options.path))
  // In ascending order: where `n` is missing, a higher number exists.
  const lower = names.filter((found) => found.n < n).sort((a, b) => a.n - b.n)
  for (const { name } of lower) if (!(await isRemoved(disk, join(dirname(options.path), name)))) break
  const former =
    options.formerPath === undefined ? undefined : await takeFormer(options, options.formerPath, lock)
  if (!former) return { kind: 'owner', lock }
  await lock.release()
  return { kind: 'held', record: former }
}

/** A file that stays keeps those of higher numbers, or its holder would take it for the newest. */
async function isRemoved(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.unlink(path)
    return true
  } catch (thrown) {
    return systemCode(thrown) === 'ENOENT'
  }
}

/** Gives the lock its former name too, in place of a stale file. Gives the holder if satchel 0.1.0 has the lock. */
async function takeFormer<P>(
  options: LockOptions<P>,
  path: string,
  { record }: ProcessLock<P>,
): Promise<LockRecord<P> | undefined> {
  for (;;) {
    const holder = await holderAt(options, path, FORMER)
    if (holder) return holder
    await removeQuietly(diskOf(options), path)
    try {
      await linkOrCreate(options, lockFile(options, record.n), { path, record })
      return undefined
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw thrown
    }
  }
}

/** The lock of a file that was just claimed. */
function holding<P>(options: LockOptions<P>, record: LockRecord<P>): ProcessLock<P> {
  const disk = diskOf(options)
  const path = lockFile(options, record.n)
  // By name alone it could be a lock in a directory that was made again.
  let taken = disk.statSync(path)
  const isOurs = (): boolean => isSameFile(disk.statSync(path), taken)
  const beat = (): void => {
    try {
      if (isOurs()) taken = touch(disk, path)
    } catch {
      // Others see an older file; the lock is held anyway.
    }
  }
  const timer = options.beatMs === undefined ? undefined : setInterval(beat, options.beatMs).unref()
  return {
    record,
    holds: () => isOurs() && disk.statSync(lockFile(options, record.n + 1)) === undefined,
    release: async () => {
      clearInterval(timer)
      heldNonces.delete(record.nonce)
      try {
        if (isOurs()) await noteRelease(options, record)
      } catch (thrown) {
        // Released before, or the directory is missing or full: the end of this process says the same.
        if (systemCode(thrown) === undefined) throw thrown
      }
    },
  }
}

async function noteRelease<P>(options: LockOptions<P>, { n, nonce }: LockRecord<P>): Promise<void> {
  const { formerPath } = options
  const disk = diskOf(options)
  if (formerPath !== undefined && readRecord(options, formerPath, FORMER)?.nonce === nonce)
    await disk.unlink(formerPath)
  if (options.released === 'marker') return await disk.create(releasedFile(options, n), '', FILE_MODE)
  const file = disk.openSync(lockFile(options, n))
  try {
    disk.truncateSync(file, 0)
  } finally {
    disk.closeSync(file)
  }
  if (!isForgotten(options)) keepReleased(options, n)
}

/** Writes what the file holds again, which renews its time. */
function touch(disk: Disk, path: string): FileFacts | undefined {
  const content = disk.readFileSync(path)
  const file = disk.openSync(path)
  try {
    disk.writeSync(file, content, 0)
  } finally {
    disk.closeSync(file)
  }
  return disk.statSync(path)
}
