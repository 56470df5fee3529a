import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openDoor } from './testing/open-door.ts'

const MIB = 1024 * 1024

/** A JSON body of exactly `bytes` bytes for the echo tool. */
function bodyOf(bytes: number): string {
  const frame = JSON.stringify({ text: '' })
  return JSON.stringify({ text: 'x'.repeat(bytes - frame.length) })
}

/** `depth` arrays inside one another, beside the object that holds them. */
function nested(depth: number): string {
  return `{"text":"x","value":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
}

/** An object with one name more than `count`. */
function manyKeys(count: number): string {
  return `{"text":"x"${Array.from({ length: count }, (_, index) => `,"k${index}":1`).join('')}}`
}

describe('a body', () => {
  it('passes at 4 MiB and is refused one byte above, with and without Content-Length', async (t) => {
    const { ask, sample } = await openDoor(t)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const below = await ask('/echo', { body: bodyOf(4 * MIB - 1), headers })
      const at = await ask('/echo', { body: bodyOf(4 * MIB), headers })
      assert.deepEqual([below.status, at.status], [200, 200])
      const calls = sample.calls.length

      const above = await ask('/echo', { body: bodyOf(4 * MIB + 1), headers })

      assert.deepEqual(
        [above.status, above.json['code'], above.json['reason']],
        [413, 'too_large', 'limit_exceeded'],
      )
      assert.equal(above.headers['content-type'], 'application/problem+json')
      assert.equal(above.headers.connection, 'close')
      assert.equal(sample.calls.length, calls)
      assert.equal((await ask('/health')).status, 200)
    }
  })

  it('has the cap its route states', async (t) => {
    const { ask } = await openDoor(t)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const patch = (bytes: number) => ask('/notes/a', { method: 'PATCH', body: bodyOf(bytes), headers })

      assert.deepEqual([(await patch(1024)).status, (await patch(1025)).status], [200, 413])
      assert.equal((await patch(1024)).status, 200)
    }
  })

  it('is the same in one packet with the headers and in several, also for the next request of a connection', async (t) => {
    const { raw, door, sample } = await openDoor(t)
    const head = (length: number) =>
      `POST /echo HTTP/1.1\r\nHost: localhost:${door.port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    const { socket, until } = raw(`${head(12)}{"text":"a"}${head(12)}{"text":"b"}`)
    await until('"b"')

    socket.write(`${head(12)}{"text"`)
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(':"c"}')
    await until('"c"')

    assert.equal(sample.calls.length, 3)
    socket.destroy()
  })

  it('is refused unread when its stated length is too large, and the connection ends', async (t) => {
    const { raw } = await openDoor(t)
    const { socket, until } = raw(
      `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${100 * MIB}\r\n\r\n`,
    )
    const ended = new Promise((resolve) => socket.once('close', resolve))

    const text = await until('limit_exceeded')
    await ended

    assert.match(text, /^HTTP\/1\.1 413 /)
  })

  it('is refused before it is sent to a client that asks first, and read from one that is told to go on', async (t) => {
    const { raw, door, sample } = await openDoor(t)
    const head = (length: number, type = 'application/json') =>
      `POST /echo HTTP/1.1\r\nHost: localhost:${door.port}\r\nContent-Type: ${type}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    for (const [text, reason] of [
      [head(100 * MIB), 'limit_exceeded'],
      [head(12, 'text/plain'), 'media_type'],
    ] as const) {
      const { socket, until } = raw(text)
      const ended = new Promise((resolve) => socket.once('close', resolve))

      const answer = await until(reason)
      await ended

      assert.match(answer, /^HTTP\/1\.1 4\d\d /)
      assert.match(answer, /\r\nconnection: close\r\n/i)
    }
    assert.deepEqual(sample.calls, [])

    const { socket, until } = raw(head(12))
    assert.match(await until('\r\n\r\n'), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write('{"text":"a"}')
    await until('"a"')
    socket.write(head(12))
    await until('}HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('{"text":"b"}')
    await until('"b"')

    assert.equal(sample.calls.length, 2)
    socket.destroy()
  })

  it('is not waited for longer than its limit', async (t) => {
    const { raw, ask, sample } = await openDoor(t, {}, { bodyLimitMs: 30 })
    const { until, socket } = raw(
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"text":',
    )
    const ended = new Promise((resolve) => socket.once('close', resolve))

    const text = await until('body_timeout')
    await ended

    assert.match(text, /^HTTP\/1\.1 408 /)
    assert.deepEqual(sample.calls, [])
    assert.equal((await ask('/echo', { body: { text: 'next' } })).status, 200)
  })

  it('must be JSON by type and not encoded', async (t) => {
    const { ask, sample } = await openDoor(t)
    const body = '{"text":"x"}'
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/jsonx' },
      { 'content-type': '' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br, identity' },
    ]) {
      const sent = 'content-encoding' in headers ? gzipSync(body) : body
      const answer = await ask('/echo', { body: sent, headers })
      assert.deepEqual(
        [answer.status, answer.json['code'], answer.json['reason']],
        [415, 'invalid', 'media_type'],
      )
    }
    assert.deepEqual(sample.calls, [])
    for (const headers of [
      { 'content-type': 'Application/JSON; charset=utf-8' },
      { 'content-encoding': 'identity' },
    ]) {
      assert.equal((await ask('/echo', { body, headers })).status, 200)
    }
  })

  it('is told to be missing where there is none', async (t) => {
    const { ask, sample } = await openDoor(t)

    const none = await ask('/echo', { method: 'POST' })
    const empty = await ask('/echo', { body: '' })

    assert.deepEqual([none.status, none.json['reason']], [415, 'media_type'])
    assert.match(
      String(none.json['detail']),
      /^The request has no body\. Send an object as application\/json/,
    )
    assert.deepEqual([empty.status, empty.json['reason']], [400, 'body_not_json'])
    assert.match(String(empty.json['detail']), /^The body is empty\. Send a JSON object/)
    assert.deepEqual(sample.calls, [])
  })

  it('is refused with its specific error, and the next request is served', async (t) => {
    const { ask, sample } = await openDoor(t)
    const bad: readonly (readonly [Buffer | string, string])[] = [
      ['{', 'body_not_json'],
      ['', 'body_not_json'],
      ['{"text":"x"} x', 'body_not_json'],
      [Buffer.from([0x22, 0xff, 0x22]), 'not_utf8'],
      [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not_utf8'],
      [Buffer.from('{"text":"x"}', 'utf16le'), 'body_not_json'],
      [nested(101), 'too_deep'],
      [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'too_deep'],
      ['[]', 'invalid_arguments'],
      ['null', 'invalid_arguments'],
      ['"x"', 'invalid_arguments'],
    ]
    for (const [body, reason] of bad) {
      const { status, json } = await ask('/echo', { body })
      assert.deepEqual([status, json['reason']], [400, reason], String(body).slice(0, 40))
    }
    assert.deepEqual(sample.calls, [])

    for (const body of [manyKeys(50_000), `{"text":[${'0,'.repeat(50_000)}0]}`]) {
      const { status, json } = await ask('/echo', { body })
      assert.deepEqual([status, json['reason']], [413, 'too_many_values'])
    }
    assert.deepEqual(sample.calls, [])

    const good: (Buffer | string)[] = [nested(100), Buffer.from('\ufeff{"text":"x"}'), '{"text":"[[[\\"{{"}']
    for (const body of good) assert.equal((await ask('/echo', { body })).status, 200)
  })
})
