import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../test/harness/index.ts'
import { createClient, type ResourceEvent } from './client.ts'
import { openDoor, TOKEN } from './http/testing/open-door.ts'

async function openClient(t: Parameters<typeof openDoor>[0]) {
  process.env['XDG_STATE_HOME'] = await temporaryFolder(t) // not that of who runs the test
  const opened = await openDoor(t)
  return { ...opened, client: createClient({ baseUrl: opened.door.address }) }
}

describe('client', () => {
  it('calls a tool by name, wherever its input travels', async (t) => {
    const { client } = await openClient(t)

    const echo = await client.call('echo', { text: 'hello' })
    const note = await client.call('note_get', { id: 'a/b', limit: 3, where: { size: 1 }, tags: ['x', 'y'] })
    const patched = await client.call('note_update', { id: 'a', text: 'x', if_match: '7' })
    const deleted = await client.call('note_delete', { id: 'a', force: true })

    assert.equal(echo['text'], 'hello')
    assert.deepEqual([note['id'], note['given']], ['a/b', { limit: 3, where: { size: 1 }, tags: ['x', 'y'] }])
    assert.deepEqual(patched, { id: 'a', if_match: '7' })
    assert.deepEqual(deleted, { id: 'a', force: true })
  })

  it('is known by its connection where the token file is of another server', async (t) => {
    const { client } = await openClient(t)
    const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'satchel')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(folder, 'local-token'), `${'0'.repeat(32)}\n`, { mode: 0o600 })

    assert.equal((await client.call('echo', { text: 'hello' }))['text'], 'hello')
  })

  it('knows input and output of tools whose types it is given', async (t) => {
    const { door } = await openDoor(t)
    const client = createClient<{ echo: { input: { text: string }; output: { text: string } } }>({
      baseUrl: `${door.address}/`,
      token: TOKEN,
    })

    const { text } = await client.call('echo', { text: 'typed' })
    // @ts-expect-error: the input is wrong
    await assert.rejects(client.call('echo', { txet: 'typed' }), { reason: 'unknown_argument' })

    assert.equal(text, 'typed')
  })

  it('throws the error of the tool, with code, reason, details and next', async (t) => {
    const { client } = await openClient(t)

    await assert.rejects(client.call('fail', { code: 'conflict', reason: 'stale_version' }), {
      name: 'SatchelError',
      code: 'conflict',
      reason: 'stale_version',
      details: { sent: 'conflict' },
      next: { tool: 'echo', args: { text: 'x' } },
    })
    await assert.rejects(client.call('note_get', { id: 'a', lmit: 1 }), {
      code: 'invalid',
      reason: 'unknown_argument',
    })
    await assert.rejects(client.call('nothing', {}), { code: 'not_found', reason: 'unknown_tool' })
  })

  it('reports an unreachable server, a wrong token and a cancelled call', async (t) => {
    const { client, door } = await openClient(t)
    const wrong = createClient({ baseUrl: door.address, token: 'wrong' })
    const cancel = new AbortController()

    await assert.rejects(wrong.health(), { code: 'unauthorized' })
    const waiting = client.call('wait', {}, cancel.signal)
    setTimeout(() => cancel.abort(), 20)
    await assert.rejects(waiting, { code: 'cancelled' })
    assert.equal((await client.health()).status, 'healthy')
    const elsewhere = createClient({
      baseUrl: door.address,
      fetch: async () => new Response('<h1>', { status: 502 }),
    })
    await assert.rejects(elsewhere.health(), { code: 'internal', reason: 'unexpected_answer' })
    await door.close()
    await assert.rejects(client.health(), { code: 'unavailable', reason: 'unreachable' })
  })

  it('follows changes', async (t) => {
    const { client, sample, host } = await openClient(t)
    const stop = new AbortController()
    const seen: ResourceEvent[] = []
    const following = (async () => {
      for await (const event of client.events(['note://'], stop.signal)) {
        seen.push(event)
        if (seen.length === 2) break
      }
    })()
    while (host.hub.listenerCount === 0) await new Promise((resolve) => setTimeout(resolve, 5))

    for (const uri of ['note://a', 'room://status', 'note://é b']) sample.host?.resourceChanged(uri)
    await following
    stop.abort()

    assert.deepEqual(seen, [
      { kind: 'resource', uri: 'note://a' },
      { kind: 'resource', uri: 'note://é b' },
    ])
  })
})
