import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type EventStream, openEventStream } from '../../../server/fanout/event-stream.ts'
import { createPump } from '../../../server/fanout/pump.ts'
import { BODY_MAX_BYTES, parseJson, readJson } from '../../../server/http/read-body.ts'
import { percentile } from '../../percentile.ts'
import { cpuMs } from '../timing.ts'
import { type Count, type LoadClient, startLoadClient } from './load-client.ts'

/** Size of an event frame in the figures of workspace-engine, section 5. */
const EVENT_BYTES = 430
/** Size of one where readers stop: the kernel keeps megabytes for each of them, which must fill first. */
const STALLED_EVENT_BYTES = 4096
/** Events after which the publisher waits for the readers, as one does whose disk is the slower part. */
const IN_FLIGHT = 256
/** Events published in one turn of the loop: a group of mutations that one flush made durable. */
const GROUP = 16

export interface Ratio {
  /** Ours and the peer's, in `unit`; more is better. */
  readonly ours: number
  readonly peer: number
  readonly unit: string
}

/** Requests per server CPU-second with the capped reader, against reading the body without a limit; interleaved. */
export async function measureBodyLimit(requests = 20_000): Promise<Ratio> {
  const body = JSON.stringify({ text: 'x'.repeat(1000) })
  const client = startLoadClient()
  const capped = await listening((incoming) => readJson(incoming, { maxBytes: BODY_MAX_BYTES }))
  const uncapped = await listening(readWithoutLimit)
  const rates = { capped: [] as number[], uncapped: [] as number[] }
  try {
    for (let round = 0; round < 6; round++) {
      const [rate, server] = round % 2 === 0 ? [rates.capped, capped] : [rates.uncapped, uncapped]
      const order = {
        port: portOf(server),
        path: '/',
        body,
        connections: 16,
        requests: Math.ceil(requests / 6),
      }
      rate.push((requests / 6 / (await cpuMs(() => client.post(order)))) * 1000)
    }
  } finally {
    await client.close()
    for (const server of [capped, uncapped]) server.close()
  }
  return ratioOf(
    percentile(rates.capped, 0.5),
    percentile(rates.uncapped, 0.5),
    'requests per server CPU-second',
  )
}

/** Deliveries per server CPU-second through the pump, against one socket write per event and subscriber. */
export async function measureFanOut(subscribers = 1000, events = 480): Promise<Ratio> {
  const ours = await deliveries({ subscribers, events, publisher: pumpPublisher })
  const peer = await deliveries({ subscribers, events, publisher: writePublisher })
  return ratioOf(
    ours,
    peer,
    `deliveries of ${EVENT_BYTES} bytes per server CPU-second, ${subscribers} subscribers`,
  )
}

export interface Publish {
  readonly subscribers: number
  /** Milliseconds one `publish` holds the event loop, the median. */
  readonly medianMs: number
}

/** How long one event holds its publisher up. */
export async function measurePublish(subscribers = 5000, events = 60): Promise<Publish> {
  const client = startLoadClient()
  const { server, streams, publish } = await pumpPublisher()
  const took: number[] = []
  try {
    await client.open({ port: portOf(server), path: '/', readers: subscribers })
    for (let at = 0; at < events; at++) {
      const frame = eventFrame(at)
      const began = performance.now()
      publish(frame)
      took.push(performance.now() - began)
      while (streams.some(({ blocked }) => blocked)) await pause(1)
      for (let turn = 0; turn < subscribers / 256 + 1; turn++) await nextTurn()
    }
  } finally {
    await client.close()
    stop(server)
  }
  return { subscribers, medianMs: percentile(took, 0.5) }
}

/** Batches in which the subscribers come. The heap grows in steps and shrinks in others, which fall into few of them. */
const BATCHES = 5

/** What one more idle subscriber costs the server, in bytes. */
export interface SubscriberBytes {
  /** What it keeps alive: objects, and buffers outside the heap. The same in every run and on every version of Node. */
  readonly held: number
  /** What the process grew by. Whether freed pages go back to the system is up to the allocator, so it differs by version. */
  readonly resident: number
}

/**
 * The median of several batches of subscribers. A first one, for which the heap takes its first steps, is not counted.
 * `keep` gives more that a subscriber keeps alive.
 */
export async function measureSubscriberBytes(
  subscribers = 4000,
  keep: () => unknown = () => undefined,
): Promise<SubscriberBytes> {
  const size = Math.ceil(subscribers / BATCHES)
  const client = startLoadClient()
  const kept: unknown[] = []
  const { server, publish } = await pumpPublisher()
  server.on('request', () => kept.push(keep()))
  const open = async (readers: number): Promise<SubscriberBytes> => {
    await client.open({ port: portOf(server), path: '/', readers })
    publish(eventFrame(readers))
    await pause(200)
    collectGarbage()
    const { heapUsed, external, rss } = process.memoryUsage() // external includes the buffers
    return { held: heapUsed + external, resident: rss }
  }
  try {
    const held: number[] = []
    const resident: number[] = []
    let before = await open(size)
    for (let batch = 0; batch < BATCHES; batch++) {
      const after = await open(size)
      held.push((after.held - before.held) / size)
      resident.push((after.resident - before.resident) / size)
      before = after
    }
    return { held: percentile(held, 0.5), resident: percentile(resident, 0.5) }
  } finally {
    kept.length = 0
    await client.close()
    stop(server)
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

export interface StalledRun {
  readonly subscribers: number
  readonly stalled: number
  readonly events: number
}

/**
 * Whether readers that never read change anything for the others: exactly they must fall behind. Gives the subscribers
 * that got every event, and the readers that were told, once they read on, that they lost some.
 */
export async function measureStalledReaders({ subscribers, stalled, events }: StalledRun): Promise<Count> {
  const client = startLoadClient()
  const { server, publish } = await pumpPublisher()
  try {
    await client.open({ port: portOf(server), path: '/', readers: subscribers, stalled })
    const read = (count: number): Promise<Count> =>
      counted(client, count * STALLED_EVENT_BYTES, ({ whole }) => whole >= subscribers - stalled)
    for (let at = 0; at < events; at++) {
      publish(eventFrame(at, STALLED_EVENT_BYTES))
      if (at % GROUP === GROUP - 1) await nextTurn()
      if (at % IN_FLIGHT === IN_FLIGHT - 1) await read(at + 1)
    }
    const { whole } = await read(events)
    await client.resume()
    const { lagged } = await counted(client, 0, (count) => count.lagged >= stalled)
    return { whole, lagged }
  } finally {
    await client.close()
    stop(server)
  }
}

interface Publisher {
  readonly server: Server
  readonly streams: readonly EventStream[]
  publish(frame: Buffer): void
}

async function pumpPublisher(): Promise<Publisher> {
  const pump = createPump()
  const streams: EventStream[] = []
  const server = await listeningAt((_incoming, outgoing) => {
    const onLag = (): Buffer => Buffer.from('event: resync\ndata: {"reason":"lagged"}\n\n')
    const stream = openEventStream(outgoing, { pump, onLag })
    streams.push(stream)
    stream.start()
  })
  return {
    server,
    streams,
    publish(frame) {
      for (const stream of streams) stream.offer(frame)
    },
  }
}

/** What the pump is measured against. */
async function writePublisher(): Promise<Publisher> {
  const responses: ServerResponse[] = []
  const server = await listeningAt((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.flushHeaders()
    outgoing.socket?.setNoDelay(true)
    responses.push(outgoing)
  })
  return {
    server,
    streams: [],
    publish(frame) {
      const chunk = Buffer.concat([
        Buffer.from(`${frame.length.toString(16)}\r\n`),
        frame,
        Buffer.from('\r\n'),
      ])
      for (const { socket } of responses) socket?.write(chunk)
    },
  }
}

async function deliveries(run: {
  readonly subscribers: number
  readonly events: number
  readonly publisher: () => Promise<Publisher>
}): Promise<number> {
  const client = startLoadClient()
  const { server, publish } = await run.publisher()
  try {
    await client.open({ port: portOf(server), path: '/', readers: run.subscribers })
    const cpu = await cpuMs(async () => {
      for (let at = 0; at < run.events; at++) {
        publish(eventFrame(at))
        if (at % GROUP === GROUP - 1) await nextTurn()
      }
      await counted(client, run.events * EVENT_BYTES, ({ whole }) => whole >= run.subscribers)
    })
    return (run.subscribers * run.events * 1000) / cpu
  } finally {
    await client.close()
    stop(server)
  }
}

/** Asks until `isEnough`; at most 60 s. */
async function counted(
  client: LoadClient,
  bytes: number,
  isEnough: (count: Count) => boolean,
): Promise<Count> {
  for (const giveUp = performance.now() + 60_000; ; await pause(5)) {
    const count = await client.count(bytes)
    if (isEnough(count) || performance.now() > giveUp) return count
  }
}

function eventFrame(id: number, bytes = EVENT_BYTES): Buffer {
  const head = `id: ${id}\ndata: `
  return Buffer.from(`${head}${'x'.repeat(bytes - head.length - 2)}\n\n`)
}

async function readWithoutLimit(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(incoming, 'end')
  return parseJson(Buffer.concat(chunks).toString())
}

function listening(read: (incoming: IncomingMessage) => Promise<unknown>): Promise<Server> {
  return listeningAt((incoming, outgoing) => {
    read(incoming).then(
      () => outgoing.end('{"ok":true}'),
      () => outgoing.destroy(),
    )
  })
}

async function listeningAt(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(answer)
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return server
}

function stop(server: Server): void {
  server.close()
  server.closeAllConnections()
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // a TCP server's address is never a string
}

function ratioOf(ours: number, peer: number, unit: string): Ratio {
  return { ours: Math.round(ours), peer: Math.round(peer), unit }
}
