import { createReadOrder } from './read-order.ts'
import { ALL_PARTS, cutParts, type Fetch, PART_OF, type Part, readPart, reasonOf } from './room-part.ts'

/**
 * The state of the page's connection. The last two are final, and no reload helps: the session has ended, or the address
 * serves another room now.
 */
export type Connection = 'loading' | 'live' | 'reconnecting' | 'offline' | 'ended' | 'elsewhere'

const FINAL: ReadonlySet<Connection> = new Set(['ended', 'elsewhere'])

export interface ViewEvent {
  readonly event_id: number
  readonly event_type: string
  readonly [key: string]: unknown
}

/** The answer of `GET /workspace/room`, reduced to what the logic uses. */
export interface RoomState {
  readonly status?: { readonly workspace_id?: string }
  readonly latest_event_id: number
  readonly events?: readonly ViewEvent[]
  /** Cursors of the lists that have more rows. */
  readonly next_cursors?: Readonly<Partial<Record<Part, string>>>
  readonly [key: string]: unknown
}

export interface ViewState {
  readonly connection: Connection
  readonly room: RoomState | undefined
  /** Newest first. */
  readonly events: readonly ViewEvent[]
}

/** What the view needs of the browser; tests pass their own. */
export interface RoomViewSeams {
  readonly fetch: Fetch
  /** The browser's `EventSource`, or something that behaves like it. */
  readonly EventSource: new (
    url: string,
  ) => EventSourceLike
  readonly clock: { after(ms: number, work: () => void): () => void }
  /** The room that the page shows from now on. */
  expect?(workspaceId: string): void
  /** Called after each change, with the parts whose content changed. */
  changed(state: ViewState, parts: readonly Part[]): void
}

export interface EventSourceLike {
  onopen: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  onmessage: ((event: { readonly data: string; readonly lastEventId: string }) => void) | null
  readonly readyState: number
  addEventListener(type: 'resync', listener: () => void): void
  close(): void
}

export interface RoomView {
  start(): Promise<void>
  /** Reloads one part, for example after an action of the user. */
  refresh(part: Part): void
  /** Reloads a part that was refused for the moment with this status; undefined: nothing answered. */
  retry(part: Part, status?: number): void
  /** Loads one more page of a list; later reloads load that many. */
  readOlder(part: Part): void
  stop(): void
}

const RELOAD_MS = 30_000 // spec workspace-events "Page behavior"
const DEBOUNCE_MS = 150
const REREAD_MS = 5000
const SHOWN_EVENTS = 200
const CLOSED = 2
const OTHER_ROOM = 'other_room'

/**
 * The logic of the page, without DOM: loads the room, follows its events, applies each once by id, reloads what changed
 * and reports the state of the connection. Ends with `stop`.
 */
export function createRoomView(seams: RoomViewSeams): RoomView {
  return new FollowedRoom(seams)
}

class FollowedRoom implements RoomView {
  readonly #seams: RoomViewSeams
  readonly #dirty = new Set<Part>()
  readonly #pages = new Map<Part, number>()
  readonly #order = createReadOrder<Part>()
  #connection: Connection = 'loading'
  #room: RoomState | undefined
  #workspaceId: string | undefined
  #events: readonly ViewEvent[] = []
  #cursor = 0
  #source: EventSourceLike | undefined
  /** The room that `#source` was opened for; undefined before one was read. */
  #sourceOf: string | undefined
  #loading = false
  #resyncedMeanwhile = false
  #waiting: ViewEvent[] = []
  #stopped = false
  #callOffReload: (() => void) | undefined
  #callOffRefresh: (() => void) | undefined

  constructor(seams: RoomViewSeams) {
    this.#seams = seams
  }

  async start(): Promise<void> {
    const loaded = await this.#load()
    if (this.#stopped) return
    this.#follow()
    if (loaded) return
    this.#become('offline')
    this.#reloadUntilOpen()
  }

  refresh(part: Part): void {
    this.#dirty.add(part)
    // Counted from the first of a burst: in a busy room a burst may never end.
    this.#callOffRefresh ??= this.#seams.clock.after(DEBOUNCE_MS, () => {
      this.#callOffRefresh = undefined
      for (const each of this.#dirty) void this.#readPart(each) // cannot reject
      this.#dirty.clear()
    })
  }

  /** No further event may come that would show what was missed. */
  retry(part: Part, status?: number): void {
    if (isPassing(status)) this.#later(() => this.refresh(part))
  }

  #later(work: () => void): void {
    this.#seams.clock.after(REREAD_MS, () => {
      if (!this.#stopped) work()
    })
  }

  readOlder(part: Part): void {
    this.#pages.set(part, (this.#pages.get(part) ?? 1) + 1)
    void this.#readPart(part) // cannot reject
  }

  stop(): void {
    this.#stopped = true
    this.#source?.close()
    this.#callOffReload?.()
    this.#callOffRefresh?.()
  }

  #tell(parts: readonly Part[]): void {
    this.#seams.changed({ connection: this.#connection, room: this.#room, events: this.#events }, parts)
  }

  #become(next: Connection): void {
    if (this.#connection === next || FINAL.has(this.#connection)) return
    this.#connection = next
    this.#tell([])
  }

  #end(how: 'ended' | 'elsewhere'): void {
    this.#become(how)
    this.stop()
  }

  #endIfRefused(status: number, reason: unknown): void {
    if (status === 401) this.#end('ended')
    if (reason === OTHER_ROOM) this.#end('elsewhere')
  }

  /** False for a room that came to this address after the one that is shown: nothing of it is shown or written to. */
  #isSameRoom(status: RoomState['status']): boolean {
    const found = status?.workspace_id
    if (this.#workspaceId === undefined && found !== undefined) {
      this.#workspaceId = found
      this.#seams.expect?.(found)
    }
    if (found === this.#workspaceId) return true
    this.#end('elsewhere')
    return false
  }

  /** Loads the whole room; false if that failed. Events that arrive meanwhile wait for it. */
  async #load(): Promise<boolean> {
    if (this.#loading) return true
    this.#loading = true
    const read = this.#order.begin()
    try {
      const answer = await this.#seams.fetch('/workspace/room')
      if (!answer.ok) {
        this.#endIfRefused(answer.status, await reasonOf(answer))
        return false
      }
      const room = (await answer.json()) as RoomState // the answer of our own server
      if (!this.#isSameRoom(room.status)) return false
      this.#room = room
      // Also if it is lower: an older copy of this room may now be at this address.
      this.#cursor = room.latest_event_id
      const known = this.#events.filter(({ event_id }) => event_id <= room.latest_event_id)
      const { events: newest = [] } = room
      this.#events = isNextTo(newest, known) ? merged(newest, known) : newest
      this.#tell(ALL_PARTS)
      for (const part of [...this.#pages.keys(), ...cutParts(room.next_cursors)]) this.refresh(part)
      for (const part of ALL_PARTS) if (!this.#order.shows(part, read)) this.refresh(part)
      return true
    } catch {
      return false // the server cannot be reached
    } finally {
      this.#loading = false
      for (const event of this.#waiting.splice(0)) this.#apply(event)
      if (this.#resyncedMeanwhile) {
        this.#resyncedMeanwhile = false
        this.#reload()
      }
    }
  }

  /** A load in progress may be older than the lost events: the room is then loaded once more. */
  #reload(): void {
    if (this.#loading) this.#resyncedMeanwhile = true
    else
      void this.#load().then((loaded) => {
        if (!loaded) this.#later(() => this.#reload())
      }) // cannot reject
  }

  #apply(event: ViewEvent): void {
    if (this.#loading) {
      this.#waiting.push(event)
      return
    }
    if (event.event_id <= this.#cursor) return
    this.#cursor = event.event_id
    this.#events = merged([event], this.#events)
    this.#tell([])
    const part = PART_OF[event.event_type.split('.')[0] ?? '']
    if (part) this.refresh(part)
  }

  async #readPart(part: Part): Promise<void> {
    const read = this.#order.begin()
    try {
      const found = await readPart(this.#seams.fetch, part, this.#pages.get(part) ?? 1)
      if (found.kind === 'refused') {
        this.#endIfRefused(found.status, found.reason)
        this.retry(part, found.status)
      }
      if (found.kind === 'refused' || !this.#room || !this.#order.shows(part, read)) return
      const { next_cursor, ...rows } = found.answer
      if (part === 'document' && !this.#isSameRoom(rows)) return
      const { [part]: _, ...cursors } = this.#room.next_cursors ?? {}
      this.#room = {
        ...this.#room,
        ...(part === 'document' ? { status: rows } : rows),
        next_cursors: { ...cursors, ...(next_cursor !== undefined && { [part]: next_cursor }) },
      }
      this.#tell([part])
    } catch {
      this.retry(part) // the stream may have stayed
    }
  }

  #follow(): void {
    this.#source?.close()
    const expects = this.#workspaceId === undefined ? '' : `&expects=${this.#workspaceId}`
    const opened = new this.#seams.EventSource(`/workspace/observe?since_event_id=${this.#cursor}${expects}`)
    this.#source = opened
    this.#sourceOf = this.#workspaceId
    opened.onopen = () => {
      if (!this.#room) return this.#meet()
      this.#callOffReload?.()
      this.#callOffReload = undefined
      this.#become('live')
    }
    opened.onmessage = ({ data }) => this.#apply(JSON.parse(data) as ViewEvent) // an envelope of our own server
    opened.addEventListener('resync', () => this.#reload())
    opened.onerror = () => {
      if (!this.#stopped && opened === this.#source) this.#lost()
    }
  }

  /** A stream that opened before the room was read is one of no certain room. */
  #meet(): void {
    void this.#load().then((loaded) => {
      if (loaded && !this.#stopped) this.#follow()
    }) // cannot reject
  }

  /** The browser gives no reason: the first reload tells an ended session from a lost connection. */
  #lost(): void {
    if (this.#callOffReload) return // known already; the reload is scheduled
    this.#become('reconnecting')
    this.#reloadUntilOpen()
    void this.#load().then((loaded) => this.#judge(loaded)) // cannot reject
  }

  #judge(loaded: boolean): void {
    if (this.#stopped || this.#connection === 'live') return
    this.#become(loaded ? 'reconnecting' : 'offline')
    // A closed source does not reconnect by itself.
    const isOfUse = this.#source?.readyState !== CLOSED && this.#sourceOf === this.#workspaceId
    if (loaded && !isOfUse) this.#follow()
  }

  #reloadUntilOpen(): void {
    this.#callOffReload = this.#seams.clock.after(RELOAD_MS, () => {
      this.#callOffReload = undefined
      void this.#load().then((loaded) => {
        if (this.#stopped || this.#connection === 'live') return
        this.#reloadUntilOpen()
        this.#judge(loaded)
      })
    })
  }
}

/** Too many calls, a room that is being taken over, a proxy that does not reach it. */
function isPassing(status: number | undefined): boolean {
  return status === undefined || status === 429 || status >= 500
}

/** False where more was missed than the room tells: below its newest events the known ones would follow a hole. */
function isNextTo(newest: readonly ViewEvent[], known: readonly ViewEvent[]): boolean {
  const oldest = newest.at(-1)?.event_id ?? 0
  return (known[0]?.event_id ?? 0) >= oldest - 1
}

/** Merges both lists, newest first, each event once. */
function merged(added: readonly ViewEvent[], known: readonly ViewEvent[]): readonly ViewEvent[] {
  const byId = new Map([...known, ...added].map((event) => [event.event_id, event]))
  return [...byId.values()].sort((a, b) => b.event_id - a.event_id).slice(0, SHOWN_EVENTS)
}
