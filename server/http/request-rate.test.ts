import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { askAt, openDoor, TOKEN } from './testing/open-door.ts'

const bearer = { authorization: `Bearer ${TOKEN}` }

describe('a rate of requests', () => {
  it('is refused above the setting with the time to wait, also without a valid token', async (t) => {
    const { ask } = await openDoor(t, {}, { rate: 0.001 })

    const first = await ask('/health', { headers: { authorization: 'Bearer wrong-token' } })
    const second = await ask('/health', { headers: bearer })

    assert.equal(first.status, 401)
    assert.deepEqual([second.status, second.json['reason']], [429, 'too_many_requests'])
    assert.ok(Number(second.headers['retry-after']) > 0)
  })

  it('counts requests to unknown paths too', async (t) => {
    const { ask } = await openDoor(t, {}, { rate: 0.001 })

    const statuses = [await ask('/nowhere'), await ask('/nowhere'), await ask('/health')].map(
      ({ status }) => status,
    )

    assert.deepEqual(statuses, [404, 429, 429])
  })

  it('belongs to the address that a trusted proxy states', async (t) => {
    const { ask } = await openDoor(t, {}, { rate: 0.001, trustProxy: ['127.0.0.1'] })
    const statusFor = async (address: string): Promise<number> =>
      (await ask('/health', { headers: { ...bearer, 'x-forwarded-for': address } })).status

    assert.deepEqual(
      [await statusFor('192.0.2.1'), await statusFor('192.0.2.2'), await statusFor('6.6.6.6, 192.0.2.1')],
      [200, 200, 429],
    )
  })
})

describe('the main listener', () => {
  it('tells the delay of the event loop in /ready', async (t) => {
    const delay = { p50: 1, p99: 2, max: 3 }
    const { ask } = await openDoor(t, {}, { loopDelay: () => delay })

    assert.deepEqual((await ask('/ready')).json['loop_delay_ms'], delay)
  })

  it('at a socket serves this user without a token, but nothing that passed a proxy', async (t) => {
    const socket = join(await temporaryFolder(t), 'api.sock')
    const { door } = await openDoor(t, { at: { socket } })
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await askAt(door, '/health', { headers })).status

    assert.equal(await statusWith({}), 200)
    assert.equal(await statusWith({ via: '1.1 proxy' }), 401)
    assert.equal(await statusWith({ via: '1.1 proxy', ...bearer }), 200)
  })
})
