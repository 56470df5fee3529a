import { existsSync } from 'node:fs'
import type { Host } from '../../../server/plugin.ts'
import { analyzed, createAnalyst } from '../analysis/analyst.ts'
import { realWorld } from '../connection/clock.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import type { Analysis } from '../domain/analysis.ts'
import type { Rows } from '../domain/rows.ts'
import { inspectRoom, type RoomPlace } from '../engine/open-room.ts'
import { refusals } from '../reasons.ts'
import { storeContent } from '../room/room.ts'
import { namedPlace, runningOwner, type Target, withLook } from './target.ts'

/** What can be seen of a room that no process has open. */
export interface StoppedRoom {
  readonly rows: Rows
  readonly place: RoomPlace
  readonly analysis: Analysis
}

/** One look at a room, wherever it is. */
export interface Looks<T> {
  running(target: Target): Promise<T>
  stopped(room: StoppedRoom): T
}

/** Asks the running owner; without one, reads the room's files. Creates no session and changes no byte. */
export async function looked<T>(
  host: Host,
  room: RoomProcess,
  file: string | undefined,
  looks: Looks<T>,
): Promise<T> {
  const place = namedPlace(room, file)
  if (!place || (await runningOwner(place))) return withLook(host, room, file, looks.running)
  const elsewhere = await room.elsewhere()
  if (elsewhere) throw elsewhere
  return inspected(host, place, looks.stopped)
}

/** Reads the files of a room that is not open. Errors: `not_found`/`room_not_found`; those of recovering it. */
export async function inspected<T>(host: Host, place: RoomPlace, look: Looks<T>['stopped']): Promise<T> {
  const analyst = createAnalyst() // starts a thread for long texts only
  try {
    const content = storeContent({
      ...realWorld,
      settings: { staleness: 'section', endpoints: () => [] },
      analyst,
      path: place.file,
      name: '',
      publish: () => {},
      substrateChanged: () => {},
    })
    if (!existsSync(place.sidecar)) throw refusals.room_not_found({ file: place.file })
    const inspection = await inspectRoom(place, content, host.assetPath('sql-wasm.wasm'))
    try {
      return await analyzed(analyst, async (analysis) =>
        inspection.read((rows) => look({ rows, place, analysis })),
      )
    } finally {
      inspection.close()
    }
  } finally {
    await analyst.end()
  }
}
