import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isJsonObject, writeFileDurably } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { IMAGE_NAME } from './recovery.ts'
import type { RoomLockRecord } from './room-lock.ts'

/** What the sidecar of a room in the database says, so that it is not taken for a room in files. */
export interface DatabaseMark {
  /** The name of the room there. */
  readonly room: string
  /** The last owner on this machine, alive or not. */
  readonly owner: RoomLockRecord
}

type Sidecar = { readonly sidecar: string }

const MARK = 'database.json'
const FILE_MODE = 0o600

/** Undefined where the room is in files, or is none. Reads only. */
export function databaseMark({ sidecar }: Sidecar): DatabaseMark | undefined {
  const path = join(sidecar, MARK)
  if (!existsSync(path)) return undefined
  const mark: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return isJsonObject(mark) ? (mark as unknown as DatabaseMark) : undefined // as `markDatabaseRoom` wrote it
}

/** Only for the owner. */
export async function markDatabaseRoom({ sidecar }: Sidecar, mark: DatabaseMark): Promise<void> {
  await writeFileDurably(join(sidecar, MARK), JSON.stringify(mark), { mode: FILE_MODE })
}

/** Errors: `conflict`/`room_in_database`, for a process that would take its files for the room. */
export function refuseDatabaseRoom(sidecar: Sidecar): void {
  const mark = databaseMark(sidecar)
  if (mark) throw refusals.room_in_database({ name: mark.room })
}

/** Errors: `conflict`/`room_in_files`, `conflict`/`room_in_database`. */
export function refuseOtherRoom(place: Sidecar, room: string): void {
  const mark = databaseMark(place)
  if (mark && mark.room !== room) throw refusals.other_database_room({ name: mark.room })
  if (!mark && existsSync(join(place.sidecar, IMAGE_NAME))) {
    throw refusals.room_in_files({ folder: basename(place.sidecar) })
  }
}
