import { addTo, once } from '../../../server/plugin.ts'
import {
  type ConceptGroup,
  type ConceptPhrase,
  noPhrases,
  type Phrases,
  phrasesOf,
  phrasesOfStems,
  textsOf,
  type WrittenPhrase,
} from './concept-phrases.ts'
import { prepareAssociations, type WishedConcept } from './guessed-concepts.ts'
import { wordsAsWritten } from './tokens.ts'

/** What was found out of the phrases of the first groups of a lexicon, so that no process has to do it. */
export interface PreparedPhrases {
  /** Every word of the phrases, as written. */
  readonly words: string
  /** A line for each phrase: its stems, and behind a bar the stem of its words as names write them. */
  readonly stems: string
  /** See `prepareAssociations`. */
  readonly associations: string
}

export const NOT_PREPARED: PreparedPhrases = { words: '', stems: '', associations: '' }

/** See `PreparedPhrases`. */
export function preparePhrases(
  groups: readonly ConceptGroup[],
  wished: readonly WishedConcept[],
): PreparedPhrases {
  const texts = groups.flatMap(textsOf)
  const lines = texts.map((written) => {
    const [phrase, joined] = phrasesOf(written)
    return [phrase, ...(joined ? [joined] : [])].map((one) => one?.stems.join(' ') ?? '').join('|')
  })
  const words = new Set(texts.flatMap(({ text }) => wordsAsWritten(text)))
  return {
    words: [...words].join(' '),
    stems: lines.join('\n'),
    associations: prepareAssociations(groups, wished),
  }
}

/** The first of `texts`, of which the stems are prepared: a line for each. Few of them are looked at for a query. */
export function readyPhrases(texts: readonly WrittenPhrase[], lines: string) {
  const all = once(() => {
    const phrases = noPhrases()
    for (const [at, line] of lines.split('\n').entries())
      for (const phrase of readyPhrase(line, texts[at])) addPhrase(phrases, phrase, () => true)
    return phrases
  })
  const starts = once(() => startsOfLines(lines))
  const some = noPhrases()
  const compiled = new Set<string>() // stems that phrases have; of others there is no end
  const compile = (stem: string): void => {
    if (compiled.has(stem)) return
    for (const at of linesWith(lines, stem, starts())) {
      compiled.add(stem)
      const line = lines.slice(starts()[at], (starts()[at + 1] ?? lines.length + 1) - 1)
      for (const phrase of readyPhrase(line, texts[at])) addPhrase(some, phrase, (one) => one === stem)
    }
  }
  return {
    count: lines === '' ? 0 : starts().length,
    like(stems: readonly string[]): Phrases {
      if (lines !== '') for (const stem of stems) compile(stem)
      return some
    },
    all,
  }
}

function startsOfLines(lines: string): number[] {
  const starts = [0]
  for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

const BETWEEN_STEMS = new Set([' ', '|', '\n', ''])

/** The numbers of the lines that have a stem, rising. */
function linesWith(lines: string, stem: string, starts: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>()
  let line = 0
  for (let at = lines.indexOf(stem); at !== -1 && stem !== ''; at = lines.indexOf(stem, at + 1)) {
    const isWhole =
      BETWEEN_STEMS.has(lines.charAt(at - 1)) && BETWEEN_STEMS.has(lines.charAt(at + stem.length))
    if (!isWhole) continue
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line++
    found.add(line)
  }
  return found
}

interface ReadyPhrase extends ConceptPhrase {
  readonly isSaid: boolean
}

function readyPhrase(line: string, written: WrittenPhrase | undefined): ReadyPhrase[] {
  if (line === '' || written === undefined) return []
  const stems = line.split('|').map((one) => one.split(' '))
  return phrasesOfStems(written, stems).map((phrase) => ({ ...phrase, isSaid: written.isSaid }))
}

/** Adds a phrase to the lists of its stems that are wanted. */
export function addPhrase(
  { said, asked, near }: Phrases,
  phrase: ReadyPhrase,
  isWanted: (stem: string) => boolean,
): void {
  const [first = '', ...others] = phrase.stems
  if (isWanted(first)) {
    if (phrase.isSaid) addTo(said, first, phrase)
    addTo(asked, first, phrase)
  }
  if (others.length > 0) for (const stem of phrase.stems) if (isWanted(stem)) addTo(near, stem, phrase)
}
