import { connect } from 'node:net'
import { join } from 'node:path'
import {
  type Disk,
  type LockAttempt,
  type LockFiles,
  type LockRecord,
  newestLock,
  type Processes,
  type ProcessLock,
  type SatchelError,
  systemProcesses,
  takeLock,
} from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Clock, Random } from './clock.ts'

/** A listener (`workspace open`, `serve`) outranks a stdio process and may ask it to yield. */
export type Rank = 'listener' | 'stdio'

/** What `lock-<n>` says besides the process: how to reach and to judge the owner. */
interface RoomOwner {
  readonly rank: Rank
  /** Where this owner listens, or will. */
  readonly socket: string
  /** Device and inode of the sidecar: another directory in its place is not what this owner has. Absent in older records. */
  readonly place?: string | undefined
}

export type RoomLockRecord = LockRecord<RoomOwner>

/** The ownership of a room; `release` ends it. */
export type RoomLock = ProcessLock<RoomOwner>

/** What this process can find out about others. Injected, so that reboots and containers can be simulated. */
export interface Surroundings extends Processes {
  /** Whether a process accepts connections on this socket. */
  accepts(socket: string): Promise<boolean>
}

export interface RoomLockOptions {
  readonly disk: Disk
  readonly clock: Clock
  readonly random: Random
  readonly sidecar: string
  readonly surroundings: Surroundings
  readonly rank: Rank
  readonly socket: string
  /** A person decided that the owner on another host has ended. */
  readonly takeOver?: boolean | undefined
}

const SILENT_MS = 5_000 // design workspace-engine 3: another pid namespace, or no /proc
const PROBE_PAUSE_MS = 250

/**
 * Takes the room if its owner has ended; waits up to 5 s where only the owner's socket can tell.
 * Errors: `conflict`/`room_locked` if the owner is on another host and does not answer.
 */
export function takeRoomLock(options: RoomLockOptions): Promise<LockAttempt<RoomOwner>> {
  const { disk, random, sidecar, surroundings } = options
  return takeLock<RoomOwner>({
    ...roomLockFiles(disk, sidecar),
    payload: { rank: options.rank, socket: options.socket, place: disk.statSync(sidecar)?.inode },
    released: 'marker',
    durable: true, // no generation of journals may be counted twice
    random,
    processes: surroundings,
    isHeld: async (record, { liveness }) => {
      if (isOfAnotherSidecar(options, record)) return false
      if (await surroundings.accepts(record.socket)) return true
      if (liveness === 'hidden') return answersWithin(options, record.socket)
      if (liveness === 'remote' && !options.takeOver) throw roomLocked(record)
      return liveness === 'alive'
    },
  })
}

/** The record of the newest lock that was not released, whether its process lives or not. Reads only. */
export function newestRoomLock(disk: Disk, sidecar: string): Promise<RoomLockRecord | undefined> {
  return newestLock<RoomOwner>(roomLockFiles(disk, sidecar))
}

function roomLockFiles(disk: Disk, sidecar: string): LockFiles {
  const isPayload = (record: object): boolean => 'socket' in record && typeof record.socket === 'string'
  return { disk, path: join(sidecar, 'lock-'), isPayload }
}

/**
 * True if the record came here in a copy of the sidecar: its owner has the original. Only where device numbers mean
 * the same to both; elsewhere the owner itself is asked.
 */
function isOfAnotherSidecar(
  { disk, sidecar, surroundings }: RoomLockOptions,
  record: RoomLockRecord,
): boolean {
  const { boot_id, pidns } = surroundings.self
  if (record.place === undefined || boot_id === undefined) return false
  if (record.boot_id !== boot_id || record.pidns !== pidns) return false
  return record.place !== disk.statSync(sidecar)?.inode
}

async function answersWithin({ clock, surroundings }: RoomLockOptions, socket: string): Promise<boolean> {
  const deadline = clock.elapsedMs() + SILENT_MS
  while (clock.elapsedMs() < deadline) {
    await clock.pause(PROBE_PAUSE_MS)
    if (await surroundings.accepts(socket)) return true
  }
  return false
}

function roomLocked({ host, pid }: RoomLockRecord): SatchelError {
  return refusals.owner_unreachable({ details: { host, pid } })
}

/** The processes and sockets of this machine. */
export const systemSurroundings: Surroundings = {
  get self() {
    return systemProcesses.self
  },
  isRunning: systemProcesses.isRunning,
  start: systemProcesses.start,
  accepts,
}

const CONNECT_MS = 1_000

function accepts(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    const answer = (accepted: boolean): void => {
      connection.destroy()
      resolve(accepted)
    }
    connection.setTimeout(CONNECT_MS, () => answer(false))
    connection.once('connect', () => answer(true))
    connection.once('error', () => answer(false))
  })
}
