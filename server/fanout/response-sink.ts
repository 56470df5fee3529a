import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Sink } from './pump-reader.ts'

export interface ResponseSink extends Sink {
  /** Takes its listeners off a socket that outlives the response. */
  release(): void
}

/**
 * A response as a sink. Chunked responses get whole shared chunks straight on the socket, all others
 * (HTTP/1.0, `Connection: close`, a pipelined response whose turn has not come) go through the response.
 * `onRoom` is called when the socket drained.
 */
export function createResponseSink(outgoing: ServerResponse, onRoom: () => void): ResponseSink {
  let listened: Socket | undefined
  const listen = (socket: Socket | null): void => {
    if (socket === null || listened !== undefined) return
    listened = socket
    socket.on('drain', onRoom)
  }
  // A response reports a lost client by `close`; the error itself tells nothing more.
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
