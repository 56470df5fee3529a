import type { CallContext } from '../context.ts'
import type { Capability } from './principal.ts'
import type { RouteGuard } from './route.ts'

/** Where a plugin puts frames for one reader. Never waits: a full inbox is emptied and the reader is told. */
export interface Inbox {
  /** A complete server-sent-event frame. It is shared between readers: never change it afterwards. */
  offer(frame: Buffer): void
  /** Ends the stream at once, after what was offered: the reader's right to it is over. */
  end(): void
}

/** One reader's view of a feed. */
export interface Reading {
  /** Frames from history, sent first and with backpressure; a reading lives as long as its reader, so it lets go of what it gave. */
  readonly replay: Iterable<Buffer> | AsyncIterable<Buffer>
  /** What a reader that lost frames is told; undefined ends the stream. */
  onLag(): Buffer | undefined
  close(): void
}

/** A feed whose ring, cursor and replay the plugin owns. Subscribe first, then read history: no hole between them. */
export interface Stream {
  readonly name: string
  readonly path: `/${string}`
  readonly listeners: readonly string[]
  readonly guard: RouteGuard
  readonly requires?: Capability
  /** Longest wait for a browser before it reconnects, sent as `retry:`; absent: not sent. */
  readonly retryMs?: number
  /** Called at every heartbeat with the context of the opening; throwing ends the stream. */
  check?(ctx: CallContext): Promise<void>
  /** `cursor` is `Last-Event-ID`, else the query's `since_event_id`. Errors are answered before the first byte. */
  open(ctx: CallContext, cursor: string | undefined, inbox: Inbox): Promise<Reading>
}

/** The identity, for inference. */
export function defineStream(stream: Stream): Stream {
  return stream
}
