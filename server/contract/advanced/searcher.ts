import type { CallContext } from '../context.ts'
import type { NextStep } from '../errors.ts'

/** One place that a searcher found. */
export interface Found {
  /** What it is and the words around the match, in one line; it may quote other authors. */
  readonly text: string
  /** The call that opens it. */
  readonly open: NextStep
}

/** What one search gave, best first. */
export interface FoundPage {
  readonly results: readonly Found[]
  /** There is more than the limit allowed. */
  readonly more: boolean
}

/** Finds what a plugin stores, for the one search over all plugins. Reads only: a search leaves no session, event or file. */
export interface Searcher {
  /** What it finds, `^[a-z][a-z0-9_]{1,39}$`, such as `record`. */
  readonly kind: string
  /**
   * The places that fit `query` best, at most `limit`. The query is plain words without a syntax; where it is words to be
   * held, a place holds all of them. `ctx.signal` aborts after 5 s. Errors: a refusal says why nothing can be searched.
   */
  search(query: string, limit: number, ctx: CallContext): Promise<FoundPage>
}

/** What was found of one kind. */
export interface FoundGroup extends FoundPage {
  readonly kind: string
  /** No place holds all words; these hold most of those that occur. */
  readonly partly?: true
  /** Why this kind could not be searched. */
  readonly unavailable?: string
}
