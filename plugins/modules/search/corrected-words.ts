import type { Lexicon } from './lexicon.ts'
import { isOrdinary } from './ordinary-words.ts'
import { isProduct } from './products.ts'
import { type Correction, IN_USE, type Spelling } from './spelling.ts'
import { stem } from './stemmer.ts'
import type { WrittenWord } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A word of a query as it is looked up; `weight`: how sure it is, 0..1. */
export type QueryWord = WrittenWord & { readonly weight: number }

interface CorrectedWords {
  readonly words: readonly QueryWord[]
  readonly corrections: readonly { readonly from: string; readonly to: string }[]
}

interface Known {
  readonly lexicon: Lexicon
  readonly spelling: Spelling
}

/** The words of a query, with words in use for misspelt ones and for those that were split ("work load"). */
export function correctedWords(
  written: readonly WrittenWord[],
  known: Known,
  vocabulary: Vocabulary,
): CorrectedWords {
  const corrections: { from: string; to: string }[] = []
  const words: QueryWord[] = []
  const replace = (from: string, { words: right, weight }: Correction): void => {
    corrections.push({ from, to: right.join(' ') })
    for (const word of right) words.push({ word, stem: stem(word), isStopWord: false, weight })
  }
  for (let at = 0; at < written.length; at++) {
    const [word, next] = [written[at], written[at + 1]]
    if (!word) continue
    const joined = joinedOf(written, at, { known, vocabulary })
    if (joined && next) {
      replace(`${word.word} ${next.word}`, joined)
      at++
      continue
    }
    const correction = correctionOf(written, at, { known, vocabulary })
    if (correction) replace(word.word, correction)
    else words.push({ ...word, weight: 1 })
  }
  return { words, corrections }
}

/**
 * The one word that two were written for. Where both are words, it has to say something with a word beside it ("work load
 * identity"): most modules write them as two.
 */
function joinedOf(
  written: readonly WrittenWord[],
  at: number,
  { known, vocabulary }: Context,
): Correction | undefined {
  const pair = written.slice(at, at + 2)
  if (pair.length < 2 || pair.some(({ isStopWord, word }) => isStopWord || !/^[a-z]{2,}$/.test(word)))
    return undefined
  const { lexicon, spelling } = known
  const words = pair.map(({ word }) => word)
  const whole = words.join('')
  const isUnknown = (word: string): boolean =>
    !(lexicon.words.has(word) || isOrdinary(stem(word)) || isProduct(word)) &&
    vocabulary.count(stem(word)) < IN_USE
  if (lexicon.words.has(whole)) {
    if (vocabulary.count(stem(whole)) === 0 || saysTogether(words, lexicon)) return undefined
    const says = words.some(isUnknown) || saysBeside([whole], [written[at - 1], written[at + 2]], lexicon)
    return says ? { words: [whole], weight: SURE } : undefined
  }
  // Two words that say something once each is corrected are two words ("contaner registry").
  const apart = words.flatMap((word) => spelling.correct(word, vocabulary)?.words ?? [word])
  if (!words.some(isUnknown) || saysTogether(apart, lexicon)) return undefined
  const corrected = spelling.correct(whole, vocabulary)
  const isWord = corrected?.words.length === 1 && lexicon.words.has(corrected.words[0] ?? '')
  return isWord ? corrected : undefined
}

const SURE = 0.9

interface Context {
  readonly known: Known
  readonly vocabulary: Vocabulary
}

/** What a word was meant to be. An ordinary word is right, unless another one says something with a word beside it ("cloud trial"). */
function correctionOf(
  written: readonly WrittenWord[],
  at: number,
  { known: { lexicon, spelling }, vocabulary }: Context,
): Correction | undefined {
  const own = written[at]
  if (!own || own.isStopWord || isProduct(own.word)) return undefined
  const correction = spelling.correct(own.word, vocabulary)
  if (!correction || !isOrdinary(own.stem)) return correction
  const around = [written[at - 1], written[at + 1]] as const
  return saysBeside(correction.words, around, lexicon) ? correction : undefined
}

/** Whether words say something together with the one before them or the one after them. */
function saysBeside(
  words: readonly string[],
  [before, after]: readonly [WrittenWord | undefined, WrittenWord | undefined],
  lexicon: Lexicon,
): boolean {
  const pairs = [...(before ? [[before.word, ...words]] : []), ...(after ? [[...words, after.word]] : [])]
  return pairs.some((pair) => saysTogether(pair, lexicon) || lexicon.words.has(pair.join('')))
}

/** Whether these words are a phrase of the lexicon. */
function saysTogether(words: readonly string[], { meant }: Lexicon): boolean {
  const found = meant({ words: words.map(stem), joined: [] }, NONE)
  return [...found.values()].some(({ isExact, words: count }) => isExact && count >= words.length)
}

const NONE: ReadonlySet<number> = new Set()
