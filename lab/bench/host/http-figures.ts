import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { bestOf } from '../rounds.ts'
import { EVENT_BYTES, GROUP } from './event-publishers.ts'
import { measureFanOut, measurePublish } from './fan-out.ts'
import { measureBodyLimit, measureStalledReaders, measureSubscriberBytes } from './http.ts'

/** architecture, "Done means": the limit costs at most a fifth of the throughput. */
const BODY_LIMIT_GOAL = 0.8
/** quality, section 5 "capacity": 1,000 streams at four times the naive loop per CPU second, where events come in groups. */
const FAN_OUT_GOAL = 4
/** A lone event is one write for each reader in any design; a mailbox and its bounds cost at most a fifth (decision 95). */
const LONE_GOAL = 0.8
const LAST_READER_GOAL = 1.2
/** Both are new and have no figure of a quiet machine that a gate could start from: printed beside their goals, not gated. */
const UNGATED = { at_least: 0, at_most: Number.MAX_VALUE } as const
const FAN_OUT_SUBSCRIBERS = 1000
/** workspace-engine, "Done means": what one event may hold its publisher up at 5,000 subscribers, in milliseconds. */
const PUBLISH_LIMIT_MS = 5
const PUBLISH_SUBSCRIBERS = 5000
/** workspace-engine, "Done means": memory of one subscriber. */
const SUBSCRIBER_LIMIT_KIB = 25

/** What the capped reader costs, what the pump gains, and what a subscriber and a stopped reader cost. */
export async function measureHttp(): Promise<readonly Figure[]> {
  return [
    figureOf({
      ...bestOf(await measureBodyLimit(), 'at_least'),
      name: 'http.body.limit',
      what: 'work done',
      unit: 'requests per server CPU-second',
      against_what: 'reading the body without a limit',
      goal: BODY_LIMIT_GOAL,
    }),
    await fanOutFigure({ name: 'http.fan.out', group: GROUP, events: 480, goal: FAN_OUT_GOAL }),
    await fanOutFigure({
      name: 'http.fan.out.lone',
      group: 1,
      events: 160,
      goal: LONE_GOAL,
      gate: UNGATED.at_least,
    }),
    ...(await publishFigures()),
    ...(await memoryFigures()),
    ...(await stalledFigures()),
  ]
}

interface FanOutRun {
  readonly name: string
  readonly group: number
  readonly events: number
  readonly goal: number
  readonly gate?: number
}

async function fanOutFigure({ name, group, events, ...limits }: FanOutRun): Promise<Figure> {
  const run = { subscribers: FAN_OUT_SUBSCRIBERS, events, group, rounds: 3 }
  return figureOf({
    ...bestOf(await measureFanOut(run), 'at_least'),
    name,
    what: `deliveries of ${EVENT_BYTES} bytes to ${FAN_OUT_SUBSCRIBERS} subscribers, ${group} in a turn`,
    unit: 'per server CPU-second',
    against_what: 'one write per event and subscriber',
    ...limits,
  })
}

async function publishFigures(): Promise<readonly Figure[]> {
  const { heldMs, last } = await measurePublish({ subscribers: PUBLISH_SUBSCRIBERS, events: 30, rounds: 6 })
  return [
    limitFigure({
      name: 'http.publish',
      what: `one event to ${PUBLISH_SUBSCRIBERS} subscribers holds its publisher up`,
      unit: 'ms',
      ours: heldMs,
      limit: PUBLISH_LIMIT_MS,
    }),
    figureOf({
      ...bestOf(last, 'at_most'),
      name: 'http.publish.last',
      what: `one event until the last of ${PUBLISH_SUBSCRIBERS} subscribers has it`,
      unit: 'ms',
      against_what: 'one write per subscriber in a loop',
      goal: LAST_READER_GOAL,
      gate: UNGATED.at_most,
    }),
  ]
}

async function memoryFigures(): Promise<readonly Figure[]> {
  const { held, resident } = await measureSubscriberBytes()
  const common = { unit: 'KiB', limit: SUBSCRIBER_LIMIT_KIB }
  return [
    limitFigure({
      ...common,
      name: 'http.subscriber.memory',
      what: 'memory that one more subscriber keeps alive',
      ours: held / 1024,
    }),
    limitFigure({
      ...common,
      name: 'http.subscriber.resident',
      what: 'resident memory of one more subscriber',
      ours: resident / 1024,
    }),
  ]
}

/** 4,000 events of 4 KiB are more than a kernel keeps for any reader; a served room is measured by `bench events`. */
const STALLED_RUN = { subscribers: 200, stalled: 10, events: 4000 }

async function stalledFigures(): Promise<readonly Figure[]> {
  const { subscribers, stalled } = STALLED_RUN
  const { whole, lagged } = await measureStalledReaders(STALLED_RUN)
  const exact = { unit: 'subscribers', goal: 1, gate: 1, sense: 'at_least' } as const
  return [
    figureOf({
      ...exact,
      name: 'http.stalled.readers',
      what: `subscribers that got every event while ${stalled} of ${subscribers} stopped reading`,
      ours: whole,
      against: subscribers - stalled,
      against_what: 'all others',
    }),
    figureOf({
      ...exact,
      name: 'http.stalled.told',
      what: 'subscribers that stopped reading and were told that they lost events',
      ours: lagged,
      against: stalled,
      against_what: 'all that stopped',
    }),
  ]
}
