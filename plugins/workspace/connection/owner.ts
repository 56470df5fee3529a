import { basename, extname } from 'node:path'
import type { Host, OpenListener } from '../../../server/plugin.ts'
import { type Analyst, createAnalyst } from '../analysis/analyst.ts'
import { MICROS_PER_MINUTE, type Micros } from '../domain/moment.ts'
import type { Substrate } from '../domain/rows.ts'
import { principalId } from '../domain/session.ts'
import type { Meter } from '../engine/meter.ts'
import { openDatabaseRoom } from '../engine/open-database-room.ts'
import { type Room as EngineRoom, openRoom, type RoomPlace } from '../engine/open-room.ts'
import type { Rank, RoomLockRecord } from '../engine/room-lock.ts'
import type { Feed } from '../feed.ts'
import { changedResources, ROOM_URI } from '../hints.ts'
import type { News } from '../room/change.ts'
import { type Room, type RoomParts, startRoom, storeContent } from '../room/room.ts'
import type { RoomWorld } from './clock.ts'
import type { DatabaseRoom } from './database-room.ts'
import { createIdleSessions } from './idle-sessions.ts'
import type { ReplicaAddress } from './link.ts'
import { newPass, type PassKey } from './replica-pass.ts'

export interface OwnerParts {
  readonly host: Host
  readonly world: RoomWorld
  readonly feed: Feed
  readonly meter: Meter
  readonly place: RoomPlace
  /** Absent: it is kept in files. */
  readonly inDatabase: DatabaseRoom | undefined
  readonly rank: Rank
  readonly staleness: 'strict' | 'section'
  readonly name?: string
  readonly takeOver?: boolean
  readonly ephemeral?: boolean
  /** Where the other servers of the database reach this one; undefined: nowhere. */
  readonly replicaUrl: string | undefined
  /** The addresses that invitations name. */
  endpoints(): readonly string[]
  /** The file became missing, invalid, or readable again. */
  substrateChanged(substrate: Substrate): void
  /** The store failed permanently: this process releases the room and its callers get `reason`. */
  lost(reason: unknown): void
}

/** The room while this process owns it. */
export interface Owner {
  readonly room: Room
  readonly rank: Rank
  readonly place: RoomPlace
  /** For the passes of other servers; absent: none reaches this one. */
  readonly passKey?: PassKey
  /** Records a use of the session; local sessions end two minutes after their last use. */
  touch(sessionId: string): void
  /** Exempts a session of this process, which lives as long as the process. */
  keep(sessionId: string): void
  /** Stores workspace.stopped, closes the store, releases lock and socket. Idempotent. */
  close(): Promise<void>
}

export type OwnerAttempt =
  | { readonly kind: 'owner'; readonly owner: Owner }
  | { readonly kind: 'held'; readonly record: RoomLockRecord; readonly replica?: ReplicaAddress }
  | { readonly kind: 'lost' }

const PASS_KEY_BYTES = 32
const SWEEP_MS = 30_000
const TIMER_MAX_MS = 60_000

/** Takes the room, recovers it and listens on its socket, or returns the record of its owner. */
export async function takeRoom(parts: OwnerParts): Promise<OwnerAttempt> {
  const { host, place, world } = parts
  let timer: ExpiryTimer | undefined
  const analyst = createAnalyst()
  const roomParts = roomPartsOf(parts, analyst, (news) => timer?.consider(news))
  const options = {
    place,
    content: storeContent(roomParts),
    log: host.log,
    rank: parts.rank,
    meter: parts.meter,
    wasm: host.assetPath('sql-wasm.wasm'),
    ...(parts.takeOver !== undefined && { takeOver: parts.takeOver }),
    ...(parts.ephemeral !== undefined && { ephemeral: parts.ephemeral }),
    ...(world.engine && { seams: world.engine }),
  }
  const runtimeDir = host.env['XDG_RUNTIME_DIR']
  const announced = announcementOf(parts)
  const attempt = await (parts.inDatabase
    ? openDatabaseRoom({ ...options, ...parts.inDatabase, runtimeDir, announced })
    : openRoom(options))
  if (attempt.kind === 'lost') return attempt
  const passKey = (key: Buffer, { nonce }: RoomLockRecord): PassKey => ({
    key,
    fence: nonce,
    nowMs: () => host.now().getTime() + (parts.inDatabase?.database.clockOffsetMs() ?? 0),
  })
  if (attempt.kind === 'held') {
    const { record, announced: there } = attempt
    return {
      kind: 'held',
      record,
      ...(there && { replica: replicaAt(there.url, passKey(there.key, record)) }),
    }
  }
  const engine = attempt.room
  const ownKey = announced && passKey(announced.key, engine.lock.record)
  try {
    const room = await startRoom(engine.store, roomParts)
    timer = createExpiryTimer(room, world, host)
    const socket = await host.openListener({ name: 'socket', at: { socket: engine.place.socket }, mcp: true })
    const owner = ownerOf(parts, { engine, room, socket, timer, analyst })
    return { kind: 'owner', owner: { ...owner, ...(ownKey && { passKey: ownKey }) } }
  } catch (thrown) {
    timer?.stop()
    await engine.close()
    await analyst.end()
    throw thrown
  }
}

/** Only a server announces itself: a process over stdio has no address. */
function announcementOf({ inDatabase, rank, replicaUrl, world }: OwnerParts) {
  if (!inDatabase || rank !== 'listener' || replicaUrl === undefined) return undefined
  return { url: replicaUrl, key: Buffer.from(world.random(PASS_KEY_BYTES)) }
}

function replicaAt(url: string, key: PassKey): ReplicaAddress {
  return { url, pass: (session) => newPass(key, session) }
}

function roomPartsOf(parts: OwnerParts, analyst: Analyst, consider: (news: News) => void): RoomParts {
  const { host, world, place, feed, staleness } = parts
  return {
    nowMicros: world.nowMicros,
    random: world.random,
    settings: { staleness, endpoints: parts.endpoints },
    analyst,
    path: place.file,
    name: parts.name ?? basename(place.file, extname(place.file)),
    publish(news) {
      feed.publish(news)
      for (const { event_type } of news.events) {
        for (const uri of changedResources(event_type)) host.resourceChanged(uri)
      }
      for (const { taskId, owners } of news.tasks) host.taskChanged(taskId, owners)
      for (const sessionId of news.endedSessions) host.callerEnded(principalId(sessionId))
      consider(news)
    },
    substrateChanged(substrate) {
      feed.reload()
      host.resourceChanged(`${ROOM_URI}/status`)
      parts.substrateChanged(substrate)
    },
  }
}

interface Opened {
  readonly engine: EngineRoom
  readonly room: Room
  readonly socket: OpenListener
  readonly timer: ExpiryTimer
  readonly analyst: Analyst
}

function ownerOf(parts: OwnerParts, { engine, room, socket, timer, analyst }: Opened): Owner {
  const { host, feed, rank } = parts
  const { place } = engine
  const idle = createIdleSessions(room, parts.world.nowMicros)
  const sweep = setInterval(() => {
    idle.sweep().catch((thrown) => host.log.warn('sweep failed', { error: thrown }))
  }, SWEEP_MS)
  sweep.unref()
  const onPoison = (): void => {
    feed.endAll()
    parts.lost(room.poisoned.reason)
  }
  room.poisoned.addEventListener('abort', onPoison, { once: true })
  timer.start()

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    clearInterval(sweep)
    timer.stop()
    room.poisoned.removeEventListener('abort', onPoison)
    try {
      await room.close()
    } finally {
      feed.endAll()
      await socket.close()
      await engine.close()
      await analyst.end()
    }
  }
  return {
    room,
    rank,
    place,
    touch: idle.touch,
    keep: idle.keep,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

interface ExpiryTimer {
  start(): void
  /** Checks again after a lease or session began or ended. */
  consider(news: News): void
  stop(): void
}

/** One timer for the earliest end of a lease or session. */
function createExpiryTimer(room: Room, world: RoomWorld, host: Host): ExpiryTimer {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const arm = (next: Micros | undefined): void => {
    clearTimeout(timer)
    if (stopped || next === undefined) return
    const waitMs = Math.max(0, Math.ceil((next - world.nowMicros()) / 1000))
    timer = setTimeout(look, Math.min(waitMs, TIMER_MAX_MS))
    timer.unref()
  }
  const look = (): void => {
    room.expire().then(arm, (thrown) => {
      host.log.warn('expiry failed', { error: thrown })
      arm(world.nowMicros() + MICROS_PER_MINUTE)
    })
  }
  return {
    start: look,
    consider({ events }) {
      const expires = events.some(({ event_type }) => /^(lease|session)\./.test(event_type))
      if (expires && !stopped) setImmediate(look)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
