import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHost } from '../../test/harness/open-host.ts'
import { initialize, legacy, type Message } from './testing/messages.ts'
import { samplePlugin } from './testing/sample-plugin.ts'
import { openStdio } from './testing/stdio-client.ts'

const echo = (id: string | number, text: string): Message =>
  legacy(id, 'tools/call', { name: 'sample_echo', arguments: { text } })
const isBatch = (message: unknown): boolean => Array.isArray(message)

async function opened(t: Parameters<typeof openHost>[0], version: string) {
  const { host } = await openHost(t, { plugins: [samplePlugin().plugin] })
  const client = openStdio(t, Promise.resolve(host))
  client.send(initialize(version))
  await client.answer(0)
  return client
}

test('a batch of 2025-03-26 is answered by one array: every request, also a refused one, and no notification', async (t) => {
  const client = await opened(t, '2025-03-26')

  client.write(
    `${JSON.stringify([echo(1, 'a'), { jsonrpc: '2.0', method: 'notifications/initialized' }, 7, echo('1', 'b'), echo(1, 'c')])}\n`,
  )
  const answers: unknown = await client.find(isBatch)
  client.write('[]\n')
  client.send(echo(9, 'alone'))

  assert.deepEqual(
    (answers as Message[]).map(({ id, error }) => [id, (error as { code?: number })?.code]).sort(),
    [
      [1, undefined],
      ['1', undefined],
      [1, -32600],
      [null, -32600],
    ].sort(),
  )
  assert.equal((await client.answer(null))['error'] !== undefined, true, 'an empty batch')
  assert.notEqual((await client.answer(9))['result'], undefined)
})

test('other versions have no batches', async (t) => {
  const client = await opened(t, '2025-06-18')

  client.write(`${JSON.stringify([echo(1, 'a')])}\n`)

  assert.equal(((await client.answer(null))['error'] as { code: number }).code, -32600)
})

test('the id of a request in flight is refused for another, and free after its answer', async (t) => {
  const client = await opened(t, '2025-11-25')
  const isOf = (id: number, member: string) => (message: Message) => message.id === id && member in message

  client.send(
    legacy(5, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }),
    echo(5, 'second'),
  )
  const refused = await client.find(isOf(5, 'error'))
  client.send(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } },
    echo(5, 'third'),
  )
  const answered = await client.find(isOf(5, 'result'))

  assert.equal((refused['error'] as { code: number }).code, -32600)
  assert.match(JSON.stringify(answered['result']), /third/)
})
