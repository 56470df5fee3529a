import type { NextStep } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** Keeps answers that grow with a record at a size that a model can take. */

/** Largest budget that a caller may set for one answer. */
export const MAX_ANSWER_TOKENS = 300_000
export const DEFAULT_ANSWER_TOKENS = 8000

/** Says that an answer was cut, and which call reads on. */
export interface Truncated {
  readonly reason: 'over_budget'
  /** Part of the answer -> entries that are not in it. */
  readonly left_out: Readonly<Record<string, number>>
  readonly next: NextStep
}

/** The call that reads the value at a pointer of a record within the largest budget. */
export function readOn(id: string, pointer?: string): NextStep {
  return {
    tool: 'handoff_get',
    args: { id, ...(pointer !== undefined && { pointer }), max_tokens: MAX_ANSWER_TOKENS },
  }
}

/** UTF-8 bytes of a value as JSON; 0 for `undefined`. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

type Lists = Readonly<Record<string, readonly unknown[]>>

/** Importance of each entry of a list: the lowest rank comes first. */
type Ranks<L extends Lists> = { readonly [K in keyof L]?: (entry: L[K][number]) => number }

export interface Budgeted<L extends Lists> {
  readonly lists: L
  /** List -> entries left out; complete lists are not named. */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * Cuts the lists to `maxBytes` of JSON together. They take turns, each with its next most important entry, so that a
 * long list does not displace a short one. Entries keep their order.
 */
export function withinBytes<L extends Lists>(lists: L, maxBytes: number, ranks: Ranks<L> = {}): Budgeted<L> {
  const queues = Object.entries(lists).map(([name, entries]) => ({
    name,
    entries,
    order: orderOf(entries, ranks[name]),
    kept: new Set<number>(),
  }))
  let left = maxBytes
  for (let turn = 0; queues.some(({ order }) => turn < order.length); turn++) {
    for (const { entries, order, kept } of queues) {
      const at = order[turn]
      if (at === undefined) continue
      const size = jsonBytes(entries[at]) + 1 // the comma
      if (size > left) continue
      left -= size
      kept.add(at)
    }
  }
  return {
    lists: Object.fromEntries(
      queues.map(({ name, entries, kept }) => [name, entries.filter((_, at) => kept.has(at))]),
    ) as unknown as L, // each list with entries of its own
    leftOut: Object.fromEntries(
      queues
        .filter(({ entries, kept }) => kept.size < entries.length)
        .map(({ name, entries, kept }) => [name, entries.length - kept.size]),
    ),
  }
}

function orderOf<T>(entries: readonly T[], rank: ((entry: T) => number) | undefined): readonly number[] {
  const places = entries.map((_, at) => at)
  if (!rank) return places
  const ranked = entries.map(rank)
  return places.sort((a, b) => (ranked[a] ?? 0) - (ranked[b] ?? 0) || a - b)
}

/** Part of a text: consecutive parts joined are the text, byte by byte. */
export interface TextPart {
  readonly part: string
  /** Bytes of the whole. */
  readonly bytes: number
  /** Start of the next part; undefined for the last part. */
  readonly next: number | undefined
}

/**
 * At most `maxBytes` (4 or more) of a text from byte `offset`, cut between characters.
 * Errors: `invalid`/`invalid_arguments` for an offset after the end or inside a character.
 */
export function partOf(text: string, offset: number, maxBytes: number): TextPart {
  const whole = Buffer.from(text)
  if (offset > whole.length || isInside(whole, offset)) {
    const errors = [{ pointer: '/offset', message: 'no part starts there' }]
    throw refusals.bad_offset({ bytes: whole.length }, { errors })
  }
  let end = Math.min(whole.length, offset + maxBytes)
  while (isInside(whole, end)) end--
  return {
    part: whole.toString('utf8', offset, end),
    bytes: whole.length,
    next: end < whole.length ? end : undefined,
  }
}

/** True for a byte that continues a character. */
function isInside(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80
}
