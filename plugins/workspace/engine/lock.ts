import { join } from 'node:path'
import { SatchelError } from '../../../server/plugin.ts'
import type { Random } from './clock.ts'
import { type Disk, type FileFacts, removeQuietly } from './disk.ts'
import type { Liveness, ProcessIdentity } from './liveness.ts'

/** A listener (`workspace open`, `serve`) outranks a stdio process and may ask it to yield. */
export type Rank = 'listener' | 'stdio'

/** The content of `lock-<n>`: who owns the room, and how to reach and to judge it. */
export interface LockRecord extends ProcessIdentity {
  readonly n: number
  readonly nonce: string
  readonly rank: Rank
  /** Where this owner listens, or will. */
  readonly socket: string
  /** Device and inode of the sidecar: a copy of it, or another one in its place, is not what this owner has. Absent in older records. */
  readonly place?: string | undefined
}

/** The ownership of a room. Owned by who took it; `release` ends it. */
export interface Lock {
  readonly record: LockRecord
  /** The fence: false as soon as anybody took the room over, or the sidecar is no longer where it was. Two stats. */
  holds(): boolean
  release(): Promise<void>
}

export type LockAttempt =
  | { readonly kind: 'owner'; readonly lock: Lock }
  | { readonly kind: 'held'; readonly record: LockRecord }
  /** Somebody else was faster: look again. */
  | { readonly kind: 'lost' }

export interface LockOptions {
  readonly disk: Disk
  readonly random: Random
  readonly sidecar: string
  readonly self: ProcessIdentity
  readonly rank: Rank
  readonly socket: string
  /** A person decided that the owner on another host is gone. */
  readonly takeOver?: boolean
  liveness(record: LockRecord): Promise<Liveness>
}

const LOCK_NAME = /^lock-(\d{1,15})$/
const FILE_MODE = 0o600

/**
 * Takes the room if its owner is gone. `n` only grows and the highest file is never removed, so no take-over races on
 * a name. Errors: `conflict`/`room_locked` when the owner is on another host and cannot be judged from here.
 */
export async function takeLock(options: LockOptions): Promise<LockAttempt> {
  const { disk, sidecar } = options
  const highest = highestLock(await disk.list(sidecar))
  const held = highest === 0 ? undefined : await liveOwner(options, highest)
  if (held) return { kind: 'held', record: held }

  const record: LockRecord = {
    ...options.self,
    n: highest + 1,
    nonce: options.random(16),
    rank: options.rank,
    socket: options.socket,
    place: disk.stat(sidecar)?.inode,
  }
  if (!(await claim(options, record))) return { kind: 'lost' }
  // A sleeper may have linked a name that was in use and freed long ago: only the highest counts.
  if (highestLock(await disk.list(sidecar)) > record.n) {
    await removeQuietly(disk, lockPath(sidecar, record.n))
    return { kind: 'lost' }
  }
  // Durable, so that after a power cut `n` still grows and no generation of journals is counted twice.
  await disk.syncDirectory(sidecar)
  await removeLower(disk, sidecar, record.n)
  return { kind: 'owner', lock: lockOf(disk, sidecar, record) }
}

/** The record of the newest lock that was not released, alive or not; undefined when there is none. Reads only. */
export async function newestLock(disk: Disk, sidecar: string): Promise<LockRecord | undefined> {
  if (!disk.stat(sidecar)) return undefined
  const highest = highestLock(await disk.list(sidecar))
  if (highest === 0 || disk.stat(releasedPath(sidecar, highest))) return undefined
  return readRecord(disk, sidecar, highest)
}

async function liveOwner(options: LockOptions, n: number): Promise<LockRecord | undefined> {
  const { disk, sidecar } = options
  if (disk.stat(releasedPath(sidecar, n))) return undefined
  const record = readRecord(disk, sidecar, n)
  if (!record || isOfAnotherSidecar(options, record)) return undefined
  const liveness = await options.liveness(record)
  if (liveness === 'unknown' && !options.takeOver) {
    throw new SatchelError(
      'conflict',
      'room_locked',
      'The room is owned by a process on another host that cannot be reached. If it is gone for certain, a person can run `satchel workspace open --take-over`.',
      { details: { host: record.host, pid: record.pid } },
    )
  }
  return liveness === 'alive' ? record : undefined
}

/**
 * True when the record came here in a copy of the sidecar: its owner has the original. Only where numbers of devices mean
 * the same to both; elsewhere the owner itself is asked.
 */
function isOfAnotherSidecar({ disk, sidecar, self }: LockOptions, record: LockRecord): boolean {
  if (record.place === undefined || self.boot_id === undefined) return false
  if (record.boot_id !== self.boot_id || record.pidns !== self.pidns) return false
  return record.place !== disk.stat(sidecar)?.inode
}

/** `link` makes name and content appear together, or fails because somebody else has the name. */
async function claim({ disk, sidecar }: LockOptions, record: LockRecord): Promise<boolean> {
  const temp = join(sidecar, `.tmp-lock-${record.nonce}`)
  try {
    await disk.create(temp, JSON.stringify(record), FILE_MODE)
    await disk.link(temp, lockPath(sidecar, record.n))
    return true
  } catch (thrown) {
    // ENOENT: a new owner cleaned up our temporary file.
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOENT') return false
    throw thrown
  } finally {
    await removeQuietly(disk, temp)
  }
}

async function removeLower(disk: Disk, sidecar: string, n: number): Promise<void> {
  const lower = (await disk.list(sidecar))
    .flatMap((name) => /^lock-(\d{1,15})(\.released)?$/.exec(name)?.slice(0, 2).join(' ') ?? [])
    .map((found) => found.split(' '))
    .filter(([, number]) => Number(number) < n)
    .sort((a, b) => Number(a[1]) - Number(b[1]))
  for (const [name] of lower) await removeQuietly(disk, join(sidecar, name ?? ''))
}

function lockOf(disk: Disk, sidecar: string, record: LockRecord): Lock {
  const path = lockPath(sidecar, record.n)
  const taken = disk.stat(path)
  // By name alone it could be the lock of a room that was begun anew in the place of a sidecar that went away.
  const isOurs = (): boolean => isSameFile(disk.stat(path), taken)
  return {
    record,
    holds: () => isOurs() && disk.stat(lockPath(sidecar, record.n + 1)) === undefined,
    release: async () => {
      if (!isOurs()) return
      try {
        await disk.create(releasedPath(sidecar, record.n), '', FILE_MODE)
      } catch (thrown) {
        // Released before, or the sidecar is gone or full: then our death says the same.
        if ((thrown as NodeJS.ErrnoException).code === undefined) throw thrown
      }
    },
  }
}

/** The number of a file that is gone is soon used again, so its time counts too: nobody writes to a lock. */
function isSameFile(a: FileFacts | undefined, b: FileFacts | undefined): boolean {
  return a !== undefined && a.inode === b?.inode && a.modifiedMs === b.modifiedMs
}

function readRecord(disk: Disk, sidecar: string, n: number): LockRecord | undefined {
  try {
    return JSON.parse(disk.read(lockPath(sidecar, n)).toString('utf8')) as LockRecord
  } catch {
    // Gone since the listing, or emptied by a power cut: nobody who runs wrote this.
    return undefined
  }
}

function highestLock(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0)))
}

/** Where the lock number `n` of this sidecar is, or would be. */
export function lockPath(sidecar: string, n: number): string {
  return join(sidecar, `lock-${n}`)
}

function releasedPath(sidecar: string, n: number): string {
  return join(sidecar, `lock-${n}.released`)
}
