import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { serveProcess } from './served-process.ts'

const STALLED = 20
/** More than a kernel keeps for any connection, so that every reader that stopped is behind. */
const FLOODS = 40
const EVENTS = 50
const EVENT_CHARS = 8000
/** What 20 mailboxes and one write of each may take, and as much again for what is not collected yet. */
const GROWTH_LIMIT = 120 * 2 ** 20
const MEMORY_LIMIT = 400 * 2 ** 20
/** As long as a server waits for a reader, and more: only where half a minute does not matter. */
const PATIENCE_MS = Number(process.env['SATCHEL_PATIENCE'] ?? 0) * 1000

/** Says with each call that many resources with long names changed. */
const FLOOD = `
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
export default {
  name: 'flood', version: '1.0.0', apiVersion: 1, config: z.object({}),
  async setup(host) {
    return {
      resources: [{
        uri: 'flood://{name}', name: 'flood', title: 'Flood', description: 'A name.', mimeType: 'text/plain',
        subscribable: true, read: async () => ({ mimeType: 'text/plain', text: 'x' }),
      }],
      tools: [{
        name: 'flood', title: 'Flood', description: 'Says that resources changed.', profile: 'core',
        input: z.object({ first: z.number().describe('number of the first'), count: z.number().describe('how many') }),
        output: z.object({}),
        annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
        http: { method: 'POST', path: '/flood' },
        example: { first: 0, count: 1 },
        async handler(_ctx, { first, count }) {
          for (let n = first; n < first + count; n++) host.resourceChanged('flood://' + n + '-' + 'x'.repeat(${EVENT_CHARS}))
          return {}
        },
        headline: () => 'flooded',
      }],
    }
  },
}
`

/** A connection that has sent a request; it reads what comes until it is paused. */
async function asking(t: TestContext, port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  return socket
}

/** Opens a stream and stops reading when it has begun. */
async function stalledReader(t: TestContext, port: number, path: string): Promise<Socket> {
  const socket = await asking(t, port, path)
  await once(socket, 'data')
  return socket.pause()
}

/** Collects the numbers of the events that a reader gets. */
async function eagerReader(t: TestContext, port: number) {
  const socket = await asking(t, port, '/events')
  const numbers = new Set<number>()
  let rest = ''
  let resyncs = 0
  socket.setEncoding('latin1').on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, number] = /flood:\/\/(\d+)-/.exec(line) ?? []
      if (number !== undefined) numbers.add(Number(number))
      if (line.startsWith('event: resync')) resyncs += 1
    }
  })
  await once(socket, 'data')
  return { numbers, resyncs: () => resyncs }
}

async function openStreams(address: string): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text()
  return Number(/^satchel_streams (\d+)$/m.exec(metrics)?.[1])
}

test('readers that never read cost a bounded memory, keep no event from others, and are ended', async (t) => {
  const settings = 'http: { metrics: true }\nplugins: { ./flood.mjs: {} }\n'
  const server = await serveProcess(t, settings, { files: { 'flood.mjs': FLOOD } })
  const { numbers, resyncs } = await eagerReader(t, server.port)
  for (let made = 0; made < STALLED; made++) await stalledReader(t, server.port, '/events')
  const before = (await server.memory()) ?? 0

  for (let flood = 0; flood < FLOODS; flood++) {
    const body = JSON.stringify({ first: flood * EVENTS, count: EVENTS })
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${server.address}/flood`, { method: 'POST', headers, body })
    assert.equal(status, 200)
    while (numbers.size < (flood + 1) * EVENTS && resyncs() === 0) await pause(5)
  }

  const after = (await server.memory()) ?? 0
  t.diagnostic(`memory ${Math.round(before / 2 ** 20)} MiB, then ${Math.round(after / 2 ** 20)} MiB`)
  assert.deepEqual([numbers.size, resyncs()], [FLOODS * EVENTS, 0])
  assert.ok(after < MEMORY_LIMIT && after - before < GROWTH_LIMIT, `${before} bytes, then ${after}`)
  assert.doesNotMatch(server.log(), /Internal error/)
  const limit = performance.now() + PATIENCE_MS
  while (performance.now() < limit && (await openStreams(server.address)) > 1) await pause(500)
  if (PATIENCE_MS > 0) assert.equal(await openStreams(server.address), 1)
})

test('a client of HTTP+SSE that reads none of its answers is cut off, and the next one is served', async (t) => {
  const server = await serveProcess(t, '', { words: ['mcp', '--transport', 'sse'] })
  const open = async () => {
    const socket = await asking(t, server.port, '/sse')
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    while (!/sessionId=[\w-]+/.test(text)) await once(socket, 'data')
    const [place = ''] = /\/messages\?sessionId=[\w-]+/.exec(text) ?? []
    const send = async (message: object): Promise<number> => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${server.address}${place}`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      return answer.status
    }
    const clientInfo = { name: 'x', version: '1' }
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
    assert.equal(await send({ id: 0, method: 'initialize', params }), 202)
    assert.equal(await send({ method: 'notifications/initialized' }), 202)
    return { socket, send, text: () => text }
  }
  const silent = await open()
  silent.socket.pause()
  const before = (await server.memory()) ?? 0

  let status = 202
  for (let id = 1; status === 202 && id < 2000; id++) status = await silent.send({ id, method: 'tools/list' })

  const after = (await server.memory()) ?? 0
  assert.equal(status, 404, 'its session has ended')
  assert.ok(after - before < GROWTH_LIMIT, `${before} bytes, then ${after}`)
  const other = await open()
  assert.equal(await other.send({ id: 1, method: 'tools/list' }), 202)
  while (!other.text().includes('"tools"')) await once(other.socket, 'data')
  assert.ok(server.isAlive())
})
