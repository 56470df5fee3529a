import { defineStream, type Inbox, type Reading, type Stream } from '../../server/plugin.ts'
import type { RoomAccess, RoomSession } from './connection/room-access.ts'
import type { RoomEvent } from './domain/event.ts'
import { LIMITS } from './domain/limits.ts'
import { tooMany } from './domain/refusal.ts'
import { eventFrame, resyncFrame } from './event-frames.ts'
import { refusals } from './reasons.ts'
import { openRemoteReading } from './remote-reading.ts'
import type { News } from './room/change.ts'
import { eventsSince, ringOf } from './room/views.ts'
import { ROOM_LISTENERS } from './tools/room-tool.ts'

/** The readers of the room's event stream in this process. Lives as long as the plugin. */
export interface Feed {
  /** Builds each event's frame once and offers it to every reader without waiting. */
  publish(news: News): void
  /** Makes every reader load the room again after a change that is not an event. */
  reload(): void
  /** Adds a reader. Errors: `rate_limited`/`limit_exceeded` above the streams of a session or the room. */
  subscribe(sessionId: string, inbox: Inbox): () => void
  /** Resolves true soon after the next event, false after `ms`, an abort or the end of the ownership. */
  next(ms: number, signal: AbortSignal): Promise<boolean>
  /** Ends every stream: this process no longer owns the room. */
  endAll(): void
  readonly size: number
}

const RETRY_SECONDS = 5
/** Of the two reasons of the format, the one after which a reader loads the room and goes on with its cursor. */
const RELOAD = resyncFrame('lagged')

/** A feed with the limits of a room; `maxStreams` sets both of them. */
export function createFeed(maxStreams?: number): Feed {
  const perSession = maxStreams ?? LIMITS.observeStreamsPerSession
  const perRoom = maxStreams ?? LIMITS.observeStreamsPerRoom
  const readers = new Map<Inbox, string>()
  const waiting = new Set<(happened: boolean) => void>()
  const countOf = (sessionId: string): number =>
    [...readers.values()].filter((reader) => reader === sessionId).length

  return {
    publish({ events, endedSessions }) {
      for (const event of events) {
        const frame = eventFrame(event)
        for (const inbox of readers.keys()) inbox.offer(frame)
      }
      if (events.length > 0) for (const tell of [...waiting]) tell(true)
      for (const [inbox, sessionId] of [...readers]) {
        if (endedSessions.includes(sessionId)) inbox.end()
      }
    },
    reload() {
      for (const inbox of readers.keys()) inbox.offer(RELOAD)
    },
    subscribe(sessionId, inbox) {
      if (readers.size >= perRoom) throw tooMany('observe streams of this room', perRoom, RETRY_SECONDS)
      if (countOf(sessionId) >= perSession)
        throw tooMany('observe streams of one session', perSession, RETRY_SECONDS)
      readers.set(inbox, sessionId)
      return () => void readers.delete(inbox)
    },
    next: (ms, signal) =>
      new Promise((resolve) => {
        const tell = (happened: boolean): void => {
          waiting.delete(tell)
          clearTimeout(timer)
          signal.removeEventListener('abort', stop)
          resolve(happened)
        }
        const stop = (): void => tell(false)
        const timer = setTimeout(stop, ms)
        waiting.add(tell)
        signal.addEventListener('abort', stop)
        if (signal.aborted) stop()
      }),
    endAll() {
      for (const tell of [...waiting]) tell(false)
      for (const inbox of [...readers.keys()]) inbox.end()
      readers.clear()
    },
    get size() {
      return readers.size
    },
  }
}

/** `GET /workspace/observe`: every event once and in order, or a resync frame with the reason. */
export function observeStream(access: RoomAccess, feed: () => Feed): Stream {
  return defineStream({
    name: 'workspace_observe',
    path: '/workspace/observe',
    listeners: ROOM_LISTENERS,
    guard: 'bearer-or-cookie',
    requires: 'observe',
    retryMs: LIMITS.retryMs,
    check: async (ctx) => {
      const session = await access.resumeSession(ctx)
      // Another server's stream of this session ends with it.
      if (session !== 'remoteOwner') await session.room.read(session.sessionId, () => undefined)
    },
    open: async (ctx, cursor, inbox) => {
      const since = parseCursor(cursor)
      const session = await access.session(ctx)
      if (session !== 'remoteOwner') return openReading(session, feed(), since, inbox)
      const there = await access.elsewhere(ctx.principal, {
        run: (address) => openRemoteReading(address, { ctx, since }, inbox),
      })
      if (!there) throw refusals.not_owner()
      return there.value
    },
  })
}

/** Subscribes first, then reads history, then lets live events through whose ids are new: no hole and no repeat. */
async function openReading(
  { room, sessionId }: RoomSession,
  feed: Feed,
  since: number,
  inbox: Inbox,
): Promise<Reading> {
  let last = 0
  let live = false
  let caughtUp = false
  const early: Buffer[] = []
  const gate: Inbox = {
    offer(frame) {
      if (!live) early.push(frame)
      else if (frame === RELOAD) inbox.offer(frame)
      else if (caughtUp || idOf(frame) > last) {
        caughtUp = true // ids only rise: later frames need no check
        inbox.offer(frame)
      }
    },
    end: () => inbox.end(),
  }
  const close = feed.subscribe(sessionId, gate)
  try {
    const history = await room.read(sessionId, ({ rows }) => ({
      events: eventsSince(rows, Math.min(since, rows.latestEventId), LIMITS.eventsKept),
      ...ringOf(rows, since),
    }))
    last = history.latest_event_id
    live = true
    for (const frame of early.splice(0)) gate.offer(frame)
    return { replay: replay(history.gap, [...history.events]), onLag: () => resyncFrame('lagged'), close }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** Removes each event from the list as it yields: a finished generator keeps its arguments alive. */
function* replay(gap: boolean, events: RoomEvent[]): Generator<Buffer> {
  if (gap) yield resyncFrame('gap')
  for (let event = events.shift(); event !== undefined; event = events.shift()) yield eventFrame(event)
}

/** The id in a frame's first line: `id: 42`. */
function idOf(frame: Buffer): number {
  return Number(frame.subarray(4, frame.indexOf(10)).toString('latin1'))
}

/** Absent: 0. Errors: `invalid`/`invalid_request` for anything but 1 to 16 digits. */
function parseCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,16}$/.test(cursor)) {
    throw refusals.event_cursor()
  }
  return Number(cursor)
}
