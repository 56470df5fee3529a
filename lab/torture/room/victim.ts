import { renameSync, writeFileSync, writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { Tx } from '../../../plugins/workspace/domain/rows.ts'
import { sha256Of } from '../../../plugins/workspace/engine/bodies.ts'
import type { JournalLimits } from '../../../plugins/workspace/engine/generations.ts'
import { openRoom, type Room, roomPlace } from '../../../plugins/workspace/engine/open-room.ts'
import type { Store } from '../../../plugins/workspace/engine/store.ts'
import {
  addDraft,
  addNote,
  commitText,
  draftName,
  lostTexts,
  modelContentWith,
  noteName,
  pruneTexts,
  silentLog,
  versionName,
} from '../../../plugins/workspace/testing/model.ts'
import { type Chance, createChance } from '../chance.ts'

/** A process that works in a room, says on stdout what it does, and waits to be killed. */
export interface VictimOptions {
  /** The Markdown file. */
  readonly file: string
  readonly seed: number
  readonly wasm: string
}

// A checkpoint every 64 KiB, so that kills land inside them (design workspace-engine 6).
export const VICTIM_LIMITS: JournalLimits = {
  preallocateBytes: 64 * 1024,
  idleBytes: 32 * 1024,
  idleMs: 5,
  forceBytes: 64 * 1024,
  textBytes: 8 * 1024,
  idleTexts: 8,
  forceTexts: 16,
}
const CLIENTS = 4
const WAIT_MS = 20
const FIRST_NOTE = 1_000_000
const STDOUT = 1
const KEPT_TEXTS = 8
const USUAL_TEXTS = 6

/**
 * Waits for the room, then works until it is killed. Lines on stdout, each written before the disk can know:
 * `T us|editor <sha256>` a text, `I <event> <change>` a change that runs, `E <event> <change>` a change that is published,
 * `A <event> <change>` an answer.
 */
export async function work({ file, seed, wasm }: VictimOptions): Promise<never> {
  const place = roomPlace(file, {})
  const content = modelContentWith((tx, { version, hash }) => {
    say(`I ${tx.latestEventId} ${versionName(version, hash)}`)
  })
  const room = await wait(() =>
    openRoom({ place, content, log: silentLog, rank: 'stdio', wasm, seams: { limits: VICTIM_LIMITS } }),
  )
  for (let client = 0; client < CLIENTS; client += 1) void keepWorking(room, createChance(seed * 31 + client))
  return new Promise(() => setInterval(() => {}, 60_000))
}

async function wait(open: () => ReturnType<typeof openRoom>): Promise<Room> {
  for (;;) {
    const attempt = await open()
    if (attempt.kind === 'owner') return attempt.room
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
}

/** Never ends; a failure is for the parent to see. */
async function keepWorking(room: Room, chance: Chance): Promise<void> {
  await workIn(room, chance).catch((thrown) => say(`X ${thrown}`))
}

/** Works in a room, and says so, until it fails. */
export async function workIn(
  { store, place }: Room,
  chance: Chance,
  rest: () => Promise<unknown> = turn,
): Promise<never> {
  for (;;) {
    const drawn = chance.below(100)
    if (drawn < 55) await Promise.all(Array.from({ length: 1 + chance.below(8) }, () => note(store)))
    else if (drawn < 75) await commit(store, textOf(chance))
    else if (drawn < 90)
      await Promise.all(Array.from({ length: 1 + chance.below(4) }, () => draft(store, textOf(chance))))
    else edit(place.file, `# Theirs ${chance.below(2 ** 30)}\n`)
    await rest()
  }
}

async function note(store: Store): Promise<void> {
  await answered(store, (tx) => {
    const id = FIRST_NOTE + Number(tx.one('noteCount')?.['n'])
    return { eventId: addNote(tx, id, `note ${id}`.padEnd(300, '-')), change: noteName(id) }
  })
}

async function commit(store: Store, text: string): Promise<void> {
  say(`T us ${sha256Of(text)}`)
  await answered(store, (tx) => {
    const { version, hash } = commitText(tx, text)
    settleTexts(tx)
    return { eventId: tx.latestEventId, change: versionName(version, hash) }
  })
}

async function draft(store: Store, text: string): Promise<void> {
  await answered(store, (tx) => {
    const id = 1 + Number(tx.one('draftCount')?.['n'])
    const { eventId, hash } = addDraft(tx, id, text)
    settleTexts(tx)
    return { eventId, change: draftName(id, hash) }
  })
}

function settleTexts(tx: Tx): void {
  pruneTexts(tx, KEPT_TEXTS)
  for (const fault of lostTexts(tx)) say(`X ${fault}`)
}

/** Of any length up to more than a record carries; some come again and again. */
function textOf(chance: Chance): string {
  if (chance.maybe(0.7)) return `# Ours ${chance.below(2 ** 30)}\n${'.'.repeat(chance.below(20_000))}`
  const usual = chance.below(USUAL_TEXTS)
  return `# Ours as usual ${usual}\n${'.'.repeat(usual * 3_000)}`
}

async function answered(
  store: Store,
  change: (tx: Tx) => { eventId: number; change: string },
): Promise<void> {
  const { eventId, change: made } = await store.mutate((tx) => {
    const done = change(tx)
    const named = `${done.eventId} ${done.change}`
    say(`I ${named}`)
    tx.onDurable(() => say(`E ${named}`))
    return done
  })
  say(`A ${eventId} ${made}`)
}

function edit(file: string, text: string): void {
  say(`T editor ${sha256Of(text)}`)
  const temp = `${file}.${sha256Of(text).slice(0, 8)}`
  writeFileSync(temp, text)
  renameSync(temp, file)
}

/** Writes a line for the parent, before anything else happens. */
export function say(line: string): void {
  writeSync(STDOUT, `${line}\n`)
}
