import { type Database, realDisk, systemProcesses } from '../../../server/plugin.ts'
import { realClock } from './clock.ts'
import { markDatabaseRoom, refuseOtherRoom } from './database-mark.ts'
import { databaseMedium } from './database-medium.ts'
import { type Announcement, roomRows } from './database-rows.ts'
import {
  ensureSidecar,
  hideFromGit,
  inOwnWords,
  ownedRoom,
  type RoomAttempt,
  type RoomOptions,
} from './open-room.ts'
import { takeLease } from './room-lease.ts'
import { prepareSocket, socketPath } from './socket-path.ts'

/** A room whose journal is in the database of `storage.url`. */
export interface DatabaseRoomOptions extends Omit<RoomOptions, 'takeOver' | 'ephemeral'> {
  readonly database: Database
  /** The same on every machine. */
  readonly name: string
  readonly runtimeDir: string | undefined
  /** Absent: the other servers of the database do not reach this one. */
  readonly announced?: Announcement | undefined
  /** Absent: 8 s. */
  readonly leaseMs?: number
}

/**
 * Takes the room and recovers it, or says who has it. The sidecar keeps no state of the room: only its name, the socket
 * and files that are being written. Errors: those of the database and of `openRoom`, `conflict`/`room_in_files`.
 */
export function openDatabaseRoom(options: DatabaseRoomOptions): Promise<RoomAttempt> {
  return inOwnWords(() => attemptRoom(options))
}

async function attemptRoom(options: DatabaseRoomOptions): Promise<RoomAttempt> {
  const { place, database, name, log, leaseMs } = options
  const { disk = realDisk, clock = realClock } = options.seams ?? {}
  refuseOtherRoom(place, name)
  await ensureSidecar(disk, place.sidecar)
  const rows = roomRows(database, name)
  const uid = process.getuid?.() ?? 0
  const at = { platform: process.platform, runtimeDir: options.runtimeDir, uid }
  const attempt = await takeLease({
    rows,
    clock,
    leaseMs,
    announced: options.announced,
    self: systemProcesses.self,
    rank: options.rank,
    socketOf: (n) => socketPath(place.sidecar, place.file, { ...at, owner: n }),
    place: disk.statSync(place.sidecar)?.inode,
  })
  if (attempt.kind !== 'owner') return attempt
  const { lease } = attempt
  const { socket } = lease.record
  return ownedRoom({ ...options, place: { ...place, socket } }, lease, async () => {
    await hideFromGit(disk, place.sidecar)
    await markDatabaseRoom(place, { room: name, owner: lease.record })
    prepareSocket(socket, place.sidecar, at)
    return { medium: databaseMedium({ rows, lease, clock, log }) }
  })
}
