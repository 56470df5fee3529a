import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { openRoom, type Room, type RoomOptions, type RoomSeams, roomPlace } from '../engine/open-room.ts'
import { modelContent } from './model.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
export const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')

/** A plan in a folder of its own, which is removed after the test. */
export function plan(t: TestContext, text = '# Plan\n'): string {
  const file = join(temporaryFolderSync(t), 'plan.md')
  writeFileSync(file, text)
  return file
}

export function optionsFor(file: string, seams: RoomSeams = {}): RoomOptions {
  return { place: roomPlace(file, {}), content: modelContent, log, rank: 'stdio', wasm, seams }
}

/** Opens a room that nothing else owns; closed after the test. */
export async function own(t: TestContext, options: RoomOptions): Promise<Room> {
  const attempt = await openRoom(options)
  if (attempt.kind !== 'owner') throw new Error('the room is free')
  t.after(() => attempt.room.close())
  return attempt.room
}
