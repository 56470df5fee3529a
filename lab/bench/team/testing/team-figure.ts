import { percentile } from '../../../percentile.ts'

/** What a team was measured at, beside the floor of the same run where it has one. */
export interface TeamFigure {
  readonly what: string
  readonly unit: 'ms' | '/s' | 's'
  readonly ours: number
  readonly floor?: { readonly what: string; readonly value: number }
}

/** The median of so many calls, one after the other, in milliseconds; the first one warms up. */
export async function medianMs(calls: number, call: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n <= calls; n++) {
    const began = performance.now()
    await call(n)
    if (n > 0) times.push(performance.now() - began)
  }
  return percentile(times, 0.5)
}

/** How many calls a second so many clients make together, for a while. */
export async function rateOf(
  { clients, spanMs }: { readonly clients: number; readonly spanMs: number },
  call: (client: number) => Promise<unknown>,
): Promise<number> {
  const began = performance.now()
  let done = 0
  const work = async (client: number): Promise<void> => {
    while (performance.now() - began < spanMs) {
      await call(client)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return (done * 1000) / (performance.now() - began)
}

/** On paper: what so many servers of machines of their own carry a second, which is at most what the database does. */
export function carried(servers: number, { ours, floor }: TeamFigure): number {
  return Math.min(servers * ours, floor?.value ?? Number.POSITIVE_INFINITY)
}

/** A line for a person. */
export function lineOf({ what, unit, ours, floor }: TeamFigure): string {
  const beside =
    floor &&
    ` against ${shown(floor.value)} ${unit} (${floor.what}), ratio ${(ours / floor.value).toFixed(2)}`
  return `${what}: ${shown(ours)} ${unit}${beside ?? ''}`
}

function shown(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0)
}
