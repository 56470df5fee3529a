import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { type Database, type Host, isJsonObject, type SatchelError } from '../../../server/plugin.ts'
import { databaseMark } from '../engine/database-mark.ts'
import { roomRows } from '../engine/database-rows.ts'
import type { RoomPlace } from '../engine/open-room.ts'
import { refusals } from '../reasons.ts'

/** Where a room of the database is. */
export interface DatabaseRoom {
  readonly database: Database
  readonly name: string
}

/**
 * The room of a file in the database: of the project with this name there, or as the sidecar says; undefined: it is kept in
 * files. Errors: `conflict`/`room_in_database` without a database, or when it belongs to another project.
 */
export function databaseRoom(
  { database, projectRoot }: Pick<Host, 'database' | 'projectRoot'>,
  place: RoomPlace,
  project: string | undefined,
): DatabaseRoom | undefined {
  const known = databaseMark(place)?.room
  if (known === undefined && project === undefined) return undefined
  const name = known ?? `${project}:${pathBelow(projectRoot, place)}`
  if (project !== undefined && !name.startsWith(`${project}:`)) throw refusals.other_database_room({ name })
  if (!database) throw refusals.room_in_database({ name })
  return { database, name }
}

/**
 * Where the room of a file that has no owner here is open, by the database, as the refusal of what needs its owner; undefined
 * where the database does not keep it. Errors: those of `databaseRoom` and of the database.
 */
export async function ownedElsewhere(
  host: Pick<Host, 'database' | 'projectRoot'>,
  place: RoomPlace,
  project: string | undefined,
): Promise<SatchelError | undefined> {
  const room = host.database && databaseRoom(host, place, project)
  if (!room) return undefined
  const { name } = room
  const { holder, announced } = await roomRows(room.database, name).ownership()
  if (holder === undefined) return databaseMark(place) && refusals.database_room_closed({ name })
  const record: unknown = JSON.parse(holder)
  const at = isJsonObject(record) ? String(record['host']) : 'another host'
  return refusals.room_open_at({ name, host: at, address: announced?.url ?? 'which announces no address' })
}

function pathBelow(root: string, { file }: RoomPlace): string {
  return relative(realpathSync(root), file).split(sep).join('/')
}
