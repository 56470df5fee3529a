import type { ServerResponse } from 'node:http'
import { type After, afterTimeout } from './after.ts'
import { joinedFrames } from './joined-frames.ts'
import type { Pump } from './pump.ts'
import { BLOCKED_LIMIT_MS, type PumpReader } from './pump-reader.ts'
import { ResponseSink } from './response-sink.ts'

/** Pause between heartbeat comments (spec workspace-events, "Limits": about every 15 seconds). */
export const HEARTBEAT_MS = 15_000
/** Frames of history written between two checks for backpressure (workspace-engine, section 4). */
const REPLAY_BATCH = 64
const HEARTBEAT = Buffer.from(': hb\n\n')

export interface EventStreamOptions {
  readonly pump: Pump
  /** Absent: 64 frames. */
  readonly maxFrames?: number
  /** Absent: limited only by the number of frames. */
  readonly maxBytes?: number
  /** Returns the frame sent in place of lost frames; undefined ends the stream. Absent: a slow reader is disconnected. */
  onLag?(): Buffer | undefined
  /** Called at every heartbeat; a rejection ends the stream. */
  check?(): Promise<void>
  /** Called once when the stream ends for any reason. */
  onClose?(): void
  /** Called if history cannot be read; the client is then disconnected. */
  onError?(thrown: unknown): void
  readonly after?: After
}

export interface EventStreamStart {
  /** Milliseconds, sent first as `retry:`. */
  readonly retryMs?: number
  /** Sent before all offered frames, 64 at a time and with backpressure. */
  readonly replay?: Iterable<Buffer> | AsyncIterable<Buffer>
  /** Added to the headers of the event stream; a header of the same name is replaced. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Server-sent events to one client over the raw response. A stalled reader costs only its mailbox. */
export interface EventStream {
  isBlocked(): boolean
  isClosed(): boolean
  /** Never blocks. Frames offered before `start` are held. The Buffer is shared: never change it afterwards. */
  offer(frame: Buffer): void
  /** Sends status and headers, then history, then the offered frames. */
  start(start?: EventStreamStart): void
  /** Writes the queued frames and `last`, then ends the response. */
  end(last?: Buffer): void
  /** Disconnects the client without a final message. */
  destroy(): void
  /** Releases a response that was not started, so that it can carry an ordinary answer. */
  abandon(): void
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Creates a stream on `outgoing` without sending anything. It ends with the client, `end`, `destroy` or a failed `check`. */
export function openEventStream(outgoing: ServerResponse, options: EventStreamOptions): EventStream {
  const after = options.after ?? afterTimeout
  let state: 'waiting' | 'replaying' | 'live' | 'closed' = 'waiting'
  let stopHeartbeat = (): void => {}
  let wakeReplay = (): void => {}

  const sink = new ResponseSink(outgoing, () => {
    reader.drained()
    wakeReplay()
  })
  const reader = options.pump.add({ ...options, sink })
  reader.hold()

  const isClosed = (): boolean => state === 'closed'
  const cleanUp = (): readonly Buffer[] => {
    if (state === 'closed') return []
    state = 'closed'
    stopHeartbeat()
    sink.release()
    outgoing.off('close', cleanUp)
    const rest = reader.close()
    wakeReplay()
    options.onClose?.()
    return rest
  }
  const end = (last?: Buffer): void => {
    if (state === 'closed') return
    if (state === 'waiting') {
      sink.destroy()
      return
    }
    // Drop frames that follow an unfinished replay: the cursor of the reader must not skip events.
    const keepsOrder = state === 'live'
    const rest = cleanUp()
    finish(outgoing, sink, [...(keepsOrder ? rest : []), ...(last ? [last] : [])], after)
  }
  const room = (): Promise<void> =>
    new Promise((resolve) => {
      wakeReplay = resolve
    })
  const goLive = (): void => {
    if (state !== 'replaying') return
    state = 'live'
    reader.release()
  }
  const fail = (thrown: unknown): void => {
    options.onError?.(thrown)
    sink.destroy()
  }
  const beat = (): void => {
    if (state === 'live' && !reader.blocked) reader.offer(HEARTBEAT)
  }

  outgoing.once('close', cleanUp)
  // Deferred, so that the caller has the stream before `onClose` is called.
  if (outgoing.destroyed) queueMicrotask(cleanUp)
  // No getters: V8 gives an object that is made with one a table of its own, and an event touches each reader's.
  return {
    isBlocked: () => reader.blocked,
    isClosed,
    offer: (frame) => reader.offer(frame),
    start(start = {}) {
      if (state !== 'waiting') return
      state = 'replaying'
      writeHead(outgoing, start)
      stopHeartbeat = startHeartbeat(after, { check: options.check, beat, end })
      sendHistory(start, { sink, reader, room, isClosed }).then(goLive, fail)
    },
    end,
    destroy: () => sink.destroy(),
    abandon: () => void cleanUp(),
  }
}

function writeHead(outgoing: ServerResponse, start: EventStreamStart): void {
  outgoing.writeHead(200, { ...HEADERS, ...start.headers })
  outgoing.flushHeaders()
  outgoing.socket?.setNoDelay(true)
}

interface Heartbeat {
  readonly check: (() => Promise<void>) | undefined
  beat(): void
  end(): void
}

/** Calls `check`, then sends a heartbeat, 15 s after the previous check completed. Returns the function that stops it. */
function startHeartbeat(after: After, { check, beat, end }: Heartbeat): () => void {
  let stopped = false
  let callOff = (): void => {}
  const wait = (): void => {
    callOff = after(HEARTBEAT_MS, () => {
      if (check === undefined) live()
      else check().then(live, () => end())
    })
  }
  const live = (): void => {
    if (stopped) return
    beat()
    wait()
  }
  wait()
  return () => {
    stopped = true
    callOff()
  }
}

interface HistoryWriter {
  readonly sink: ResponseSink
  readonly reader: PumpReader
  /** Resolves when the socket has drained or closed. */
  room(): Promise<void>
  isClosed(): boolean
}

/** Sends the retry line and the history with backpressure. */
async function sendHistory(
  { retryMs, replay = [] }: EventStreamStart,
  { sink, reader, room, isClosed }: HistoryWriter,
): Promise<void> {
  const first = retryMs === undefined ? [] : [Buffer.from(`retry: ${retryMs}\n\n`)]
  if (first.length > 0 && !sink.write(joinedFrames(first))) reader.block()
  for await (const batch of batches(replay)) {
    while (!isClosed() && reader.blocked) await room()
    if (isClosed()) return
    if (!sink.write(joinedFrames(batch))) reader.block()
  }
}

async function* batches(frames: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = []
  for await (const frame of frames) {
    batch.push(frame)
    if (batch.length < REPLAY_BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Writes the last bytes. A client that does not read them is disconnected after the time limit of a blocked reader. */
function finish(outgoing: ServerResponse, sink: ResponseSink, frames: readonly Buffer[], after: After): void {
  if (frames.length > 0) sink.write(joinedFrames(frames))
  const giveUp = after(BLOCKED_LIMIT_MS, () => sink.destroy())
  outgoing.once('finish', giveUp)
  outgoing.once('close', giveUp)
  outgoing.end()
}
