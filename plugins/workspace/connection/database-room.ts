import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Database, Host } from '../../../server/plugin.ts'
import { databaseMark } from '../engine/database-mark.ts'
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

function pathBelow(root: string, { file }: RoomPlace): string {
  return relative(realpathSync(root), file).split(sep).join('/')
}
