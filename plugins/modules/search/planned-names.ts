import { stem } from './stemmer.ts'
import { queryTokens } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A name of inputs, outputs or resources that a query has. */
export interface PlannedName {
  /** Its parts written as one. */
  readonly term: string
  /** How much of the query it is, 0..1. */
  readonly share: number
  /** Written with `_`, or called an input, output or the like. Others are words that happen to form it. */
  readonly isSure: boolean
}

/** What a query says of names. */
interface NamesOfQuery {
  readonly names: readonly PlannedName[]
  /** Words that only say that a name is meant, by their place. */
  readonly calling: ReadonlySet<number>
}

interface QueryWord {
  readonly word: string
  readonly isStopWord: boolean
}

/** A name of two words ("log group") is a phrase of any text; one of three says which input is meant. */
const LEAST_WORDS = 3
/** A query that says "input" or "variable" asks for a name. */
const LEAST_WORDS_CALLED = 2
const MOST_WORDS = 10

const WRITTEN = /[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+/g

/** Words that say that the words next to them are a name. */
const CALLING = new Set(
  (
    'argument arguments attribute attributes flag input inputs option options output outputs parameter parameters ' +
    'setting settings var variable variables'
  ).split(' '),
)
/** "where do I set X" */
const WHO_SETS = new Set(['i', 'we', 'you', 'to'])

/** The names that a query has: as modules write them, and words that follow one another and form one. */
export function namesOf(text: string, words: readonly QueryWord[], vocabulary: Vocabulary): NamesOfQuery {
  const calling = callingWords(words)
  const telling = words.filter(({ isStopWord }, at) => !isStopWord && !calling.has(at)).length
  const shareOf = (count: number): number => Math.min(1, count / Math.max(1, telling))
  const names = new Map<string, PlannedName>()
  for (const [name] of text.matchAll(WRITTEN)) {
    const { words: parts, joined } = queryTokens(name)
    const [term = ''] = joined
    if (vocabulary.count(term) > 0) names.set(term, { term, share: shareOf(parts.length), isSure: true })
  }
  const isCalled = calling.size > 0
  let end = 0
  for (const { from, to } of windows(words, isCalled ? LEAST_WORDS_CALLED : LEAST_WORDS, calling)) {
    if (to <= end) continue // a part of a longer name
    const own = words.slice(from, to)
    const term = stem(own.map(({ word }) => word).join(''))
    if (vocabulary.count(term) === 0) continue
    end = to
    const share = shareOf(own.filter(({ isStopWord }) => !isStopWord).length)
    if (!names.has(term)) names.set(term, { term, share, isSure: isCalled })
  }
  const found = [...names.values()]
  return { names: found, calling: found.some(({ isSure }) => isSure) ? calling : new Set() }
}

function callingWords(words: readonly QueryWord[]): ReadonlySet<number> {
  const isCalling = (at: number): boolean => {
    const word = words[at]?.word ?? ''
    return CALLING.has(word) || (word === 'set' && WHO_SETS.has(words[at - 1]?.word ?? ''))
  }
  return new Set([...words.keys()].filter(isCalling))
}

/** Neighbouring words that may form a name, from the left, longer ones first. */
function* windows(words: readonly QueryWord[], least: number, calling: ReadonlySet<number>) {
  for (let from = 0; from < words.length; from++) {
    if (words[from]?.isStopWord) continue
    let last = from
    while (last < Math.min(words.length, from + MOST_WORDS) && !calling.has(last)) last++
    for (let to = last; to - from >= least; to--) if (!words[to - 1]?.isStopWord) yield { from, to }
  }
}
