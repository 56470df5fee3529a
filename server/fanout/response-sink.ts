import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { JoinedFrames } from './joined-frames.ts'
import type { Sink } from './pump-reader.ts'

// A lost client is also reported by `close`; the error adds nothing.
const ignore = (): void => {}

/**
 * A sink for a response. Chunked responses write shared chunks directly to the socket; all others (HTTP/1.0,
 * `Connection: close`, a pipelined response that must wait) write through the response. A class for the same reason as
 * `Mailbox`.
 */
export class ResponseSink implements Sink {
  readonly #outgoing: ServerResponse
  readonly #onRoom: () => void
  #listened: Socket | undefined

  /** `onRoom` is called on drain. */
  constructor(outgoing: ServerResponse, onRoom: () => void) {
    this.#outgoing = outgoing
    this.#onRoom = onRoom
    this.#listen(outgoing.socket)
    outgoing.on('socket', this.#listen)
    outgoing.on('drain', onRoom)
    outgoing.on('error', ignore)
  }

  write(joined: JoinedFrames): boolean {
    const outgoing = this.#outgoing
    if (outgoing.destroyed) return true
    const { socket } = outgoing
    if (socket !== null && outgoing.headersSent && outgoing.chunkedEncoding)
      return socket.write(joined.chunk())
    return outgoing.write(joined.plain())
  }

  destroy(): void {
    this.#outgoing.destroy()
  }

  /** Removes its listeners from the socket, which outlives the response. */
  release(): void {
    this.#listened?.off('drain', this.#onRoom)
    this.#outgoing.off('socket', this.#listen)
    this.#outgoing.off('drain', this.#onRoom)
  }

  readonly #listen = (socket: Socket | null): void => {
    if (socket === null || this.#listened !== undefined) return
    this.#listened = socket
    socket.on('drain', this.#onRoom)
  }
}
