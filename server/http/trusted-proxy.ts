import type { IncomingMessage } from 'node:http'
import type { Exchange, HttpOptions } from './exchange.ts'

const MAPPED = /^::ffff:/

/** Reports whether `http.trust_proxy` names the peer: a proxy that is believed, and whose callers always need a token. */
export function isTrustedProxy(
  { incoming }: Pick<Exchange, 'incoming'>,
  { trustProxy = [] }: HttpOptions,
): boolean {
  const peer = incoming.socket.remoteAddress?.replace(MAPPED, '')
  return peer !== undefined && trustProxy.includes(peer)
}

/** Returns the origin of this server as the caller's browser sees it; a trusted proxy states scheme and host. */
export function ownOrigin(exchange: Pick<Exchange, 'incoming'>, options: HttpOptions): string {
  const { incoming } = exchange
  const stated = isTrustedProxy(exchange, options)
  const scheme = stated && lastOf(incoming, 'x-forwarded-proto') === 'https' ? 'https' : 'http'
  const host = (stated && lastOf(incoming, 'x-forwarded-host')) || incoming.headers.host
  return `${scheme}://${host ?? ''}`
}

/** Returns the address of the caller, as the nearest trusted proxy states it; empty for a socket. */
export function callerAddress(exchange: Pick<Exchange, 'incoming'>, options: HttpOptions): string {
  const { incoming } = exchange
  const stated = isTrustedProxy(exchange, options) ? lastOf(incoming, 'x-forwarded-for') : undefined
  return stated || (incoming.socket.remoteAddress ?? '')
}

/** Returns the last entry, which the nearest proxy wrote. */
function lastOf({ headers }: IncomingMessage, name: string): string | undefined {
  return headers[name]?.toString().split(',').at(-1)?.trim().toLowerCase()
}
