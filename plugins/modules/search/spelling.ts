import { editDistance, once } from '../../../server/plugin.ts'
import { letterMask, mayBeNear, nearBytes } from './letter-mask.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** What a word of a query was probably meant to be. */
export interface Correction {
  readonly words: readonly string[]
  /** How sure it is, 0..1. */
  readonly weight: number
}

/** Corrects words against the words that are in use. */
export interface Spelling {
  /** Undefined for a word that is in use, or that nothing in use is like. */
  correct(word: string, vocabulary: Vocabulary): Correction | undefined
}

const SHORTEST = 5
/** Shorter words and numbers are names; so is a word of four letters, unless one is missing or two are exchanged. */
const MISSPELT = /^[a-z][a-z0-9]{3,}$/
/** A word in so many texts is right as it is. */
export const IN_USE = 3
/** A rare word is only taken for one that is so many times as frequent. */
const MUCH_MORE = 8
/** A shorter word with a wrong letter is more likely another word. */
const LENGTH_OF_WRONG_LETTER = 7
const LENGTH_OF_TWO_ERRORS = 9

interface Candidate {
  readonly words: readonly string[]
  readonly distance: number
  readonly texts: number
}

/** `known`: lower-case words of the field, as they are written; the stems of an index do not show how a word ends. */
export function createSpelling(known: Iterable<string>): Spelling {
  const words = [...new Set(known)].filter((word) => /^[a-z][a-z0-9]{2,}$/.test(word))
  const isKnown = new Set(words)
  const byLength = once(() => groupedByLength(words)) // most queries have no word that is spelled otherwise
  return {
    correct(word, vocabulary) {
      if (isKnown.has(word) || !MISSPELT.test(word) || /\d{2}/.test(word)) return undefined
      const texts = vocabulary.count(stem(word))
      const single = undoubled(word, isKnown)
      if (single !== undefined && vocabulary.count(stem(single)) > texts)
        return { words: [single], weight: 0.9 }
      if (texts >= IN_USE) return undefined
      const parts = partsOf(word, isKnown, vocabulary)
      if (parts && texts === 0) return { words: parts, weight: 0.9 }
      return nearest(word, byLength(), vocabulary)
    },
  }
}

function nearest(word: string, known: ByLength, vocabulary: Vocabulary): Correction | undefined {
  const texts = vocabulary.count(stem(word))
  const isShort = word.length < SHORTEST
  if (isShort && texts > 0) return undefined
  const most = word.length >= LENGTH_OF_TWO_ERRORS ? 2 : 1
  const near = [...nearKnown(word, known, most, vocabulary), ...nearStems(word, vocabulary)]
  const isLikely = ({ words: [right = ''], texts: found }: Candidate): boolean =>
    found > 0 && found >= MUCH_MORE * (isShort ? 1 : texts) && !(isShort && right.length < word.length)
  const likely = near.filter(isLikely)
  const [best] = likely.sort((a, b) => a.distance - b.distance || b.texts - a.texts)
  return best && { words: best.words, weight: best.distance <= 1 ? 0.9 : 0.7 }
}

/** A known word that was written with a letter twice. */
function undoubled(word: string, isKnown: ReadonlySet<string>): string | undefined {
  for (let at = 1; at < word.length; at++) {
    const shorter = word.slice(0, at) + word.slice(at + 1)
    if (word[at] === word[at - 1] && isKnown.has(shorter)) return shorter
  }
  return undefined
}

/** Two words in use that were written as one. */
function partsOf(
  word: string,
  isKnown: ReadonlySet<string>,
  vocabulary: Vocabulary,
): readonly string[] | undefined {
  for (let at = 3; at <= word.length - 3; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (parts.every((part) => isKnown.has(part) && vocabulary.count(stem(part)) >= IN_USE)) return parts
  }
  return undefined
}

function nearKnown(word: string, known: ByLength, most: number, vocabulary: Vocabulary): Candidate[] {
  const mask = letterMask(word)
  const found: Candidate[] = []
  for (let length = word.length - most; length <= word.length + most; length++) {
    for (const candidate of known.get(length) ?? []) {
      if (!mayBeNear(mask, candidate.mask, most)) continue
      const distance = likeness(word, candidate.word, most)
      if (distance > most) continue
      found.push({ words: [candidate.word], distance, texts: vocabulary.count(stem(candidate.word)) })
    }
  }
  return found
}

/** Terms of the index itself: names that only these modules use. */
function nearStems(word: string, vocabulary: Vocabulary): Candidate[] {
  const wanted = stem(word)
  const found: Candidate[] = []
  const alike = {
    leastTexts: IN_USE - 1,
    leastBytes: Math.max(SHORTEST, wanted.length - 1),
    mostBytes: wanted.length + 1,
    isLikely: nearBytes(letterMask(wanted), 1),
  }
  for (const { term, texts } of vocabulary.startingWith(wanted.slice(0, 1), alike)) {
    if (texts < IN_USE - 1 || term.length < SHORTEST) continue
    const distance = likeness(wanted, term, 1)
    // A known word is spelled out; a stem that is as near is the second choice.
    if (distance <= 1) found.push({ words: [term], distance: distance + 0.25, texts })
  }
  return found
}

type ByLength = ReadonlyMap<number, readonly { readonly word: string; readonly mask: number }[]>

function groupedByLength(words: readonly string[]): ByLength {
  const groups = new Map<number, { word: string; mask: number }[]>()
  for (const word of words) {
    const group = groups.get(word.length) ?? []
    group.push({ word, mask: letterMask(word) })
    groups.set(word.length, group)
  }
  return groups
}

/** Letters to insert, remove, replace or exchange with the next; a wrong first letter counts twice. Above `most`: stops counting. */
function likeness(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  const first = a[0] === b[0] || a[0] === b[1] ? 0 : 1
  const distance = editDistance(a, b, most)
  const isOtherWord =
    a.length < LENGTH_OF_WRONG_LETTER &&
    a.length === b.length &&
    [...a].sort().join() !== [...b].sort().join()
  return distance + first + (isOtherWord ? 1 : 0)
}
