import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { openHost } from '../../test/harness/index.ts'
import { ERROR_CODES } from '../contract/errors.ts'
import { definePlugin } from '../contract/plugin.ts'
import { defineTool } from '../contract/tool.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { listen } from './testing/listen.ts'
import { askAt, openDoor } from './testing/open-door.ts'

const versionPlugin = definePlugin({
  name: 'versions',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    tools: [
      defineTool({
        name: 'version_raise',
        title: 'Raise',
        description: 'Raises a version.',
        profile: 'core',
        input: z.object({ id: z.string(), was: z.int() }),
        output: z.object({ version: z.int() }),
        annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
        http: { method: 'PUT', path: '/versions/{id}', headers: { 'if-match': 'was' }, etag: 'version' },
        example: { id: 'a', was: 1 },
        handler: async (_ctx, { was }) => ({ version: was + 1 }),
        headline: () => 'raised',
      }),
    ],
  }),
})

describe('REST', () => {
  it('answers a tool call with the output as JSON', async (t) => {
    const { ask } = await openDoor(t)

    const answer = await ask('/echo', { body: { text: 'hello' } })

    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'application/json')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.deepEqual(answer.json, { text: 'hello', door: 'http', principal: 'local' })
  })

  it('coerces path and query by the type the schema states', async (t) => {
    const { ask } = await openDoor(t)

    const answer = await ask('/notes/a%2Fb%20c?limit=3&deep=true&tags=x&tags=y&sizes=2&where={"size":1}')

    assert.deepEqual(answer.json, {
      id: 'a/b c',
      version: 7,
      given: { limit: 3, deep: true, tags: ['x', 'y'], sizes: [2], where: { size: 1 } },
    })
  })

  it('leaves text that does not fit its type to the schema, which names the pointer', async (t) => {
    const { ask } = await openDoor(t)
    for (const [query, pointer] of [
      ['where={"size":"x"}', '/where/size'],
      ['where={size}', '/where'],
      ['where=size', '/where'],
      ['limit=three', '/limit'],
      ['limit=11', '/limit'],
      ['deep=yes', '/deep'],
      ['limit=1&limit=2', '/limit'],
      ['sizes=1&sizes=x', '/sizes/1'],
    ]) {
      const { status, json } = await ask(`/notes/a?${query}`)
      assert.deepEqual([status, json['code'], json['reason']], [400, 'invalid', 'invalid_arguments'], query)
      assert.equal((json['errors'] as { pointer: string }[])[0]?.pointer, pointer)
    }
  })

  it('lets the path win over query and body', async (t) => {
    const { ask } = await openDoor(t)

    const got = await ask('/notes/a?id=b')
    const patched = await ask('/notes/a', { method: 'PATCH', body: { id: 'b', text: 'x' } })

    assert.deepEqual([got.json['id'], patched.json['id']], ['a', 'a'])
  })

  it('refuses an unknown field with the nearest name, and a query where a body is taken', async (t) => {
    const { ask, sample } = await openDoor(t)

    const unknown = await ask('/echo', { body: { text: 'x', txet: 1 } })
    const query = await ask('/echo?text=y', { body: { text: 'x' } })
    const proto = await ask('/echo', { body: '{"text":"x","__proto__":{"a":1}}' })

    assert.deepEqual([unknown.status, unknown.json['reason']], [400, 'unknown_argument'])
    assert.deepEqual([query.status, query.json['reason']], [400, 'unknown_argument'])
    assert.deepEqual([proto.status, proto.json['reason']], [400, 'unknown_argument'])
    assert.deepEqual(sample.calls, [])
  })

  it('sends the entity tag, answers 304 if the client has it, and takes If-Match as an input field', async (t) => {
    const { ask } = await openDoor(t)

    const first = await ask('/notes/a')
    const again = await ask('/notes/a', { headers: { 'if-none-match': String(first.headers.etag) } })
    const patched = await ask('/notes/a', {
      method: 'PATCH',
      body: { text: 'x' },
      headers: { 'if-match': 'W/"7"' },
    })

    assert.equal(first.headers.etag, '"7"')
    assert.deepEqual([again.status, again.text], [304, ''])
    assert.equal(again.headers['cache-control'], first.headers['cache-control'])
    assert.equal(patched.json['if_match'], '7')
  })

  it('coerces a mapped header by the type the schema states', async (t) => {
    const { host } = await openHost(t, { plugins: [versionPlugin] })
    const door = await listen(t, host)
    const put = (tag: string) =>
      askAt(door, '/versions/a', { method: 'PUT', body: {}, headers: { 'if-match': tag } })

    const [seven, word] = [await put('"7"'), await put('"seven"')]

    assert.deepEqual(seven.json, { version: 8 })
    assert.deepEqual([word.status, word.json['reason']], [400, 'invalid_arguments'])
  })

  it('refuses an If-Match that is not one entity tag', async (t) => {
    const { ask } = await openDoor(t)

    for (const tags of ['*', '"7", "8"', 'W/"7" ,"8"']) {
      const headers = { 'if-match': tags }
      const { status, json } = await ask('/notes/a', { method: 'PATCH', body: { text: 'x' }, headers })
      assert.deepEqual([status, json['reason']], [400, 'bad_request'], tags)
    }
  })

  it('sends no entity tag with an answer that says more than the tag names', async (t) => {
    const { ask } = await openDoor(t)

    const deep = await ask('/notes/a?deep=true', { headers: { 'if-none-match': '"7"' } })

    assert.deepEqual(
      [deep.status, deep.headers.etag, deep.headers['cache-control']],
      [200, undefined, 'no-store'],
    )
  })

  it('takes a raw body, a JSON string or an object if the tool declares it', async (t) => {
    const { ask } = await openDoor(t)

    const raw = await ask('/raw', {
      body: 'a: 1\n',
      headers: { 'content-type': 'application/yaml; charset=utf-8' },
    })
    const string = await ask('/raw', { body: JSON.stringify('a: 1\n') })
    const object = await ask('/raw', { body: { yaml: 'a: 1\n' } })

    for (const answer of [raw, string, object]) assert.deepEqual(answer.json, { yaml: 'a: 1\n' })
  })

  it('takes DELETE with query, with a body, and with neither', async (t) => {
    const { ask } = await openDoor(t)

    const bare = await ask('/notes/a', { method: 'DELETE' })
    const query = await ask('/notes/a?force=true', { method: 'DELETE' })
    const body = await ask('/notes/a', { method: 'DELETE', body: { force: true } })

    assert.deepEqual(
      [bare.json, query.json, body.json],
      [
        { id: 'a', force: false },
        { id: 'a', force: true },
        { id: 'a', force: true },
      ],
    )
  })

  it('reaches every row of the error table as a problem document', async (t) => {
    const { ask } = await openDoor(t)
    for (const code of ERROR_CODES) {
      const answer = await ask('/fail', { body: { code, reason: 'because' } })

      assert.equal(answer.status, ERROR_TABLE[code].http, code)
      assert.equal(answer.headers['content-type'], 'application/problem+json')
      assert.deepEqual(answer.json, {
        type: 'about:blank',
        title: ERROR_TABLE[code].title,
        status: ERROR_TABLE[code].http,
        detail: 'It failed; try another code.',
        code,
        reason: 'because',
        details: { sent: code },
        next: { tool: 'echo', args: { text: 'x' } },
      })
    }
  })

  it('sends the time to retry and the required credentials', async (t) => {
    const { ask } = await openDoor(t)

    const unauthorized = await ask('/fail', { body: { code: 'unauthorized' } })
    const limited = await ask('/fail', { body: { code: 'rate_limited' } })
    const unavailable = await ask('/fail', { body: { code: 'unavailable' } })

    assert.equal(unauthorized.headers['www-authenticate'], 'Bearer realm="satchel"')
    assert.ok(Number(limited.headers['retry-after']) > 0)
    assert.ok(Number(unavailable.headers['retry-after']) > 0)
  })

  it('answers Internal error with a log id when a handler throws, and the text reaches only the log', async (t) => {
    const { ask, logged } = await openDoor(t)

    const { status, json, text } = await ask('/crash', { body: {} })

    const logId = (json['details'] as { log_id: string }).log_id
    assert.deepEqual([status, json['code'], json['detail']], [500, 'internal', 'Internal error'])
    assert.equal(text.includes('secret text'), false)
    assert.ok(logged.some((line) => line.includes(logId) && line.includes('secret text')))
  })

  it('answers unknown routes 404 and known ones with another method 405, with Allow', async (t) => {
    const { ask } = await openDoor(t)

    const unknown = await ask('/nothing')
    const wrong = await ask('/echo')
    const options = await ask('/notes/a', { method: 'OPTIONS' })
    const stream = await ask('/events', { method: 'HEAD' })

    assert.deepEqual([unknown.status, unknown.json['reason']], [404, 'route_not_found'])
    assert.match(String(unknown.json['detail']), /GET \/ lists what is served\.$/)
    assert.equal(unknown.headers['content-type'], 'application/problem+json')
    assert.deepEqual(
      [wrong.status, wrong.json['code'], wrong.json['reason']],
      [405, 'invalid', 'method_not_allowed'],
    )
    assert.equal(wrong.headers.allow, 'POST')
    assert.equal(options.headers.allow, 'DELETE, GET, HEAD, PATCH')
    assert.deepEqual([stream.status, stream.headers.allow], [405, 'GET'])
    for (const answer of [unknown, wrong, options]) assertNoCors(answer.headers)
  })

  it('logs each request at debug, without its query and without credentials', async (t) => {
    const { ask, logged } = await openDoor(t)

    await ask('/notes/a?limit=7777', { headers: { authorization: 'Bearer secret-of-a-caller' } })

    await ask('/nowhere')

    const lines = logged.filter((each) => each.includes('"request"')).map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ level, listener, method, path, status }) => [level, listener, method, path, status]),
      [
        ['debug', 'api', 'GET', '/notes/a', 401],
        ['debug', 'api', 'GET', '/nowhere', 404],
      ],
    )
    assert.equal(/7777|secret-of-a-caller/.test(logged.join('')), false)
  })

  it('answers HEAD like GET without a body', async (t) => {
    const { ask } = await openDoor(t)

    for (const path of ['/health', '/openapi.json', '/docs', '/notes/unknown', '/nowhere']) {
      const [head, get] = await Promise.all([ask(path, { method: 'HEAD' }), ask(path)])

      assert.deepEqual([head.status, head.text], [get.status, ''], path)
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(get.text)), path)
    }
  })

  it('refuses a path with a broken escape', async (t) => {
    const { ask } = await openDoor(t)

    for (const path of ['/notes/%zz', '/notes/%E0%A4', '/notes/100%']) {
      const { status, json } = await ask(path)
      assert.deepEqual([status, json['reason']], [400, 'bad_request'], path)
    }
    assert.notEqual((await ask('/notes/100%25')).status, 400)
  })

  it('refuses a query with a broken escape', async (t) => {
    const { ask, sample } = await openDoor(t)
    const path = '/notes/a?limit=1&text='

    for (const text of ['%ff', '%E0%A4', '%zz', '100%']) {
      const { status, json } = await ask(`${path}${text}`)
      assert.deepEqual([status, json['reason']], [400, 'bad_request'], text)
      assert.match(String(json['detail']), /^The query has a % .* Send a % itself as %25\.$/)
    }
    assert.deepEqual(sample.calls, [])
    assert.notEqual((await ask('/notes/a?text=100%25+%E3%81%82')).json['reason'], 'bad_request')
  })

  it('aborts the handler when its client goes away', async (t) => {
    const { raw, sample } = await openDoor(t)
    const { socket } = raw(
      'POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    )
    while (sample.calls.length === 0) await pause(5)

    socket.destroy()
    while (sample.calls.length < 2) await pause(5)

    assert.deepEqual(sample.calls, ['waiting', 'aborted'])
  })

  it('keeps the order of checks when a request is wrong in two ways', async (t) => {
    const { ask, sample } = await openDoor(t)
    const evil = { origin: 'http://evil.example' }
    const badToken = { authorization: 'Bearer wrong' }

    const unknownAndOrigin = await ask('/nothing', { headers: evil })
    const originAndToken = await ask('/echo', { body: { text: 'x' }, headers: { ...evil, ...badToken } })
    const tokenAndBody = await ask('/echo', {
      body: '{',
      headers: { ...badToken, 'content-type': 'text/plain' },
    })
    const typeAndJson = await ask('/echo', { body: '{', headers: { 'content-type': 'text/plain' } })

    assert.deepEqual(
      [unknownAndOrigin, originAndToken, tokenAndBody, typeAndJson].map(({ status }) => status),
      [404, 403, 401, 415],
    )
    assert.deepEqual(sample.calls, [])
  })
})

function assertNoCors(headers: Readonly<Record<string, unknown>>): void {
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    [],
  )
}
