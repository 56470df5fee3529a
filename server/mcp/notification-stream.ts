import type { After } from '../fanout/after.ts'
import { type EventStream, openEventStream } from '../fanout/event-stream.ts'
import type { Pump } from '../fanout/pump.ts'
import type { McpExchange } from '../mcp-mount.ts'

/** Maximum number of bytes queued for one reader (mcp, section 5). */
const MAX_WAITING_BYTES = 256 * 1024

export interface NotificationStreamOptions {
  readonly pump: Pump
  readonly after?: After
  /** Absent: 256 KiB and 64 messages. */
  readonly maxBytes?: number
  /** Final message of a stream that the server ends. */
  finalMessage?(): unknown
  /** Called once when the stream ends for any reason. */
  onClose(): void
}

/** Messages to one client over server-sent events. The stream ends when the caller loses its rights. */
export interface NotificationStream {
  readonly closed: boolean
  /** The listener of the request. */
  readonly listener: string
  /** Never blocks. The caller is authenticated again before the frame is sent. */
  notify(frame: Buffer): void
  /** Sends status and headers, then `first`, which does not count towards the limits. */
  start(first: readonly Buffer[], headers?: Readonly<Record<string, string>>): void
  /** Sends the queued messages and the final one, then ends the stream. */
  end(): void
}

/** Formats a message as one server-sent event without id, because streams cannot be resumed. */
export function messageFrame(message: unknown): Buffer {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

/**
 * Creates a stream over the raw response of the exchange; `start` sends its first byte.
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
    stream.end(options.finalMessage && messageFrame(options.finalMessage()))
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
      return stream.isClosed()
    },
    listener: exchange.listener,
    notify(frame) {
      if (stream.isClosed()) return
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

/** Ends the streams of this listener. */
export function endStreamsOf(streams: Iterable<NotificationStream>, listener: string): void {
  for (const stream of [...streams]) if (stream.listener === listener) stream.end()
}
