import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Sink } from './pump-reader.ts'

export interface ResponseSink extends Sink {
  /** Removes its listeners from the socket, which outlives the response. */
  release(): void
}

/**
 * Creates a sink for a response. Chunked responses write shared chunks directly to the socket; all others (HTTP/1.0,
 * `Connection: close`, a pipelined response that must wait) write through the response. `onRoom` is called on drain.
 */
export function createResponseSink(outgoing: ServerResponse, onRoom: () => void): ResponseSink {
  let listened: Socket | undefined
  const listen = (socket: Socket | null): void => {
    if (socket === null || listened !== undefined) return
    listened = socket
    socket.on('drain', onRoom)
  }
  // A lost client is also reported by `close`; the error adds nothing.
  const ignore = (): void => {}

  listen(outgoing.socket)
  outgoing.on('socket', listen)
  outgoing.on('drain', onRoom)
  outgoing.on('error', ignore)
  return {
    write(joined) {
      const { socket } = outgoing
      if (outgoing.destroyed) return true
      if (socket !== null && outgoing.headersSent && outgoing.chunkedEncoding)
        return socket.write(joined.chunk())
      return outgoing.write(joined.plain())
    },
    destroy: () => void outgoing.destroy(),
    release() {
      listened?.off('drain', onRoom)
      outgoing.off('socket', listen)
      outgoing.off('drain', onRoom)
    },
  }
}
