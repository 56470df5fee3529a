import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { openHost } from '../../test/harness/open-host.ts'
import { definePlugin, defineRefusals } from '../plugin.ts'
import type { ToolFilter } from '../tool-filter.ts'
import { initialize, legacy, type Message, modern } from './testing/messages.ts'
import { serveHttp } from './testing/serve-http.ts'
import { openStdio } from './testing/stdio-client.ts'

const TASKS = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
}

const farErrors = defineRefusals({
  far_lost: { code: 'unavailable', message: 'The far server cannot be reached.' },
  far_session_ended: { code: 'unauthorized', message: 'The far session has ended.' },
  far_mismatch: { code: 'unavailable', message: 'The far server speaks another protocol.' },
})
const FAR_ERRORS = {
  lost: (cause: unknown) => farErrors.far_lost({ cause }),
  sessionEnded: () => farErrors.far_session_ended(),
  mismatch: () => farErrors.far_mismatch(),
}

/** A host whose only plugin adds the server at `url`, over stdio. */
async function link(t: TestContext, url: string, filter: Partial<ToolFilter> = {}) {
  const bearers: string[] = []
  const plugin = definePlugin({
    name: 'far',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({
      remote: {
        url,
        toolPrefix: 'sample_',
        uriPrefixes: ['sample://'],
        prompts: ['greet'],
        errors: FAR_ERRORS,
        async bearer() {
          bearers.push('ses_ada')
          return 'ses_ada'
        },
      },
    }),
  })
  const { host } = await openHost(t, { plugins: [plugin], filter })
  return { client: openStdio(t, host), bearers }
}

const resultOf = (message: Message) => message['result'] as Record<string, unknown>
const errorOf = (message: Message) => message['error'] as { code: number; message: string; data?: unknown }
const call = (id: number, name: string, args: object = {}, meta: object = {}) =>
  modern(id, 'tools/call', { name, arguments: args, _meta: meta })

test('a remote server is listed, called, read and prompted like a local one', async (t) => {
  const far = await serveHttp(t)
  const { client, bearers } = await link(t, far.url)

  client.send(
    modern(1, 'tools/list'),
    call(2, 'sample_echo', { text: 'hi' }),
    call(3, 'sample_fail', { how: 'conflict' }),
    modern(4, 'resources/read', { uri: 'sample://note/a%20b/ü'.replace('ü', '%C3%BC') }),
    modern(5, 'resources/read', { uri: 'sample://nothing' }),
    modern(6, 'resources/templates/list'),
    modern(7, 'prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
    modern(8, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'G' },
    }),
    call(9, 'nothing'),
  )
  const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => client.answer(id)))
  const [
    tools = {},
    echo = {},
    fail = {},
    read = {},
    missing,
    templates = {},
    prompt = {},
    completion = {},
    unknown,
  ] = answers.map((message) => ('result' in message ? resultOf(message) : { error: errorOf(message) }))

  assert.ok((tools['tools'] as { name: string }[]).some(({ name }) => name === 'sample_echo'))
  assert.deepEqual(echo['structuredContent'], { text: 'hi', chars: 2 })
  assert.equal(JSON.stringify(echo['_meta']).includes('satchel'), true)
  assert.equal(fail['isError'], true)
  assert.match(JSON.stringify(fail['structuredContent']), /stale_version/)
  assert.match(JSON.stringify(read['contents']), /a b:ü/)
  assert.deepEqual(missing, {
    error: { code: -32602, message: 'Resource not found', data: { uri: 'sample://nothing' } },
  })
  assert.equal((templates['resourceTemplates'] as unknown[]).length, 1)
  assert.match(JSON.stringify(prompt['messages']), /Say hello to Ada/)
  assert.deepEqual((completion['completion'] as { values: unknown }).values, ['Grace'])
  assert.deepEqual(unknown, { error: { code: -32602, message: 'Unknown tool' } })
  assert.equal(bearers.length, 1)
})

test('read_only and exclude also hide tools of a remote server', async (t) => {
  const far = await serveHttp(t)
  const { client } = await link(t, far.url, { readOnly: true, exclude: ['sample_quote'] })

  client.send(modern(1, 'tools/list'))

  const names = (resultOf(await client.answer(1))['tools'] as { name: string }[]).map(({ name }) => name)
  assert.ok(names.includes('sample_echo'))
  for (const hidden of ['sample_fail', 'sample_poke', 'sample_quote'])
    assert.ok(!names.includes(hidden), hidden)
})

test('remote changes reach a modern and an older client over the pipe', async (t) => {
  const far = await serveHttp(t)
  const subscribe = { uri: 'sample://room' }
  const modernLink = await link(t, far.url)
  const oldLink = await link(t, far.url)
  modernLink.client.send(
    modern(1, 'resources/subscribe', subscribe),
    modern(2, 'resources/subscribe', { uri: 'sample://nothing' }),
  )
  oldLink.client.send(initialize(), legacy(1, 'resources/subscribe', subscribe))
  const refused = await modernLink.client.answer(2)
  await Promise.all([modernLink.client.answer(1), oldLink.client.answer(1)])

  for (const { client } of [modernLink, oldLink]) {
    let hint: Message | undefined
    client
      .find(({ method }) => method === 'notifications/resources/updated')
      .then(
        (found) => {
          hint = found
        },
        () => undefined,
      )
    while (!hint) {
      far.world.changed('sample://room')
      await sleep(20)
    }
    assert.deepEqual(hint['params'], subscribe)
  }
  assert.deepEqual(errorOf(refused), { code: -32602, message: 'Unknown or unsubscribable resource' })
})

test('a remote task is started, watched and cancelled over the pipe', async (t) => {
  const far = await serveHttp(t)
  const { client } = await link(t, far.url)
  client.send(call(1, 'sample_job', {}, TASKS), call(2, 'sample_job'))
  const { taskId, resultType } = resultOf(await client.answer(1))
  const inline = resultOf(await client.answer(2))

  client.send(
    modern('L', 'subscriptions/listen', { notifications: { taskIds: [taskId] }, _meta: TASKS }),
    modern(3, 'tasks/get', { taskId, _meta: TASKS }),
    modern(4, 'tasks/get', { taskId: 'task_nothing', _meta: TASKS }),
  )
  await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
  const working = resultOf(await client.answer(3))
  const unknown = errorOf(await client.answer(4))
  client.send(modern(5, 'tasks/cancel', { taskId, _meta: TASKS }))
  await client.answer(5)
  client.send(modern(6, 'tasks/get', { taskId, _meta: TASKS }))

  assert.equal(resultType, 'task')
  assert.match(JSON.stringify(inline['structuredContent']), /inline/)
  assert.equal(working['status'], 'working')
  assert.deepEqual(unknown, { code: -32602, message: 'Unknown task' })
  assert.equal(resultOf(await client.answer(6))['status'], 'cancelled')
})

test('a cancelled call is cancelled at the remote server', async (t) => {
  const far = await serveHttp(t)
  const { client } = await link(t, far.url)
  client.send(call(1, 'sample_wait', { steps: 1, step_ms: 60_000 }))
  while (far.world.calls.length === 0) await sleep(5)

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })

  while (far.world.aborted === 0) await sleep(5)
  assert.equal(far.world.aborted, 1)
})

test('an ended session is reported, after its credential was requested once more', async (t) => {
  const far = await serveHttp(t)
  const { client, bearers } = await link(t, far.url)
  client.send(call(1, 'sample_echo', { text: 'a' }))
  await client.answer(1)

  far.sessions.delete('ses_ada')
  client.send(call(2, 'sample_echo', { text: 'b' }))

  const refused = resultOf(await client.answer(2))
  assert.equal(refused['isError'], true)
  assert.match(JSON.stringify(refused['structuredContent']), /"unauthorized".*"far_session_ended"/)
  assert.equal(bearers.length >= 2, true)
})

test('a call to a lost remote server is refused, and local tools still work', async (t) => {
  const far = await serveHttp(t)
  const { client } = await link(t, far.url)
  client.send(call(1, 'sample_fail', { how: 'conflict' }))
  await client.answer(1)

  await far.close()
  client.send(call(2, 'sample_fail', { how: 'conflict' }), modern(3, 'tools/list'))

  const lost = resultOf(await client.answer(2))
  assert.match(JSON.stringify(lost['structuredContent']), /"unavailable".*"far_lost"/)
  assert.ok(resultOf(await client.answer(3))['tools'])
  assert.equal(await client.end(), 0)
})

test('a remote server that cannot be reached at the start is omitted, and a call of its tools says why', async (t) => {
  const { client } = await link(t, 'http://127.0.0.1:1/mcp')

  client.send(modern(1, 'tools/list'), call(2, 'sample_echo', { text: 'a' }), call(3, 'other_echo'))

  assert.deepEqual(resultOf(await client.answer(1))['tools'], [])
  const refused = resultOf(await client.answer(2))
  assert.equal(refused['isError'], true)
  assert.match(JSON.stringify(refused['structuredContent']), /"unavailable".*"far_lost"/)
  assert.equal(errorOf(await client.answer(3)).message, 'Unknown tool')
})
