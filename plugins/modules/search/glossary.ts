import { addTo, once } from '../../../server/plugin.ts'

/** One row of the glossary: an English phrase and what people of other languages say for it. */
export interface GlossaryRow {
  readonly english: string
  readonly [language: string]: string | readonly string[]
}

export interface GlossaryData {
  readonly stop_words: Readonly<Record<string, readonly string[]>>
  readonly terms: readonly GlossaryRow[]
}

/** A text in English words, and which phrases were replaced. */
export interface Translation {
  readonly text: string
  readonly language?: string
  readonly replaced: readonly { readonly from: string; readonly to: string }[]
}

/** Translates the words of queries that the glossary knows; the rest of a query stays as it is. */
export interface Glossary {
  /** `isKnown` tells whether an English word of this spelling is in use, so that it says nothing of another language. */
  translate(text: string, isKnown: (word: string) => boolean): Translation
}

interface Phrase {
  readonly words: readonly string[]
  readonly english: string
}

interface Language {
  readonly name: string
  readonly stopWords: ReadonlySet<string>
  /** By first word, longest first; by first character for languages without spaces. */
  readonly phrases: () => ReadonlyMap<string, readonly Phrase[]>
  readonly isSpaced: boolean
}

const UNSPACED = new Set(['ja', 'zh'])
const CJK = /[\u3040-\u30ff\u3400-\u9fff]/u
const KANA = /[\u3040-\u30ff]/u

/** A glossary whose phrases are compiled when a query may be of another language. */
export function createGlossary({ stop_words, terms }: GlossaryData): Glossary {
  const languages = Object.entries(stop_words).map(([name, stopWords]) => languageOf(name, stopWords, terms))
  return {
    translate(text, isKnown) {
      if (CJK.test(text)) return unspaced(text, languages)
      const words = wordsOf(text)
      if (isClearlyEnglish(words, languages, isKnown)) return { text, replaced: [] }
      const scored = languages
        .filter(({ isSpaced }) => isSpaced)
        .map((language) => ({ language, evidence: evidenceOf(words, language, isKnown) }))
        .sort((a, b) => b.evidence - a.evidence)
      const [best] = scored
      if (!best || best.evidence < 1) return { text, replaced: [] }
      return spaced(words, best.language)
    },
  }
}

function languageOf(name: string, stopWords: readonly string[], terms: readonly GlossaryRow[]): Language {
  const isSpaced = !UNSPACED.has(name)
  const phrases = once(() => compiledPhrases(name, isSpaced, terms))
  return { name, stopWords: new Set(stopWords.map(folded)), phrases, isSpaced }
}

function compiledPhrases(name: string, isSpaced: boolean, terms: readonly GlossaryRow[]) {
  const phrases = new Map<string, Phrase[]>()
  for (const { english, words } of phrasesIn(name, isSpaced, terms)) {
    const [first = ''] = words
    const key = isSpaced ? rootOf(first) : first
    addTo(phrases, key, { words, english })
  }
  for (const list of phrases.values()) list.sort((a, b) => b.words.length - a.words.length)
  return phrases
}

function phrasesIn(name: string, isSpaced: boolean, terms: readonly GlossaryRow[]): Phrase[] {
  return terms.flatMap(({ english, [name]: said }) => {
    if (said === undefined || typeof said === 'string') return []
    const phrases = said.map((text) => ({
      words: isSpaced ? wordsOf(text) : [...text.toLowerCase()],
      english,
    }))
    return phrases.filter(({ words }) => words.length > 0)
  })
}

/** Whether no language has evidence, told without its phrases: every word is in use, and one at most is a stop word of it. */
function isClearlyEnglish(
  words: readonly string[],
  languages: readonly Language[],
  isKnown: (word: string) => boolean,
): boolean {
  const isOther = (word: string): boolean => !ENGLISH.has(word)
  const foreign = words.filter(isOther)
  const isStopWordOf = ({ stopWords }: Language) => foreign.filter((word) => stopWords.has(word)).length
  return foreign.every(isKnown) && languages.every((language) => isStopWordOf(language) <= 1)
}

/** How sure it is that the words are of this language: its stop words and phrases that are not English in use. */
function evidenceOf(
  words: readonly string[],
  language: Language,
  isKnown: (word: string) => boolean,
): number {
  let evidence = 0
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? ''
    const phrase = phraseAt(words, at, language)
    const written = words.slice(at, at + (phrase?.words.length ?? 0))
    if (written.some((part) => !isKnown(part) && !language.stopWords.has(part) && !ENGLISH.has(part))) {
      // What only looks like an inflected word may be a misspelt one.
      evidence += phrase?.words.every((part, offset) => part === written[offset]) ? written.length : 0.5
    } else if (!phrase && language.stopWords.has(word) && word.length > 1 && !ENGLISH.has(word))
      evidence += 0.5
    at += phrase?.words.length ?? 1
  }
  return evidence
}

/** Words of other languages that are English words as well. */
const ENGLISH = new Set(
  'red cola base site sites flux code image images die so an in on as a o no me do i am was to con des war is sin all per e or on the for us par pour sera mit son der den'.split(
    ' ',
  ),
)

function spaced(words: readonly string[], language: Language): Translation {
  const replaced: { from: string; to: string }[] = []
  const out: string[] = []
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? ''
    const phrase = phraseAt(words, at, language)
    const parts = phrase ? undefined : compoundParts(word, language)
    if (phrase) {
      replaced.push({ from: words.slice(at, at + phrase.words.length).join(' '), to: phrase.english })
      out.push(phrase.english)
    } else if (parts) {
      replaced.push({ from: word, to: parts.join(' ') })
      out.push(...parts)
    } else if (!language.stopWords.has(word)) out.push(word)
    at += phrase?.words.length ?? 1
  }
  return { text: out.join(' '), language: language.name, replaced }
}

function phraseAt(words: readonly string[], at: number, { phrases, isSpaced }: Language): Phrase | undefined {
  const first = words[at] ?? ''
  const likely = phrases().get(isSpaced ? rootOf(first) : first) ?? []
  const isWritten = (phrase: Phrase): boolean =>
    phrase.words.every((part, offset) => words[at + offset] === part)
  const isInflected = ({ words: parts }: Phrase): boolean =>
    isSpaced && parts.every((part, offset) => rootOf(words[at + offset] ?? '') === rootOf(part))
  return likely.find(isWritten) ?? likely.find(isInflected)
}

/** A shorter word is an ending more than a root. */
const SHORTEST_ROOT = 4

/** A word without the endings of number, gender and case of these languages. */
function rootOf(word: string): string {
  const root = word.replace(/(?:es|os|as|em|en|er|e|o|a|s|n)$/, '')
  return root.length >= SHORTEST_ROOT ? root : word
}

/** German writes two words as one, often with an s or n between them. */
function compoundParts(word: string, language: Language): readonly string[] | undefined {
  if (language.name !== 'de') return undefined
  const known = (part: string): string | undefined => phraseAt([part], 0, language)?.english
  for (let at = word.length - SHORTEST_ROOT; at >= SHORTEST_ROOT; at--) {
    const last = known(word.slice(at))
    const first = last && (known(word.slice(0, at)) ?? known(word.slice(0, at).replace(/[sn]$/, '')))
    if (first && last) return [first, last]
  }
  return undefined
}

/** Languages without spaces: the longest phrase at each character; runs of other letters stay. */
function unspaced(text: string, languages: readonly Language[]): Translation {
  const wanted = KANA.test(text) ? ['ja', 'zh'] : ['zh', 'ja']
  const known = wanted.flatMap((name) => languages.filter((language) => language.name === name))
  const letters = [...text.toLowerCase()]
  const replaced: { from: string; to: string }[] = []
  let out = ''
  for (let at = 0; at < letters.length; ) {
    const phrase = known
      .flatMap((language) => phraseAt(letters, at, language) ?? [])
      .sort((a, b) => b.words.length - a.words.length)[0]
    if (phrase) {
      replaced.push({ from: phrase.words.join(''), to: phrase.english })
      out += ` ${phrase.english} `
      at += phrase.words.length
      continue
    }
    const letter = letters[at] ?? ''
    out += CJK.test(letter) ? ' ' : letter
    at++
  }
  return { text: out, ...(known[0] && { language: known[0].name }), replaced }
}

/** Lower-case words, cut as `tokens.ts` cuts them, with accents folded so that a query without them matches too. */
function wordsOf(text: string): string[] {
  return [...folded(text).matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word)
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/\u00df/g, 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
}
