import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchangeFrom } from './testing/exchange-from.ts'
import { OPTIONS } from './testing/listen.ts'
import { callerAddress, isTrustedProxy } from './trusted-proxy.ts'

test('a proxy is known by its address in every spelling, and by the range it is in', () => {
  const trustProxy = ['192.0.2.7', '10.1.0.0/16', '2001:DB8:0::1', 'fd00::/8']
  const cases: readonly (readonly [peer: string, isTrusted: boolean])[] = [
    ['192.0.2.7', true],
    ['::ffff:192.0.2.7', true],
    ['192.0.2.8', false],
    ['10.1.255.1', true],
    ['::ffff:10.1.2.3', true],
    ['10.2.0.1', false],
    ['2001:db8::1', true],
    ['2001:db8::2', false],
    ['fd12:3456::1', true],
    ['127.0.0.1', false],
  ]

  for (const [peer, isTrusted] of cases) {
    const exchange = exchangeFrom(peer, { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' })
    assert.equal(isTrustedProxy(exchange, { ...OPTIONS, trustProxy }), isTrusted, peer)
    assert.equal(callerAddress(exchange, { ...OPTIONS, trustProxy }), isTrusted ? '203.0.113.9' : peer, peer)
    assert.equal(isTrustedProxy(exchange, OPTIONS), false)
  }
})
