import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BODY_MAX_BYTES, parseJson, readJson } from '../../../server/http/read-body.ts'
import { inTurns, type Rounds } from '../rounds.ts'
import { cpuMs } from '../timing.ts'
import { eventFrame, GROUP, listeningAt, portOf, pumpPublisher, stop } from './event-publishers.ts'
import { type Count, counted, startLoadClient } from './load-client.ts'

/** Size of one where readers stop: the kernel keeps megabytes for each of them, which must fill first. */
const STALLED_EVENT_BYTES = 4096
/** Events after which the publisher waits for the readers, as one does whose disk is the slower part. */
const IN_FLIGHT = 256
const BODY_ROUNDS = 3

/** Requests per server CPU-second with the capped reader, against reading the body without a limit; in turns. */
export async function measureBodyLimit(requests = 20_000): Promise<Rounds> {
  const body = JSON.stringify({ text: 'x'.repeat(1000) })
  const client = startLoadClient()
  const capped = await listening((incoming) => readJson(incoming, { maxBytes: BODY_MAX_BYTES }))
  const uncapped = await listening(readWithoutLimit)
  const share = Math.ceil(requests / (2 * BODY_ROUNDS))
  const rate = async (server: Server): Promise<number> => {
    const order = { port: portOf(server), path: '/', body, connections: 16, requests: share }
    return (share / (await cpuMs(() => client.post(order)))) * 1000
  }
  try {
    return await inTurns(BODY_ROUNDS, { ours: () => rate(capped), against: () => rate(uncapped) })
  } finally {
    await client.close()
    for (const server of [capped, uncapped]) server.close()
  }
}

/** What one more idle subscriber costs the server, in bytes. */
export interface SubscriberBytes {
  /** What it keeps alive: objects, and buffers outside the heap. The same in every run and on every version of Node. */
  readonly held: number
  /** What the process grew by. Whether freed pages go back to the system is up to the allocator, so it differs by version. */
  readonly resident: number
}

/**
 * The mean over all subscribers: the steps of the heap are in it. Some that come before, for which it takes its first
 * steps, are not counted. `keep` gives more that a subscriber keeps alive.
 */
export async function measureSubscriberBytes(
  subscribers = 5000,
  keep: () => unknown = () => undefined,
): Promise<SubscriberBytes> {
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
    const before = await open(Math.ceil(subscribers / 5))
    const after = await open(subscribers)
    return {
      held: (after.held - before.held) / subscribers,
      resident: (after.resident - before.resident) / subscribers,
    }
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
