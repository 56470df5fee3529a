import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { assetPath } from '../../../server/assets.ts'
import { CAPABILITIES, type Capability } from '../../../server/plugin.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { createAnalyst } from '../analysis/analyst.ts'
import type { EventType, RoomEvent } from '../domain/event.ts'
import { parseJoinUri } from '../domain/invitation.ts'
import {
  openRoom,
  type RoomAttempt,
  type RoomOptions,
  type RoomSeams,
  roomPlace,
} from '../engine/open-room.ts'
import { checkHandoffRecord } from '../handoff-record.ts'
import type { ActorChange, News } from '../room/change.ts'
import { commit } from '../room/commits.ts'
import {
  acceptHandoff,
  cancelHandoff,
  createHandoff,
  type HandoffInput,
  handInResult,
  reviewHandoff,
} from '../room/handoffs.ts'
import { invite, revokeInvitation } from '../room/invitations.ts'
import { checkout, release, renew } from '../room/leases.ts'
import { endSession, type Joined, joinLocally, leave, redeem } from '../room/members.ts'
import { propose, rebase, review, withdraw } from '../room/proposals.ts'
import { type Room, type RoomParts, startRoom, storeContent } from '../room/room.ts'
import { eventsSince, type View } from '../room/views.ts'

/** Every mutation by a session, by the name its tool has. */
export const OPERATIONS = {
  checkout,
  renew,
  release,
  propose,
  review,
  withdraw,
  rebase,
  commit,
  invite,
  invite_revoke: revokeInvitation,
  leave,
  session_end: endSession,
  handoff_create: (change: ActorChange, input: HandoffInput) =>
    createHandoff(change, input, checkHandoffRecord),
  handoff_accept: acceptHandoff,
  handoff_result: handInResult,
  handoff_review: reviewHandoff,
  handoff_cancel: cancelHandoff,
}
type Operations = typeof OPERATIONS
export type Operation = keyof Operations

/** A room on a real disk with a clock that a test moves. */
export interface TestRoom {
  readonly room: Room
  readonly file: string
  readonly news: News[]
  /** Moves the clock. */
  pass(minutes: number): void
  setBack(minutes: number): void
  join(name: string, capabilities?: readonly Capability[]): Promise<Joined>
  do<K extends Operation>(
    who: Joined,
    operation: K,
    input: Parameters<Operations[K]>[1] & { idempotency_key?: string },
  ): Promise<Exclude<ReturnType<Operations[K]>, { refused: unknown }>>
  look<T>(who: Joined, work: (view: View) => T): Promise<T>
  events(since?: number): Promise<readonly RoomEvent[]>
  /** What `act` emitted, by type and in order. */
  emitted(act: () => Promise<unknown>): Promise<readonly EventType[]>
  latest(): Promise<number>
  text(): Promise<string>
  write(text: string): Promise<void>
  /** Ends this owner, cleanly or as if it had died, and opens the room again. */
  reopen(how: 'clean' | 'killed'): Promise<TestRoom>
  /** Ends this owner cleanly; the folder stays until the test ends. */
  close(): Promise<void>
  /** Ends this owner and removes the folder now, for tests that open thousands of rooms. */
  discard(): Promise<void>
}

export interface TestRoomOptions {
  readonly text?: string
  readonly staleness?: 'strict' | 'section'
  readonly folder?: string
  readonly now?: { micros: number }
  readonly seams?: RoomSeams
  /** Absent: the room is in files. */
  open?(options: RoomOptions): Promise<RoomAttempt>
  /** Told what became durable, beside `news`. */
  publish?(news: News): void
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** A room around a new file; closed after the test. */
export async function openTestRoom(t: TestContext, options: TestRoomOptions = {}): Promise<TestRoom> {
  const folder = options.folder ?? (await temporaryFolder(t))
  const file = join(folder, 'plan.md')
  if (options.folder === undefined)
    await writeFile(file, options.text ?? '# Plan\n\n## Goals\none\n\n## Steps\ntwo\n')
  const now = options.now ?? { micros: Date.UTC(2026, 10, 20, 13) * 1000 }
  const news: News[] = []
  const analyst = createAnalyst()
  t.after(() => analyst.end())
  const parts: RoomParts = {
    nowMicros: () => now.micros,
    random: (size) => randomBytes(size),
    settings: { staleness: options.staleness ?? 'strict', endpoints: () => ['http://127.0.0.1:4181'] },
    analyst,
    path: file,
    name: 'plan',
    publish: (item) => {
      news.push(item)
      options.publish?.(item)
    },
    substrateChanged() {},
  }
  const attempt = await (options.open ?? openRoom)({
    place: roomPlace(file, {}),
    content: storeContent(parts),
    log: SILENT,
    rank: 'listener',
    wasm: assetPath('sql-wasm.wasm'),
    ...(options.seams && { seams: options.seams }),
  })
  if (attempt.kind !== 'owner') throw new Error(`the room is ${attempt.kind}`)
  const engine = attempt.room
  const room = await startRoom(engine.store, parts)
  let open = true
  t.after(async () => {
    if (open) await engine.close()
  })
  const events = async (since = 0) => room.readAsSystem((rows) => eventsSince(rows, since, 5000))
  const latest = async () => room.readAsSystem((rows) => rows.latestEventId)
  const close = async (): Promise<void> => {
    open = false
    await room.close()
    await engine.close()
  }
  return {
    room,
    file,
    news,
    pass(minutes) {
      now.micros += minutes * 60_000_000
    },
    setBack(minutes) {
      now.micros -= minutes * 60_000_000
    },
    join: (name, capabilities = CAPABILITIES) =>
      room.changeAsSystem((change) =>
        joinLocally(change, { name, kind: 'agent', capabilities, audience: 'ingress', transport: 'http' }),
      ),
    async do(who, operation, input) {
      // One table of operations: the compiler cannot tie a name to its own input and answer inside the body.
      const work = OPERATIONS[operation] as (change: ActorChange, input: unknown) => never
      return room.change(who.session_id, operation, input as object, work)
    },
    look: (who, work) => room.read(who.session_id, work),
    events,
    async emitted(act) {
      const before = await latest()
      await act().catch(() => undefined)
      return (await events(before)).map(({ event_type }) => event_type)
    },
    latest,
    text: () => readFile(file, 'utf8'),
    async write(text) {
      // As careful editors do: a file that is written in place may be seen half way, and that is a version too.
      await writeFile(`${file}.swp`, text)
      await rename(`${file}.swp`, file)
      now.micros += 1000
      await room.look()
    },
    async reopen(how) {
      open = false
      await (how === 'clean' ? close() : engine.lock.release())
      return openTestRoom(t, { ...options, folder, now })
    },
    close,
    async discard() {
      await close()
      await rm(folder, { recursive: true })
    },
  }
}

export const GOALS = '## Goals\nthree\n\n'

/** A proposal of `who` for the newest version, approved. */
export async function approved(room: TestRoom, who: Joined, input: object = {}) {
  const { version } = await room.look(who, ({ rows }) => rows.document)
  const proposal = await room.do(who, 'propose', {
    base_version: version,
    summary: 'a change',
    content: `# Plan\n\nchanged at ${version}\n`,
    ...input,
  })
  return room.do(who, 'review', { proposal_id: proposal.proposal_id, approve: true })
}

/** A guest who joined by the invitation `uri`. */
export async function redeemed(room: TestRoom, uri: string, name = 'guest') {
  const secret = parseJoinUri(uri)?.secret ?? uri
  return room.room.changeAsSystem((change) => redeem(change, { secret, name, kind: 'agent' }))
}
