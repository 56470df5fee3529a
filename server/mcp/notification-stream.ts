import type { After } from '../fanout/after.ts'
import { type EventStream, openEventStream } from '../fanout/event-stream.ts'
import type { Pump } from '../fanout/pump.ts'
import type { McpExchange } from '../mcp-mount.ts'

/** Bytes that wait for one reader before it has fallen behind (mcp, section 5). */
const MAX_WAITING_BYTES = 256 * 1024

export interface NotificationStreamOptions {
  readonly pump: Pump
  readonly after?: After
  /** Absent: 256 KiB and 64 messages. */
  readonly maxBytes?: number
  /** The message a stream that the server ends says last. */
  lastWord?(): unknown
  /** Called once, whatever ended it. */
  onClose(): void
}

/** Messages to one client over server-sent events; it ends when its caller's credential does. */
export interface NotificationStream {
  readonly closed: boolean
  /** The listener it came in at. */
  readonly listener: string
  /** Never waits. The caller is looked at again before the frame goes out. */
  notify(frame: Buffer): void
  /** Sends status and headers, then `first`; these frames count for no bound. */
  start(first: readonly Buffer[], headers?: Readonly<Record<string, string>>): void
  /** Ends it with its last word, after what was said before. */
  end(): void
}

/** A message as one server-sent event, without an id: nothing can be resumed. */
export function messageFrame(message: unknown): Buffer {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

/**
 * A stream over the exchange's raw response; `start` sends its first byte.
 * Errors: `unavailable`/`too_many_streams`.
 */
export function openNotificationStream(
  exchange: McpExchange,
  principalId: string,
  options: NotificationStreamOptions,
): NotificationStream {
  exchange.requireStreamPlace()
  const stillTheSame = async (): Promise<void> => {
    const now = await exchange.authenticate()
    if (now.id !== principalId) throw new Error('another principal')
  }
  const end = (): void => {
    stream.end(options.lastWord && messageFrame(options.lastWord()))
  }
  const stream: EventStream = openEventStream(exchange.outgoing, {
    pump: options.pump,
    maxBytes: options.maxBytes ?? MAX_WAITING_BYTES,
    ...(options.after && { after: options.after }),
    check: () =>
      stillTheSame().catch((thrown: unknown) => {
        end()
        throw thrown
      }),
    onClose() {
      stopListening()
      options.onClose()
    },
  })
  let checking = Promise.resolve()
  const lookAgain = (): void => {
    checking = checking.then(stillTheSame).catch(end)
  }
  const stopListening = exchange.onCallerEnded(principalId, lookAgain)
  return {
    get closed() {
      return stream.closed
    },
    listener: exchange.listener,
    notify(frame) {
      if (stream.closed) return
      checking = checking.then(stillTheSame).then(
        () => stream.offer(frame),
        () => end(),
      )
    },
    start(first, headers) {
      stream.start({
        replay: first,
        headers: { 'cache-control': 'no-cache, no-transform', ...headers },
      })
    },
    end() {
      checking = checking.then(end)
    },
  }
}

/** Ends those of `streams` that came in at this listener. */
export function endStreamsOf(streams: Iterable<NotificationStream>, listener: string): void {
  for (const stream of [...streams]) if (stream.listener === listener) stream.end()
}
