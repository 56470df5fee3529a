import { type Figure, figureOf } from '../figure.ts'
import { bestOf } from '../rounds.ts'

/** What is measured of each side, and what ours is to be beside a peer. */
export interface Metric {
  readonly what: string
  readonly unit: string
  readonly sense: Figure['sense']
  /** As a ratio to the peer; absent: ahead of it. */
  readonly goal?: number
}

/** One measured program or engine. `close` ends what it keeps open. */
export interface Side<Name extends string> {
  measure(): Promise<Readonly<Record<Name, number>>>
  close?(): Promise<void>
}

/** A rival; opening it installs and prepares it, and may fail. */
export interface Peer<Name extends string> {
  readonly name: string
  open(): Promise<Side<Name>>
}

/** A rival that could not be installed or measured. */
export interface Missing {
  readonly peer: string
  readonly reason: string
}

export interface Compared {
  readonly figures: readonly Figure[]
  readonly missing: readonly Missing[]
}

interface Comparison<Name extends string> {
  /** First word of each figure: `peers.start`. */
  readonly name: string
  readonly rounds: number
  readonly metrics: Readonly<Record<Name, Metric>>
  readonly ours: Side<Name>
  readonly peers: readonly Peer<Name>[]
  readonly signal: AbortSignal
  note(line: string): void
}

/**
 * Measures ours and every peer in turns, after one round that is not counted, and closes them. A peer that fails is
 * missing, with its reason; a failure of ours is thrown.
 */
export async function compare<Name extends string>(comparison: Comparison<Name>): Promise<Compared> {
  const { ours, peers, rounds, signal, note } = comparison
  const missing: Missing[] = []
  const running = new Map<string, Measured<Name>>()
  const trying = async (peer: string, work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    try {
      await work()
    } catch (thrown) {
      signal.throwIfAborted()
      running.delete(peer)
      missing.push({ peer, reason: reasonOf(thrown) })
    }
  }
  const opened: Side<Name>[] = [ours]
  const own: Measured<Name> = { side: ours, taken: [] }
  try {
    for (const peer of peers) {
      note(`${comparison.name}: ${peer.name}`)
      await trying(peer.name, async () => {
        const side = await peer.open()
        opened.push(side)
        running.set(peer.name, { side, taken: [] })
      })
    }
    for (let round = 0; round <= rounds; round += 1) {
      await take(own, round)
      for (const [peer, measured] of running) await trying(peer, () => take(measured, round))
    }
  } finally {
    for (const side of opened) await side.close?.()
  }
  return { figures: figuresOf(comparison, own, running), missing }
}

interface Measured<Name extends string> {
  readonly side: Side<Name>
  readonly taken: Readonly<Record<Name, number>>[]
}

async function take<Name extends string>({ side, taken }: Measured<Name>, round: number): Promise<void> {
  const sample = await side.measure()
  if (round > 0) taken.push(sample)
}

function figuresOf<Name extends string>(
  { name, metrics }: Comparison<Name>,
  own: Measured<Name>,
  running: ReadonlyMap<string, Measured<Name>>,
): readonly Figure[] {
  return [...running].flatMap(([peer, { taken }]) =>
    (Object.entries(metrics) as [Name, Metric][]).map(([metric, { what, unit, sense, goal = 1 }]) => {
      const rounds = {
        ours: own.taken.map((sample) => sample[metric]),
        against: taken.map((sample) => sample[metric]),
      }
      return figureOf({
        ...bestOf(rounds, sense),
        name: `${name}.${metric}.${peer}`,
        what,
        unit,
        against_what: peer,
        goal,
      })
    }),
  )
}

function reasonOf(thrown: unknown): string {
  return String(thrown instanceof Error ? thrown.message : thrown)
    .trim()
    .slice(0, 300)
}
