import { type Figure, figureOf, limitFigure } from '../figure.ts'
import {
  measureBodyLimit,
  measureFanOut,
  measurePublish,
  measureStalledReaders,
  measureSubscriberBytes,
  type Ratio,
} from './http.ts'

/** architecture, "Done means": the limit costs at most a fifth of the throughput. */
const BODY_LIMIT_GOAL = 0.8
/** quality, section 5 "capacity": 1,000 streams at four times the naive loop per CPU second. */
const FAN_OUT_GOAL = 4
/** workspace-engine, "Done means": what one event may hold its publisher up at 5,000 subscribers, in milliseconds. */
const PUBLISH_LIMIT_MS = 5
/** workspace-engine, "Done means": memory of one subscriber. */
const SUBSCRIBER_LIMIT_KIB = 25

/** What the capped reader costs, what the pump gains, and what a subscriber and a stopped reader cost. */
export async function measureHttp(): Promise<readonly Figure[]> {
  return [
    atLeast('http.body.limit', await measureBodyLimit(), BODY_LIMIT_GOAL, 'reading the body without a limit'),
    atLeast('http.fan.out', await measureFanOut(), FAN_OUT_GOAL, 'one write per event and subscriber'),
    await publishFigure(),
    ...(await memoryFigures()),
    ...(await stalledFigures()),
  ]
}

function atLeast(name: string, { ours, peer, unit }: Ratio, goal: number, peerName: string): Figure {
  return figureOf({
    name,
    what: 'work done',
    unit,
    ours,
    against: peer,
    against_what: peerName,
    goal,
    sense: 'at_least',
  })
}

async function publishFigure(): Promise<Figure> {
  const { subscribers, medianMs } = await measurePublish()
  return limitFigure({
    name: 'http.publish',
    what: `one event to ${subscribers} subscribers holds its publisher up`,
    unit: 'ms',
    ours: medianMs,
    limit: PUBLISH_LIMIT_MS,
  })
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
