import type { Change, Image } from '../../server/platform/testing/simulated-disk.ts'
import type { Disk } from '../../server/plugin.ts'
import { type Chance, createChance } from './chance.ts'
import { createMedium, type Medium } from './medium.ts'

/** A mistake in how a store uses its disk, built in to see that a crash test finds it. */
export interface DiskBug {
  readonly name: string
  readonly disk: (disk: Disk) => Disk
}

/** What one run did to its simulated disk, and how to tell whether its promises outlive a power cut. */
export interface Life {
  /** The content of the disk before. */
  readonly start: Image
  readonly changes: readonly Change[]
  /** Promises that were broken without a power cut. */
  readonly complaints: readonly string[]
  /** Opens the store on what a cut left, checks every promise and works on. */
  judge(cut: Cut): Promise<Verdict>
}

/** What a power cut left. */
export interface Cut {
  readonly image: Image
  /** Disk changes of the run before the power went. */
  readonly at: number
  readonly chance: Chance
  /** Present for a second cut, in the middle of what `judge` did: the image before, and the changes until the cut. */
  readonly second?: { readonly image: Image; readonly changes: readonly Change[] }
}

export interface Verdict {
  /** What was promised and not kept; empty when all is well. */
  readonly faults: readonly string[]
  /** What the recovery did to the disk. */
  readonly recovery: readonly Change[]
}

export interface PowerCutOptions {
  readonly seed: number
  /** Cuts to simulate. */
  readonly points: number
  /** One run; `chance` follows from the seed. */
  live(chance: Chance): Promise<Life>
  /** True when the time is up. */
  stop?(): boolean
}

export interface PowerCutReport {
  readonly points: number
  /** Cuts that hit a recovery which was itself under way. */
  readonly nested: number
  /** The first broken promise, if any; `seed` repeats it. */
  readonly failure?: { readonly seed: number; readonly change: number; readonly faults: readonly string[] }
}

const CUTS_PER_CHANGE = 5 // at most: the more is not durable, the more images a cut can leave
const CUT_CHANGES = 0.25
const NESTED_SHARE = 0.25

/**
 * Cuts the power between any two changes of one run after another, with any subset of what was not flushed surviving.
 * Ends at the first broken promise.
 */
export async function cutPower(options: PowerCutOptions): Promise<PowerCutReport> {
  let points = 0
  let nested = 0
  for (let seed = options.seed; points < options.points && !options.stop?.(); seed += 1) {
    const chance = createChance(seed)
    const life = await options.live(chance)
    const run = await cutLife(life, {
      seed,
      chance,
      budget: options.points - points,
      stop: options.stop,
      imagesAfter: (change, medium) => someImages(change, medium, chance),
    })
    points += run.points
    nested += run.nested
    if (run.failure) return { points, nested, failure: run.failure }
  }
  return { points, nested }
}

/**
 * Cuts the power after every change of one run: with nothing of what was not flushed, with all of it, and with a part.
 * Ends at the first broken promise.
 */
export async function cutEverywhere({
  seed,
  live,
}: Pick<PowerCutOptions, 'seed' | 'live'>): Promise<PowerCutReport> {
  const chance = createChance(seed)
  const life = await live(chance)
  const imagesAfter = (_change: Change, medium: Medium): Image[] =>
    medium.pending() === 0
      ? [medium.cut(NOTHING)]
      : [medium.cut(NOTHING), medium.cut(EVERYTHING), medium.cut(chance)]
  return await cutLife(life, { seed, chance, budget: Number.POSITIVE_INFINITY, stop: undefined, imagesAfter })
}

/** Chooses that nothing survives which was not flushed. */
export const NOTHING: Chance = { below: () => 0, maybe: () => false, bytes: (count) => Buffer.alloc(count) }
/** Chooses that all of it survives. */
const EVERYTHING: Chance = {
  below: (limit) => limit - 1,
  maybe: (probability) => probability === 1,
  bytes: (count) => Buffer.alloc(count),
}

function someImages(change: Change, medium: Medium, chance: Chance): Iterable<Image> {
  // More runs show more than more cuts of the same one; nothing of a new file is certain.
  const isNew = change.kind === 'write' && change.offset === 0
  if (!isNew && !chance.maybe(CUT_CHANGES)) return []
  return (function* () {
    for (let cut = Math.min(CUTS_PER_CHANGE, 1 + medium.pending()); cut > 0; cut -= 1)
      yield medium.cut(chance)
  })()
}

interface Cutting {
  readonly seed: number
  readonly chance: Chance
  readonly budget: number
  readonly stop: (() => boolean) | undefined
  /** The images to judge after a change. */
  imagesAfter(change: Change, medium: Medium): Iterable<Image>
}

async function cutLife(life: Life, cutting: Cutting): Promise<PowerCutReport> {
  const { seed, chance, budget } = cutting
  if (life.complaints.length > 0) {
    const failure = { seed, change: life.changes.length, faults: life.complaints }
    return { points: 1, nested: 0, failure }
  }
  const medium = createMedium(life.start)
  const count = { points: 0, nested: 0 }
  for (const [number, change] of life.changes.entries()) {
    medium.apply(change, number)
    const at = number + 1
    for (const image of cutting.imagesAfter(change, medium)) {
      if (count.points >= budget || cutting.stop?.()) return count
      count.points += 1
      const faults = await judgeCut(life, { image, at, chance }, count)
      if (faults.length > 0) return { ...count, failure: { seed, change: at, faults } }
    }
  }
  return count
}

/** Judges one cut, and sometimes a second one in the middle of its recovery. */
async function judgeCut(life: Life, cut: Cut, count: { nested: number }): Promise<readonly string[]> {
  const { image, chance } = cut
  const { faults, recovery } = await life.judge(cut)
  if (faults.length > 0 || !chance.maybe(NESTED_SHARE)) return faults
  count.nested += 1
  const medium = createMedium(image)
  const changes = recovery.slice(0, chance.below(recovery.length + 1))
  for (const [number, change] of changes.entries()) medium.apply(change, number)
  const again = await life.judge({ ...cut, image: medium.cut(chance), second: { image, changes } })
  return again.faults.length > 0 ? ['after a cut in the recovery:', ...again.faults] : []
}
