import { setTimeout as pause } from 'node:timers/promises'
import type { LabContext } from '../../context.ts'
import { EVENT_BYTES, GROUP } from '../host/event-publishers.ts'
import { pumpDeliveries } from '../host/fan-out.ts'
import { startLoadClient } from '../host/load-client.ts'
import { type Compared, compare, type Metric, type Peer } from './comparison.ts'
import type { PackageCache } from './package-cache.ts'
import { RIVAL_HEAD, startRival } from './rival-program.ts'

const ROUNDS = 3
const READERS = 1000
const EVENTS = 160
/** What a new connection is greeted with has arrived by then. */
const GREETED_MS = 200

const METRICS: Readonly<Record<'rate', Metric>> = {
  rate: {
    what: `deliveries of ${EVENT_BYTES} bytes to ${READERS} readers, ${GROUP} in a turn`,
    unit: 'per server CPU-second',
    sense: 'at_least',
  },
}

const END = `
let before
await serve({
  async publish({ events, group, bytes }) {
    before = process.cpuUsage()
    for (let at = 0; at < events; at++) {
      broadcast(at, 'x'.repeat(bytes))
      if (at % group === group - 1) await new Promise((resolve) => setImmediate(resolve))
    }
  },
  spent() {
    const { user, system } = process.cpuUsage(before)
    return { cpu: (user + system) / 1000 }
  },
  port: () => ({ port: server.address().port }),
})
`

const HONO = `${RIVAL_HEAD}import { once } from 'node:events'
import { serve as listen } from '@hono/node-server'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
const streams = new Set()
const app = new Hono()
app.get('/', (c) =>
  streamSSE(c, async (stream) => {
    streams.add(stream)
    await stream.writeSSE({ data: 'hello' })
    await new Promise((resolve) => stream.onAbort(resolve))
    streams.delete(stream)
  }),
)
const server = listen({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions: {} })
if (!server.listening) await once(server, 'listening')
const broadcast = (id, data) => {
  for (const stream of streams) void stream.writeSSE({ id: String(id), data })
}
${END}`

const WS = `${RIVAL_HEAD}import { once } from 'node:events'
import { createServer } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'
const server = createServer()
const sockets = new WebSocketServer({ server })
server.listen(0, '127.0.0.1', 4096)
await once(server, 'listening')
const broadcast = (id, data) => {
  for (const socket of sockets.clients) if (socket.readyState === WebSocket.OPEN) socket.send(data)
}
${END}`

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
].join('\r\n')

const SERVERS = {
  'hono-sse': { packages: ['hono@4.13.19', '@hono/node-server@2.1.8'], text: HONO, headers: '' },
  ws: { packages: ['ws@8.23.0'], text: WS, headers: UPGRADE },
} as const

/** Events to many readers through the pump, against a loop over Hono's streams and a broadcast of ws. */
export async function compareFanOut(
  cache: PackageCache,
  folder: string,
  { signal, note }: LabContext,
): Promise<Compared> {
  const run = { subscribers: READERS, events: EVENTS, group: GROUP }
  return await compare({
    name: 'peers.fan-out',
    rounds: ROUNDS,
    metrics: METRICS,
    ours: { measure: async () => ({ rate: await pumpDeliveries(run) }) },
    peers: Object.keys(SERVERS).map((name) => broadcaster(name as keyof typeof SERVERS, cache, folder)), // its own keys
    signal,
    note,
  })
}

function broadcaster(name: keyof typeof SERVERS, cache: PackageCache, folder: string): Peer<'rate'> {
  const { packages, text, headers } = SERVERS[name]
  return {
    name,
    open: async () => {
      const script = await cache.script(packages, 'broadcast.mjs', text)
      const measure = async () => {
        const rival = await startRival([process.execPath, script], folder)
        const client = startLoadClient()
        try {
          const { port } = await rival.order<{ port: number }>('port')
          await client.open({ port, path: '/', readers: READERS, headers })
          await pause(GREETED_MS)
          await client.expect(EVENTS * EVENT_BYTES)
          await rival.order('publish', { events: EVENTS, group: GROUP, bytes: EVENT_BYTES })
          await client.arrived()
          const { cpu } = await rival.order<{ cpu: number }>('spent')
          return { rate: (READERS * EVENTS * 1000) / cpu }
        } finally {
          await client.close()
          await rival.close()
        }
      }
      return { measure }
    },
  }
}
