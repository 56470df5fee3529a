import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/harness/until.ts'
import { manualAfter } from '../fanout/testing/manual-after.ts'
import { createKeptServers } from './kept-servers.ts'

/** A server that is kept, and waits for its next host. */
async function openKept(t: TestContext) {
  const clock = manualAfter()
  const kept = createKeptServers(clock.after)
  const server = createServer(() => assert.fail('the host before answers'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => kept.keepOnly([]))
  kept.keepOnly(['here'])
  kept.put('here', server)
  const ask = () => get({ port: (server.address() as AddressInfo).port, agent: false }).on('error', () => {})
  const answered = async (asked = ask()): Promise<IncomingMessage> => (await once(asked, 'response'))[0]
  return {
    clock,
    kept,
    server,
    ask,
    answered,
    waits: (count: number) => until(() => clock.waiting.size === count),
  }
}

test('a request waits for the next host, which answers it once; one whose client left is dropped', async (t) => {
  const { kept, server, ask, answered, waits } = await openKept(t)
  let requests = 0
  const [leaving, waiting] = [ask(), answered()]
  await waits(2)
  leaving.destroy()
  await waits(1)

  const next = kept.take('here')
  server.removeAllListeners('request').on('request', (_, outgoing) => {
    requests += 1
    outgoing.end('next')
  })
  next?.resume()
  t.after(() => server.close())

  assert.equal((await waiting).statusCode, 200)
  assert.equal((await answered()).statusCode, 200)
  assert.equal(requests, 2)
  assert.equal(kept.take('here'), undefined)
})

test('without a next host a request is refused after 30 s, and a place that is no longer wanted is closed', async (t) => {
  const { clock, kept, server, ask, answered, waits } = await openKept(t)
  const late = answered()
  await waits(1)
  clock.fire(30_000)
  const refused = await late
  const [problem] = (await once(refused, 'data')).map(String)
  const cut = new Promise((resolve) => ask().once('close', resolve))
  await waits(1)

  kept.keepOnly(['elsewhere'])
  await cut

  assert.equal(refused.statusCode, 503)
  assert.equal(JSON.parse(String(problem)).reason, 'stopping')
  assert.equal(server.listening, false)
  assert.equal(kept.take('here'), undefined)
})
