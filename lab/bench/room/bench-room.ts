import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JOURNAL_LIMITS, type JournalLimits } from '../../../plugins/workspace/engine/generations.ts'
import { openRoom, type Room, roomPlace } from '../../../plugins/workspace/engine/open-room.ts'
import { type Surroundings, systemSurroundings } from '../../../plugins/workspace/engine/room-lock.ts'
import { addNote, commitText, modelContent, silentLog } from '../../../plugins/workspace/testing/model.ts'

// The measured journal is the whole one.
const NO_CHECKPOINT: JournalLimits = {
  ...JOURNAL_LIMITS,
  idleBytes: Number.POSITIVE_INFINITY,
  forceBytes: Number.POSITIVE_INFINITY,
  idleTexts: Number.POSITIVE_INFINITY,
  forceTexts: Number.POSITIVE_INFINITY,
}

/** A room in a folder of its own, with the rows that durability is about. Owned by the bench that opened it. */
export interface BenchRoom {
  readonly directory: string
  /** Adds a row, its event, the trim and the meta row. */
  mutate(): Promise<void>
  commit(text: string): Promise<void>
  /** One mutation with a text of this size. */
  add(bytes: number): Promise<void>
  /** Rows of this many bytes in all, then a clean stop and a fresh start. */
  grow(bytes: number): Promise<void>
  /** Leaves as a killed process does, then opens again; milliseconds of the opening. */
  dieAndReopen(): Promise<number>
  close(): Promise<void>
}

const ROW_BYTES = 256 * 1024
const NOTE = 'a summary of ordinary length, as people and agents write it'.padEnd(200, '.')

/** `limits`: when its journal becomes a checkpoint; absent: never. */
export async function openBenchRoom(
  directory: string | undefined,
  wasm: string,
  limits: JournalLimits = NO_CHECKPOINT,
): Promise<BenchRoom> {
  const folder = await realpath(await mkdtemp(join(directory ?? tmpdir(), 'satchel-bench-')))
  const file = join(folder, 'plan.md')
  await writeFile(file, '# Plan\n')
  let dead = false
  let notes = 0
  const open = async (): Promise<Room> => {
    const attempt = await openRoom({
      place: roomPlace(file, {}),
      content: modelContent,
      log: silentLog,
      rank: 'listener',
      wasm,
      // To this machine the process that died was another one.
      seams: { limits, ...(dead && { surroundings: afterDeath() }) },
    })
    if (attempt.kind !== 'owner') throw new Error(`The bench's own room is ${attempt.kind}`)
    return attempt.room
  }
  let room = await open()
  const add = (text: string): Promise<unknown> => room.store.mutate((tx) => addNote(tx, ++notes, text))
  return {
    directory: folder,
    mutate: async () => {
      await add(NOTE)
    },
    add: async (bytes) => {
      await add('x'.repeat(bytes))
    },
    commit: async (text) => {
      await room.store.mutate((tx) => commitText(tx, text))
    },
    grow: async (bytes) => {
      for (let left = bytes; left > 0; left -= ROW_BYTES) await add('x'.repeat(Math.min(left, ROW_BYTES)))
      await room.close()
      room = await open()
    },
    dieAndReopen: async () => {
      dead = true
      const started = performance.now()
      room = await open()
      return performance.now() - started
    },
    close: async () => {
      await room.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function afterDeath(): Surroundings {
  return { ...systemSurroundings, isRunning: () => false }
}
