import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serveProcess } from './served-process.ts'

const CLIENTS_OF_A_KIND = 40

/** What a client sends before it is silent and reads nothing. */
const KINDS: Readonly<Record<string, (host: string) => string>> = {
  'part of a head': (host) => `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nX-Slow:`,
  'part of a body': (host) =>
    `POST /handoffs HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{"title":`,
  'part of a chunk': (host) =>
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{`,
  'many requests for a large answer': (host) =>
    `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(20),
}

async function slowClient(t: TestContext, port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause().on('error', () => undefined)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

test('clients that are silent in a request or read no answer keep no other client from being answered', async (t) => {
  const server = await serveProcess(t)
  const host = `127.0.0.1:${server.port}`

  for (const [name, bytes] of Object.entries(KINDS)) {
    for (let made = 0; made < CLIENTS_OF_A_KIND; made++) await slowClient(t, server.port, bytes(host))
    const { status } = await fetch(`${server.address}/handoffs`)
    assert.equal(status, 200, name)
  }

  assert.ok(server.isAlive())
  assert.doesNotMatch(server.log(), /Internal error/)
  const memory = await server.memory()
  assert.ok(memory === undefined || memory < 400 * 2 ** 20, `${memory} bytes`)
})
