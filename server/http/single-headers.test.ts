import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDoor, TOKEN } from './testing/open-door.ts'
import { SESSION } from './testing/sample-plugin.ts'

type Door = Awaited<ReturnType<typeof openDoor>>

async function refused({ raw, door }: Door, first: string, lines: readonly string[]) {
  const host = lines.some((line) => /^host:/i.test(line)) ? [] : [`Host: localhost:${door.port}`]
  const sent = raw([first, ...host, ...lines, 'Connection: close', '', ''].join('\r\n'))
  await sent.closed
  const [head = '', body = '{}'] = sent.received().split('\r\n\r\n')
  const status = Number(head.split(' ')[1])
  return { status, body: status === 200 ? {} : JSON.parse(body) }
}

test('of two credentials none is taken, valid or not, wherever they are sent', async (t) => {
  const door = await openDoor(t)
  const [token, session, wrong] = [TOKEN, SESSION, 'wrong'].map((each) => `Authorization: Bearer ${each}`)

  for (const path of ['/health', '/notes/a', '/feed', '/no-such-path']) {
    for (const pair of [
      [token, session],
      [session, wrong],
      [wrong, token],
      [token, token],
    ]) {
      const { status, body } = await refused(door, `GET ${path} HTTP/1.1`, pair.map(String))
      assert.deepEqual([status, body.code, body.reason], [400, 'invalid', 'bad_request'], path)
      assert.equal(body.details.header, 'authorization')
      assert.match(body.detail, /^The header authorization is there more than once\./)
      assert.doesNotMatch(JSON.stringify(body), /Bearer|wrong/)
    }
  }
  assert.equal((await refused(door, 'GET /health HTTP/1.1', [String(token)])).status, 200)
})

test('a header that decides something is sent once, in any letters; lists and others may be repeated', async (t) => {
  const door = await openDoor(t)
  const own = `localhost:${door.door.port}`
  const decisive = {
    cookie: 'a=1',
    host: own,
    origin: `http://${own}`,
    'sec-fetch-site': 'none',
    'content-type': 'application/json',
    'if-match': '"1"',
    'last-event-id': '1',
    'x-satchel-expects': 'ws_1',
    'x-satchel-request': '1',
    'mcp-session-id': 'a',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'a',
  }
  const token = `Authorization: Bearer ${TOKEN}`

  for (const [name, value] of Object.entries(decisive)) {
    const twice = [`${name}: ${value}`, `${name.toUpperCase()}: ${value}`]
    const { status, body } = await refused(door, 'GET /notes/a HTTP/1.1', [...twice, token])
    assert.deepEqual([status, body.reason, body.details?.header], [400, 'bad_request', name], name)
    assert.equal((await refused(door, 'GET /notes/a HTTP/1.1', [...twice.slice(1), token])).status, 200, name)
  }
  for (const line of [
    'Accept: text/html',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Proto: https',
    'Via: 1.1 a',
  ]) {
    assert.equal((await refused(door, 'GET /notes/a HTTP/1.1', [line, line, token])).status, 200, line)
  }
})
