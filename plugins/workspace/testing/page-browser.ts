import type { Part } from '../owner/page/room-part.ts'
import { createRoomView, type EventSourceLike, type ViewState } from '../owner/page/room-view.ts'

interface Timer {
  readonly ms: number
  readonly work: () => void
  off: boolean
}

/** A page in a browser that does only what the test says. */
export function browser() {
  const sources: FakeSource[] = []
  class FakeSource implements EventSourceLike {
    onopen: EventSourceLike['onopen'] = null
    onerror: EventSourceLike['onerror'] = null
    onmessage: EventSourceLike['onmessage'] = null
    readyState = 0
    readonly url: string
    readonly #resync: (() => void)[] = []
    constructor(url: string) {
      this.url = url
      sources.push(this)
    }
    addEventListener(_type: 'resync', listener: () => void) {
      this.#resync.push(listener)
    }
    close() {
      this.readyState = 2
    }
    open() {
      this.readyState = 1
      this.onopen?.(undefined as never)
    }
    fail(readyState = 0) {
      this.readyState = readyState
      this.onerror?.(undefined as never)
    }
    send(event_id: number, event_type: string) {
      this.onmessage?.({
        data: JSON.stringify({ event_id, event_type, payload: {} }),
        lastEventId: `${event_id}`,
      })
    }
    resync() {
      for (const listener of this.#resync) listener()
    }
  }
  const asked: string[] = []
  const timers: Timer[] = []
  const told: { state: ViewState; parts: readonly Part[] }[] = []
  const server = {
    status: 200,
    latest: 10,
    down: false,
    hold: undefined as Promise<void> | undefined,
    /** By path, instead of what every path answers. */
    answers: {} as Record<string, object>,
  }
  const view = createRoomView({
    async fetch(path) {
      asked.push(path)
      if (server.down) throw new Error('no connection')
      const { status, latest, answers } = server
      await server.hold
      const body =
        answers[path] ??
        (path === '/workspace/room'
          ? { latest_event_id: latest, events: [], proposals: [] }
          : { proposals: [1] })
      return { ok: status < 400, status, json: async () => body }
    },
    EventSource: FakeSource,
    clock: {
      after(ms, work) {
        const timer = { ms, work, off: false }
        timers.push(timer)
        return () => {
          timer.off = true
        }
      },
    },
    changed: (state, parts) => void told.push({ state, parts }),
  })
  return {
    view,
    server,
    asked,
    told,
    source: () => sources.at(-1) as FakeSource,
    sources,
    connection: () => told.at(-1)?.state.connection,
    ids: () => told.at(-1)?.state.events.map((event) => event.event_id),
    due: (ms: number) => timers.filter((timer) => timer.ms === ms && !timer.off).length,
    /** Set since the last `pass`, with those that were called off. */
    set: (ms: number) => timers.filter((timer) => timer.ms === ms).length,
    async pass(ms: number) {
      for (const timer of timers.splice(0)) {
        if (timer.off) continue
        if (timer.ms <= ms) timer.work()
        else timers.push(timer)
      }
      await settled()
    },
  }
}

export async function settled() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done))
}
