import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openHost } from '../../test/harness/open-host.ts'
import { post } from './testing/http-client.ts'
import { modern } from './testing/messages.ts'
import { samplePlugin } from './testing/sample-plugin.ts'
import { serveHttp } from './testing/serve-http.ts'
import { openStdio } from './testing/stdio-client.ts'

const METHODS = [
  'initialize',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'notifications/cancelled',
  'notifications/initialized',
  '__proto__',
  'constructor',
]
const NAMES = ['name', 'uri', 'arguments', 'cursor', 'taskId', 'ref', 'argument', '_meta', '__proto__']

/** Messages that are nearly right: known methods and fields, with values of any kind. */
const nearlyRight = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.oneof(
      fc.integer({ min: 1000 }),
      fc.string({ minLength: 1, maxLength: 9 }),
      fc.constantFrom(null, {}, [], 1.5),
    ),
    method: fc.oneof(fc.constantFrom(...METHODS), fc.string()),
    params: fc.oneof(
      fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue()),
      fc.jsonValue(),
      fc
        .dictionary(fc.constantFrom(...NAMES), fc.jsonValue())
        .map((params) => modern(1, 'x', params)['params']),
    ),
  },
  { requiredKeys: [] },
)
const anything = fc.oneof(nearlyRight, nearlyRight, fc.jsonValue(), fc.array(nearlyRight, { maxLength: 3 }))

test('for any posted JSON the answer is JSON-RPC, nothing leaks, and the next request is served', async (t) => {
  const { url } = await serveHttp(t)
  const modernHeaders = { 'mcp-protocol-version': '2026-07-28' }

  await fc.assert(
    fc.asyncProperty(anything, fc.boolean(), async (message, isModern) => {
      const method = (message as { method?: unknown } | null)?.method
      const named =
        typeof method === 'string' && /^[\x21-\x7e]+$/.test(method) ? { 'mcp-method': method } : {}
      const { status, body } = await post(url, message, isModern ? { ...modernHeaders, ...named } : {})

      assert.ok([200, 202, 400, 404].includes(status), `${status}`)
      if (status === 202) return
      const said = JSON.stringify(body)
      assert.ok(Array.isArray(body) || body?.['jsonrpc'] === '2.0', said)
      assert.ok(!/secret text|\bat .*\.ts:\d/.test(said), said)
      assert.ok(!/-32603/.test(said), said)
    }),
    { numRuns: 300 },
  )
  assert.equal(
    (await post(url, modern(1, 'tools/list'), { ...modernHeaders, 'mcp-method': 'tools/list' })).status,
    200,
  )
})

test('any line over stdio is answered at most once, and the next request is served', async (t) => {
  const { plugin } = samplePlugin()
  const { host } = await openHost(t, { plugins: [plugin] })
  const line = fc.oneof(
    anything.map((value) => JSON.stringify(value)),
    fc.string().filter((text) => !text.includes('\n')),
  )

  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      const client = openStdio(t, host)
      for (const each of lines) client.write(`${each}\n`)
      client.send(modern('last', 'nothing/here'))
      const code = await client.end()

      assert.equal(code, 0)
      const answers = client.received.filter((message) => !('method' in message))
      assert.ok(answers.length <= lines.length + 1, JSON.stringify(answers))
      assert.ok(client.received.some(({ id }) => id === 'last'))
      assert.ok(!JSON.stringify(answers).includes('-32603'), JSON.stringify(answers))
    }),
    { numRuns: 60 },
  )
})
