import type { CallContext } from '../context.ts'
import type { Capability } from './principal.ts'
import type { RouteGuard } from './route.ts'

/** Takes frames for one reader. Never blocks: a full inbox is emptied and the reader is notified. */
export interface Inbox {
  /** Queues a complete server-sent-event frame. Readers share the Buffer: never change it afterwards. */
  offer(frame: Buffer): void
  /** Ends the stream after the queued frames, because the reader lost its rights. */
  end(): void
}

/** The subscription of one reader. */
export interface Reading {
  /** Frames from history, sent first and with backpressure. The iterator must not retain frames that it has yielded. */
  readonly replay: Iterable<Buffer> | AsyncIterable<Buffer>
  /** The frame sent to a reader that lost frames; undefined ends the stream. */
  onLag(): Buffer | undefined
  close(): void
}

/** A feed whose ring, cursor and replay the plugin owns. Subscribe before reading history, so that no event is missed. */
export interface Stream {
  readonly name: string
  readonly path: `/${string}`
  readonly listeners: readonly string[]
  readonly guard: RouteGuard
  readonly requires?: Capability
  /** Milliseconds before a browser reconnects, sent as `retry:`; absent: not sent. */
  readonly retryMs?: number
  /** Called at every heartbeat with the context of the request; an error ends the stream. */
  check?(ctx: CallContext): Promise<void>
  /** `cursor` is `Last-Event-ID`, otherwise `since_event_id` of the query. Errors are answered before the first byte. */
  open(ctx: CallContext, cursor: string | undefined, inbox: Inbox): Promise<Reading>
}

/** Returns the stream unchanged, for type inference. */
export function defineStream(stream: Stream): Stream {
  return stream
}
