import { maxHeaderSize, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SatchelError } from '../contract/errors.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import { problemParts } from './problem.ts'
import { refusals } from './refusals.ts'

/** The codes of Node.js; every other one is a request that is not valid HTTP. */
const REFUSED: Readonly<Record<string, () => SatchelError>> = {
  HPE_HEADER_OVERFLOW: () => refusals.head_too_large({ max_bytes: maxHeaderSize }),
  ERR_HTTP_REQUEST_TIMEOUT: refusals.head_timeout,
}

/**
 * Answers what no request can be read from with a problem, where Node.js would send a status alone, and closes the connection.
 * Nothing is written into an answer that has begun. `told`: the status of each answer.
 */
export function refuseUnparsed(server: Server, calls: CallsInFlight, told: (status: number) => void): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    if (code === 'ECONNRESET' || !socket.writable || calls.isAnswering(socket)) {
      socket.destroy()
      return
    }
    const { text, status, headers } = problemParts((REFUSED[code] ?? refusals.unparsed)())
    told(status)
    const lines = Object.entries({ ...headers, connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    const answer = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
    socket.end(answer, () => socket.destroy())
  })
}
