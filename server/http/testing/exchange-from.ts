import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { createLog } from '../../log.ts'
import type { Exchange } from '../exchange.ts'

/** A request on the API listener as if it had come from `peer`: tests never leave loopback. */
export function exchangeFrom(peer: string, headers: Record<string, string>): Exchange {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const incoming = new IncomingMessage(socket)
  Object.assign(incoming, { httpVersion: '1.1', url: '/' })
  Object.assign(incoming.headers, { host: 'localhost:8000', ...headers })
  return {
    listener: { name: 'api', at: { host: '0.0.0.0', port: 0 }, mcp: true },
    port: 8000,
    request: new Request('http://localhost/'),
    incoming,
    outgoing: new ServerResponse(incoming),
    params: {},
    signal: new AbortController().signal,
    log: createLog(
      'error',
      () => {},
      () => new Date(),
    ),
  }
}
