import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorOf, resultOf, serve } from './testing/served-stdio.ts'
import { initialize, legacy, modern } from './testing/stdio-client.ts'

test('resources: fixed ones and listed ones, templates apart, read with their cache hints', async (t) => {
  const { client } = await serve(t)

  client.send(
    modern(1, 'resources/list'),
    modern(2, 'resources/templates/list'),
    modern(3, 'resources/read', { uri: 'sample://note/a%20b/2%2F3' }),
    modern(4, 'resources/read', { uri: 'sample://manual' }),
  )

  const list = resultOf(await client.answer(1)) as never as { resources: { uri: string }[]; ttlMs: number }
  assert.deepEqual(
    list.resources.map(({ uri }) => uri),
    ['sample://status', 'sample://manual', 'sample://room', 'sample://note/a%20b/1'],
  )
  assert.equal(list.ttlMs, 5_000)
  const { resourceTemplates } = resultOf(await client.answer(2)) as never as {
    resourceTemplates: { uriTemplate: string }[]
  }
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['sample://note/{id}/{part}'],
  )
  const note = resultOf(await client.answer(3))
  assert.deepEqual(note.contents, [
    { uri: 'sample://note/a%20b/2%2F3', mimeType: 'text/plain', text: 'a b:2/3' },
  ])
  assert.deepEqual({ ttlMs: note.ttlMs, cacheScope: note.cacheScope }, { ttlMs: 0, cacheScope: 'private' })
  const manual = resultOf(await client.answer(4))
  assert.deepEqual(manual.contents, [
    { uri: 'sample://manual', mimeType: 'text/plain', text: 'Use it.', _meta: { 'satchel/truncated': true } },
  ])
  assert.deepEqual(
    { ttlMs: manual.ttlMs, cacheScope: manual.cacheScope },
    { ttlMs: 3_600_000, cacheScope: 'public' },
  )
})

test('unknown, foreign and badly encoded resources are one and the same not-found', async (t) => {
  const uris = ['sample://room', 'sample://nothing', 'sample://note/x/1', 'sample://note/%zz/1']
  const { client } = await serve(t)

  uris.forEach((uri, id) => {
    client.send(modern(id, 'resources/read', { uri }))
  })

  for (const [id, uri] of uris.entries()) {
    const error = errorOf(await client.answer(id))
    assert.deepEqual(error, { code: -32602, message: 'Resource not found', data: { uri } })
  }
})

test('an older client gets -32002 for an unknown resource', async (t) => {
  const { client } = await serve(t)

  client.send(initialize(), legacy(1, 'resources/read', { uri: 'sample://nothing' }))

  assert.equal(errorOf(await client.answer(1)).code, -32002)
})

test('an older client subscribes, is notified of each change once a turn, and unsubscribes', async (t) => {
  const { client, world, host } = await serve(t)
  client.send(initialize(), legacy(1, 'resources/subscribe', { uri: 'sample://status' }))
  await client.answer(1)

  world.changed('sample://status')
  world.changed('sample://status')
  const hint = await client.find((message) => message['method'] === 'notifications/resources/updated')
  client.send(legacy(2, 'resources/unsubscribe', { uri: 'sample://status' }))
  await client.answer(2)
  world.changed('sample://status')
  await sleep(5)

  assert.deepEqual(hint['params'], { uri: 'sample://status' })
  assert.equal(client.received.filter((message) => 'method' in message).length, 1)
  assert.equal(host.hub.listenerCount, 0)
})

test('every resource that cannot be watched gets the same refusal', async (t) => {
  const uris = ['sample://manual', 'sample://room', 'sample://nothing', 'sample://note/x/1']
  const { client } = await serve(t)

  client.send(initialize())
  uris.forEach((uri, id) => {
    client.send(legacy(id + 1, 'resources/subscribe', { uri }))
  })

  for (const [id] of uris.entries()) {
    assert.deepEqual(errorOf(await client.answer(id + 1)), {
      code: -32602,
      message: 'Unknown or unsubscribable resource',
    })
  }
})
