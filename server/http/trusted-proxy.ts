import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Exchange, HttpOptions } from './exchange.ts'

/** Each list of addresses and ranges is read once. */
const read = new WeakMap<readonly string[], BlockList>()

/** Reports whether `http.trust_proxy` names the peer: a proxy that is believed, and whose callers always need a token. */
export function isTrustedProxy(
  { incoming }: Pick<Exchange, 'incoming'>,
  { trustProxy = [] }: HttpOptions,
): boolean {
  const peer = incoming.socket.remoteAddress
  return peer !== undefined && trustProxy.length > 0 && listOf(trustProxy).check(peer, familyOf(peer))
}

/** An address matches in every spelling, also where the peer's is mapped to IPv6. */
function listOf(trusted: readonly string[]): BlockList {
  const known = read.get(trusted)
  if (known) return known
  const list = new BlockList()
  for (const entry of trusted) {
    const [address = '', prefix] = entry.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  read.set(trusted, list)
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
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
