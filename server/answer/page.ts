import { contentHash, dataIn, type Grain, partsIn, type Span, shownIn, type Units, unitsOf } from './units.ts'

/** Where a page begins: how finely the data is divided, the first unit, and the hash of all units. */
export interface PageStart {
  readonly grain: number
  readonly from: number
  readonly content: string
}

/** What one answer holds of its data. */
export interface Page {
  /** The data, with shortened lists and strings where it is cut. */
  readonly data: Record<string, unknown>
  /** The same for printing. */
  readonly shown: Record<string, unknown>
  /** `results 1–10 of 40`; empty for the whole data. */
  readonly parts: readonly string[]
  /** Where the next page begins; undefined on the last page. */
  readonly next: PageStart | undefined
}

/** Size in bytes of an answer that holds this page. */
export type Measure = (page: Page) => number

/** From coarse to fine. The fine one is for data whose fixed members alone exceed the bound. */
function grainsFor(maxBytes: number): readonly Grain[] {
  return [
    { unit: Math.ceil(maxBytes / 3), text: 600 },
    { unit: Math.ceil(maxBytes / 12), text: 120 },
  ]
}

/**
 * Returns the longest page from `start` whose answer has at most `maxBytes`; it holds at least one unit, so that each
 * page leads on. Undefined if the data is not that of the earlier pages.
 */
export function pageOf(
  data: Record<string, unknown>,
  options: { readonly start: PageStart | undefined; readonly maxBytes: number; readonly measure: Measure },
): Page | undefined {
  const { start, maxBytes, measure } = options
  const whole: Page = { data, shown: data, parts: [], next: undefined }
  if (!start && measure(whole) <= maxBytes) return whole
  let page: Page | undefined
  for (const [at, grain] of grainsFor(maxBytes).entries()) {
    if (start && start.grain !== at) continue
    const units = unitsOf(data, grain)
    const from = start?.from ?? 0
    if (from >= units.count || (start && start.content !== contentHash(units))) continue
    page = longestFrom(units, at, from, options)
    if (measure(page) <= maxBytes) return page
  }
  return page ?? (start ? undefined : whole)
}

function longestFrom(
  units: Units,
  grain: number,
  from: number,
  { maxBytes, measure }: { readonly maxBytes: number; readonly measure: Measure },
): Page {
  const content = contentHash(units)
  const pageTo = (to: number): Page => {
    const span: Span = { from, to }
    return {
      data: dataIn(units, span),
      shown: shownIn(units, span),
      parts: partsIn(units, span),
      next: to < units.count ? { grain, from: to, content } : undefined,
    }
  }
  let [low, high] = [from + 1, reachOf(units, from, maxBytes)]
  let longest: Page | undefined
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const page = pageTo(middle)
    if (measure(page) <= maxBytes) [low, longest] = [middle, page]
    else high = middle - 1
  }
  return longest ?? pageTo(low)
}

/** The end of the units that could fit at all, so that a search through megabytes prints little. */
function reachOf({ weights, count }: Units, from: number, maxBytes: number): number {
  let [to, weight] = [from, 0]
  while (to < count && weight <= maxBytes * 4) weight += weights[to++] ?? 0
  return Math.max(to, from + 1)
}
