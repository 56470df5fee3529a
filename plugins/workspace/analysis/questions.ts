import { blockDiff, unifiedDiff } from '../domain/difference.ts'
import { type Edit, type Edited, withEdits, withPatch } from '../domain/edit.ts'
import { merge, wholeConflict } from '../domain/merge.ts'
import { packOutline } from '../domain/outline.ts'
import { linesWith } from '../domain/search.ts'
import { noMarkup, pageMarkup } from './page-markup.ts'

interface Kinds {
  /** `answer` is plain data, which moves between threads. */
  readonly answer: (texts: readonly string[], limit: number) => unknown
  /** A worse answer that takes no time, for a question that took too long. */
  readonly quick: (texts: readonly string[], limit: number) => unknown
}

const UNFIT: Edited = { kind: 'unfit' }

const KINDS = {
  // It takes time in proportion to its text only, and without one no section could be changed.
  outline: { answer: ([text = '']) => packOutline(text), quick: ([text = '']) => packOutline(text) },
  difference: {
    answer: ([before = '', after = ''], limit) => unifiedDiff(before, after, limit),
    quick: ([before = '', after = ''], limit) => blockDiff(before, after, limit),
  },
  merge: {
    answer: ([base = '', current = '', proposed = '']) => merge(base, current, proposed),
    quick: ([base = '', current = '', proposed = '']) => wholeConflict(base, current, proposed),
  },
  edited: {
    answer: ([text = '', ...edits]) => withEdits(text, inPairs(edits)),
    quick: () => UNFIT,
  },
  patched: { answer: ([text = '', patch = '']) => withPatch(text, patch), quick: () => UNFIT },
  lines: {
    answer: ([text = '', query = ''], limit) => linesWith(text, query, limit),
    quick: () => [],
  },
  /** The markup of a document for the page, as JSON in UTF-8; a promise, because its parser is loaded for it. */
  page: { answer: ([text = '']) => pageMarkup(text), quick: ([text = '']) => noMarkup(text) },
} as const satisfies Readonly<Record<string, Kinds>>

export type Kind = keyof typeof KINDS

/** One question about texts. */
export interface Question {
  readonly kind: Kind
  readonly texts: readonly string[]
  /** The most bytes or lines of the answer, where its kind has such a limit; otherwise 0. */
  readonly limit: number
}

/** The answer, worked out in this thread. */
export function answerHere({ kind, texts, limit }: Question): unknown {
  return KINDS[kind].answer(texts, limit)
}

/** A worse answer, soon. */
export function quickAnswer({ kind, texts, limit }: Question): unknown {
  return KINDS[kind].quick(texts, limit)
}

/** Edits as the texts of a question: old, new, old, new. */
function inPairs(texts: readonly string[]): readonly Edit[] {
  return Array.from({ length: texts.length / 2 }, (_, at) => ({
    old: texts[2 * at] ?? '',
    new: texts[2 * at + 1] ?? '',
  }))
}
