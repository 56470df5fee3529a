import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { problem } from '../../../server/http/problem.ts'
import { SatchelError } from '../../../server/plugin.ts'
import { listening } from '../../../test/harness/listening.ts'
import { callOwner, followEvents, LinkLost, LinkSilent, MAX_CONCURRENT_CALLS } from './link.ts'
import { lostOwner } from './lost-owner.ts'

/** An owner that refuses every call with this error, as a listener does. */
async function ownerRefusing(t: TestContext, error: SatchelError): Promise<{ readonly url: string }> {
  const server = createServer(async (_, response) => {
    const refusal = problem(error)
    response.writeHead(refusal.status, Object.fromEntries(refusal.headers)).end(await refusal.text())
  })
  return await listening(t, server)
}

const PING = { method: 'GET', path: '/local/ping' } as const
const FOLLOWING = { token: 't', since: 0, signal: new AbortController().signal }

test('an owner that is stopping is a lost one, so that the next one is asked; every other refusal is its own', async (t) => {
  const stopping = await ownerRefusing(
    t,
    new SatchelError('unavailable', 'stopping', 'The server is stopping.'),
  )
  const denying = await ownerRefusing(t, new SatchelError('forbidden', 'permission_denied', 'Not you.'))

  await assert.rejects(callOwner(stopping, PING), LinkLost)
  await assert.rejects(
    followEvents(stopping, FOLLOWING, () => {}),
    LinkLost,
  )
  await assert.rejects(callOwner(denying, PING), { code: 'forbidden', reason: 'permission_denied' })
})

test('calls that go in turn are never more than eight at the owner, and each gets its own answer; a call besides them goes immediately', async (t) => {
  const held: (() => void)[] = []
  let most = 0
  const server = createServer((request, response) => {
    const answer = (): void => void response.end(JSON.stringify({ path: request.url }))
    if (request.url === PING.path) return answer()
    held.push(answer)
    most = Math.max(most, held.length)
    server.emit('held')
  })
  const owner = await listening(t, server)
  const paths = Array.from({ length: 3 * MAX_CONCURRENT_CALLS }, (_, at) => `/call/${at}`)

  const answers = Promise.all(paths.map((path) => callOwner(owner, { method: 'GET', path, inTurn: true })))
  while (held.length < MAX_CONCURRENT_CALLS) await once(server, 'held')
  const besides = await callOwner(owner, PING)
  for (let left = paths.length; left > 0; left--) {
    while (held.length === 0) await once(server, 'held')
    held.shift()?.()
  }

  assert.deepEqual(besides, { path: PING.path })
  assert.deepEqual(
    await answers,
    paths.map((path) => ({ path })),
  )
  assert.equal(most, MAX_CONCURRENT_CALLS)
})

test('an answer of an owner is bounded, and leads nowhere else', async (t) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    if (request.url === '/led') return void response.writeHead(307, { location: '/trap' }).end()
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const more = (): void => {
      while (response.write(piece));
    }
    response.on('drain', more)
    more()
  })
  const owner = await listening(t, server)

  await assert.rejects(callOwner(owner, { method: 'GET', path: '/endless' }), { reason: 'protocol_mismatch' })
  await assert.rejects(callOwner(owner, { method: 'GET', path: '/led' }), { reason: 'protocol_mismatch' })

  assert.deepEqual(asked, ['/endless', '/led'])
})

test('an owner that is silent may go on: its caller is told so, with the key that makes a repeat safe', async (t) => {
  const silent = createServer(() => {})
  const { url } = await listening(t, silent)
  const lost = (call: { method: 'GET' | 'POST'; path: string }) =>
    callOwner({ url }, { ...call, limitMs: 20 }).catch((thrown: unknown) => thrown)

  const read = await lost(PING)
  const change = await lost({ method: 'POST', path: '/workspace/propose' })

  assert.ok(read instanceof LinkSilent && change instanceof LinkSilent)
  assert.deepEqual([lostOwner(read, 'k').details, lostOwner(read, 'k').next], [{}, undefined])
  assert.deepEqual(lostOwner(change, 'k').details, { idempotency_key: 'k' })
  assert.deepEqual(lostOwner(change).next, { tool: 'workspace_status', args: {} })
  assert.match(lostOwner(change, 'k').message, /may still take effect.*idempotency_key "k"/)
  assert.doesNotMatch(lostOwner(change, 'k').message, /has ended/)
  assert.match(lostOwner(new LinkLost('x')).message, /has ended/)
})

test('a refusal of the owner keeps what it says of text of others', async (t) => {
  const stale = new SatchelError('conflict', 'stale_version', 'Stale.', {
    details: { diff: 'x' },
    untrusted: ['diff'],
  })

  await assert.rejects(callOwner(await ownerRefusing(t, stale), PING), { untrusted: ['diff'] })
})
