import { setImmediate as nextTurn } from 'node:timers/promises'
import { percentile } from '../../percentile.ts'
import { monotonicMs } from '../../room/event-readers.ts'
import { inTurns, type Rounds } from '../rounds.ts'
import { cpuMs } from '../timing.ts'
import {
  EVENT_BYTES,
  eventFrame,
  type Publisher,
  portOf,
  pumpPublisher,
  stop,
  writePublisher,
} from './event-publishers.ts'
import { type LoadClient, startLoadClient } from './load-client.ts'

/** Subscribers whom the pump serves in one turn of the loop (workspace-engine, section 5). */
const SERVED_A_TURN = 256

interface FanOut {
  readonly subscribers: number
  readonly events: number
  /** Events published in one turn; all readers are served before the next. */
  readonly group: number
  readonly rounds: number
}

/** Deliveries per server CPU-second through the pump, against one socket write per event and subscriber; in turns. */
export async function measureFanOut({ rounds, ...run }: FanOut): Promise<Rounds> {
  return await inTurns(rounds, {
    ours: () => pumpDeliveries(run),
    against: () => deliveries(run, writePublisher),
  })
}

/** The same of the pump alone, once. */
export async function pumpDeliveries(run: Omit<FanOut, 'rounds'>): Promise<number> {
  return await deliveries(run, pumpPublisher)
}

async function deliveries(
  { subscribers, events, group }: Omit<FanOut, 'rounds'>,
  open: () => Promise<Publisher>,
): Promise<number> {
  return await withReaders(open, subscribers, async (publish, client) => {
    await client.expect(events * EVENT_BYTES)
    const cpu = await cpuMs(async () => {
      for (let at = 0; at < events; at++) {
        publish(eventFrame(at))
        if (at % group === group - 1) await untilServed(subscribers)
      }
      await client.arrived()
    })
    return (subscribers * events * 1000) / cpu
  })
}

export interface Publish {
  /** Milliseconds that one `publish` holds its caller up, the median. */
  readonly heldMs: number
  /** Milliseconds until the last reader has the event, medians of the rounds. */
  readonly last: Rounds
}

/** How long one event holds its publisher up, and how long it takes to the last of so many readers; in turns with plain writes. */
export async function measurePublish({
  subscribers,
  events,
  rounds,
}: Omit<FanOut, 'group'>): Promise<Publish> {
  const held: number[] = []
  const medianOf = async (open: () => Promise<Publisher>, taken: number[]): Promise<number> =>
    percentile(await arrivals({ subscribers, events }, open, taken), 0.5)
  const last = await inTurns(rounds, {
    ours: () => medianOf(pumpPublisher, held),
    against: () => medianOf(writePublisher, []),
  })
  return { heldMs: percentile(held, 0.5), last }
}

/** Milliseconds from each publish to the last reader; `held` takes those of the call alone. */
async function arrivals(
  { subscribers, events }: Pick<FanOut, 'subscribers' | 'events'>,
  open: () => Promise<Publisher>,
  held: number[],
): Promise<readonly number[]> {
  return await withReaders(open, subscribers, async (publish, client) => {
    const took: number[] = []
    for (let at = 0; at < events; at++) {
      const frame = eventFrame(at)
      await client.expect(frame.length)
      const began = monotonicMs()
      publish(frame)
      held.push(monotonicMs() - began)
      took.push((await client.arrived()) - began)
    }
    return took
  })
}

async function withReaders<T>(
  open: () => Promise<Publisher>,
  readers: number,
  work: (publish: Publisher['publish'], client: LoadClient) => Promise<T>,
): Promise<T> {
  const client = startLoadClient()
  const { server, publish } = await open()
  try {
    await client.open({ port: portOf(server), path: '/', readers })
    return await work(publish, client)
  } finally {
    await client.close()
    stop(server)
  }
}

async function untilServed(subscribers: number): Promise<void> {
  for (let turn = 0; turn < subscribers / SERVED_A_TURN + 1; turn++) await nextTurn()
}
