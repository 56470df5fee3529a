import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { openHost } from '../../test/harness/open-host.ts'
import { definePlugin } from '../plugin.ts'
import { initialize, legacy, modern } from './testing/messages.ts'
import { errorOf, resultOf, serve } from './testing/served-stdio.ts'
import { openStdio } from './testing/stdio-client.ts'

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

/** A plugin whose resources give what no client could be sent. */
function careless(given: unknown) {
  const resource = (uri: string) => ({
    uri,
    name: uri,
    title: uri,
    description: uri,
    mimeType: 'text/plain',
    subscribable: false,
    read: async () => given as never,
    list: async () => given as never,
  })
  return definePlugin({
    name: 'careless',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({
      resources: [resource('careless://one'), resource('careless://each/{id}')],
      prompts: [
        { name: 'bare', title: 'Bare', description: 'Takes nothing.', render: async () => 'Bare.' },
        { name: 'mute', title: 'Mute', description: 'Says nothing.', render: async () => given as never },
      ],
    }),
  })
}

test('a resource that gives no content is an error that names it, to the caller and in the log', async (t) => {
  for (const given of [undefined, 5, 'plain', {}, { text: 7 }, { mimeType: 1, text: '' }]) {
    const { host, logged } = await openHost(t, { plugins: [careless(given)] })
    const client = openStdio(t, host)
    client.send(
      modern(1, 'resources/read', { uri: 'careless://one' }),
      modern(2, 'resources/list'),
      modern(3, 'prompts/get', { name: 'mute' }),
    )

    const read = errorOf(await client.answer(1))
    const listed = resultOf(await client.answer(2)) as never as { resources: { uri: string }[] }

    assert.equal(read.code, -32603)
    assert.match(read.message, /plugin "careless" failed to give the resource careless:\/\/one/)
    assert.deepEqual(
      listed.resources.map(({ uri }) => uri),
      ['careless://one'],
      'its list, which is none, does not break the list of all',
    )
    if (typeof given !== 'string')
      assert.match(errorOf(await client.answer(3)).message, /failed to give the prompt "mute"/)
    if (given !== undefined)
      assert.ok(logged.some((line) => line.includes('not be listed') && line.includes('careless://each')))
  }
})

test('content without a type has that of its resource', async (t) => {
  const { host } = await openHost(t, { plugins: [careless({ text: 'Read me.' })] })
  const client = openStdio(t, host)

  client.send(modern(1, 'resources/read', { uri: 'careless://one' }))

  assert.deepEqual(resultOf(await client.answer(1)).contents, [
    { uri: 'careless://one', mimeType: 'text/plain', text: 'Read me.' },
  ])
})

test('a prompt that states no arguments takes none, and every list is answered', async (t) => {
  const { host } = await openHost(t, { plugins: [careless('x')] })
  const client = openStdio(t, host)

  client.send(
    modern(1, 'tools/list'),
    modern(2, 'prompts/list'),
    modern(3, 'prompts/get', { name: 'bare' }),
    modern(4, 'prompts/get', { name: 'bare', arguments: { who: 'Ada' } }),
  )

  assert.ok(resultOf(await client.answer(1)).tools)
  const { prompts } = resultOf(await client.answer(2)) as never as { prompts: { arguments: unknown[] }[] }
  assert.deepEqual(prompts[0]?.arguments, [])
  assert.ok(resultOf(await client.answer(3)))
  assert.match(errorOf(await client.answer(4)).message, /Unknown argument "who". Known: none/)
})

test('a resource that hangs is ended as a tool is, and the list of the others is answered', async (t) => {
  const { host, logged } = await openHost(t, { plugins: [careless(new Promise(() => {}))] })
  const client = openStdio(t, { ...host, limits: { limitMs: 30 } })

  client.send(modern(1, 'resources/read', { uri: 'careless://one' }), modern(2, 'resources/list'))

  const { code, message } = errorOf(await client.answer(1))
  assert.equal(code, -32000)
  assert.match(message, /^The call took longer than 0\.03 s/)
  const { resources } = resultOf(await client.answer(2)) as never as { resources: { uri: string }[] }
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['careless://one'],
  )
  assert.match(logged.join(''), /"resource":"careless:\/\/one","limit_ms":30/)
})

test('a large resource is cut between characters if it is plain text, and refused if it is not', async (t) => {
  const text = `${'x'.repeat(4 * 1024 * 1024 - 1)}é${'x'.repeat(1024)}`
  const [plain, json] = await Promise.all(
    ['text/plain', 'application/json'].map(async (mimeType) => {
      const { host } = await openHost(t, { plugins: [careless({ mimeType, text })] })
      const client = openStdio(t, host)
      client.send(modern(1, 'resources/read', { uri: 'careless://one' }))
      return client.answer(1)
    }),
  )

  const [content] = resultOf(plain as never)['contents'] as [{ text: string; _meta: object }]
  assert.equal(content.text.length, 4 * 1024 * 1024 - 1)
  assert.deepEqual(content._meta, { 'satchel/truncated': true })
  assert.match(
    errorOf(json as never).message,
    /^The resource careless:\/\/one is larger than 4194304 bytes\./,
  )
})
