import { authorize } from './call.ts'
import type { Found, FoundGroup, FoundPage, Searcher } from './contract/advanced/searcher.ts'
import type { CallContext, Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { visibleLine } from './platform/visible-text.ts'
import { endedWithin } from './platform/within.ts'
import { labelledLog } from './plugin-log.ts'
import { refusals } from './refusals.ts'
import type { Owned } from './registry.ts'

const SEARCH_LIMIT_MS = 5_000
const MAX_LINE_CHARS = 300
/** Largest arguments of the call that opens a result, as JSON. */
const MAX_ARGS_BYTES = 2_000
/** Words that are searched one by one where no place holds all of them. */
const MAX_WORDS = 8
/** Places of one word that are compared with those of the others. */
const PLACES_OF_A_WORD = 50

interface Parts {
  readonly log: Log
  /** The searchers of all plugins, in order. */
  searchers(): Promise<readonly Owned<'searcher', Searcher>[]>
}

/**
 * Asks every searcher that the caller may use, all at the same time. A searcher that refuses, fails or takes too long gives
 * its group a reason, and the others answer. Never rejects.
 */
export function createFind({ log, searchers }: Parts) {
  return async (query: string, limit: number, ctx: CallContext): Promise<readonly FoundGroup[]> =>
    Promise.all(
      (await searchers()).map(async ({ plugin, searcher }): Promise<FoundGroup> => {
        const { kind } = searcher
        try {
          authorize({ plugin, tool: {} }, ctx.principal)
          const own = { ...ctx, log: labelledLog(ctx.log, { plugin }) }
          const late = () => refusals.search_timeout({ seconds: SEARCH_LIMIT_MS / 1000 })
          const work = (signal: AbortSignal) => searched(searcher, query, limit, { ...own, signal })
          return { kind, ...(await endedWithin(SEARCH_LIMIT_MS, late, { signal: ctx.signal, work })) }
        } catch (thrown) {
          if (!isSatchelError(thrown)) log.warn('a searcher failed', { plugin, kind, error: thrown })
          const unavailable = isSatchelError(thrown) ? line(thrown.message) : 'The search failed.'
          return { kind, results: [], more: false, unavailable }
        }
      }),
    )
}

/** The places that hold the query; where there are none, those that hold most of its words. */
async function searched(searcher: Searcher, query: string, limit: number, ctx: CallContext) {
  const whole = await ask(searcher, query, limit, ctx)
  const words = [...new Set(query.split(/\s+/))].slice(0, MAX_WORDS)
  if (whole.results.length > 0 || words.length < 2) return whole
  const results = withMostWords(
    await Promise.all(words.map((word) => ask(searcher, word, PLACES_OF_A_WORD, ctx))),
  )
  if (results.length === 0) return whole
  return { results: results.slice(0, limit), more: results.length > limit, partly: true } as const
}

/** The places that hold at least half of the words that occur, rare words counting more; best first. */
function withMostWords(pages: readonly FoundPage[]): readonly Found[] {
  const places = new Map<string, { readonly found: Found; weight: number }>()
  let total = 0
  for (const { results } of pages) {
    if (results.length === 0) continue
    const weight = Math.log2(1 + PLACES_OF_A_WORD / results.length)
    total += weight
    for (const found of results) {
      const key = JSON.stringify(found.open)
      const place = places.get(key) ?? { found, weight: 0 }
      place.weight += weight
      places.set(key, place)
    }
  }
  return [...places.values()]
    .filter(({ weight }) => weight * 2 >= total)
    .sort((a, b) => b.weight - a.weight)
    .map(({ found }) => found)
}

/** Errors: those of the searcher, and a TypeError for an answer that is not a page of results. */
async function ask(searcher: Searcher, query: string, limit: number, ctx: CallContext): Promise<FoundPage> {
  const answer: unknown = await searcher.search(query, limit, ctx)
  const { results, more } = isJsonObject(answer) ? answer : {}
  if (!Array.isArray(results)) throw new TypeError('the searcher gave no list of results')
  return { results: results.slice(0, limit).map(asFound), more: more === true || results.length > limit }
}

function asFound(given: unknown): Found {
  const { text, open } = isJsonObject(given) ? given : {}
  const { tool, args } = isJsonObject(open) ? open : {}
  if (typeof text !== 'string' || typeof tool !== 'string' || !isJsonObject(args))
    throw new TypeError('a result has no text or no call that opens it')
  if (Buffer.byteLength(JSON.stringify(args)) > MAX_ARGS_BYTES)
    throw new TypeError(`the call that opens a result has more than ${MAX_ARGS_BYTES} bytes of arguments`)
  return { text: line(text), open: { tool, args } }
}

function line(text: string): string {
  return visibleLine(text).slice(0, MAX_LINE_CHARS)
}
