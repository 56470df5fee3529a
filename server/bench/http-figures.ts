import { type Figure, figureOf } from './figure.ts'
import { measureBodyLimit, measureFanOut, type Ratio } from './http.ts'

/** architecture, "Done means": the limit costs at most a fifth of the throughput. */
const BODY_LIMIT_GOAL = 0.8
/** quality, section 5 "capacity": 1,000 streams at four times the naive loop per CPU second. */
const FAN_OUT_GOAL = 4

/** What the capped reader costs and what the pump gains, per second of server CPU. */
export async function measureHttp(): Promise<readonly Figure[]> {
  return [
    figure('http.body.limit', await measureBodyLimit(), BODY_LIMIT_GOAL, 'reading the body without a limit'),
    figure('http.fan.out', await measureFanOut(), FAN_OUT_GOAL, 'one write per event and subscriber'),
  ]
}

function figure(name: string, { ours, peer, unit }: Ratio, goal: number, peerName: string): Figure {
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
