import { blockDiff, unifiedDiff } from '../domain/difference.ts'
import { merge, wholeConflict } from '../domain/merge.ts'
import { packOutline } from '../domain/outline.ts'
import { noMarkup, pageMarkup } from '../owner/page-markup.ts'

interface Kinds {
  /** `answer` is plain data, which moves between threads. */
  readonly answer: (texts: readonly string[], maxBytes: number) => unknown
  /** A worse answer that takes no time, for a question that took too long. */
  readonly quick: (texts: readonly string[], maxBytes: number) => unknown
}

const KINDS = {
  // It takes time in proportion to its text only, and without one no section could be changed.
  outline: { answer: ([text = '']) => packOutline(text), quick: ([text = '']) => packOutline(text) },
  difference: {
    answer: ([before = '', after = ''], maxBytes) => unifiedDiff(before, after, maxBytes),
    quick: ([before = '', after = ''], maxBytes) => blockDiff(before, after, maxBytes),
  },
  merge: {
    answer: ([base = '', current = '', proposed = '']) => merge(base, current, proposed),
    quick: ([base = '', current = '', proposed = '']) => wholeConflict(base, current, proposed),
  },
  /** The markup of a document for the page, as JSON; a promise, because its parser is loaded for it. */
  page: { answer: ([text = '']) => pageMarkup(text), quick: ([text = '']) => noMarkup(text) },
} as const satisfies Readonly<Record<string, Kinds>>

export type Kind = keyof typeof KINDS

/** One question about texts. */
export interface Question {
  readonly kind: Kind
  readonly texts: readonly string[]
  /** The most bytes of the answer, where its kind has such a limit; otherwise 0. */
  readonly maxBytes: number
}

/** The answer, worked out in this thread. */
export function answerHere({ kind, texts, maxBytes }: Question): unknown {
  return KINDS[kind].answer(texts, maxBytes)
}

/** A worse answer, soon. */
export function quickAnswer({ kind, texts, maxBytes }: Question): unknown {
  return KINDS[kind].quick(texts, maxBytes)
}
