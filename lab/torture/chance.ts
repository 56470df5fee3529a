/** Reproducible chance: the same seed gives the same run. */
export interface Chance {
  /** A whole number in `[0, below)`. */
  below(limit: number): number
  /** True with this probability. */
  maybe(probability: number): boolean
  bytes(count: number): Buffer
}

/** A 32-bit generator (mulberry32): small, fast, good enough to choose by; not for secrets. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (limit) => Math.floor(next() * limit),
    maybe: (probability) => next() < probability,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => Math.floor(next() * 256))),
  }
}
