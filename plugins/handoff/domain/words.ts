/** The words of a text, as search and plan matching compare them. */

/** Lower case, without accents. */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\u0000-\u007f]*$/.test(lower)) return lower
  return lower.normalize('NFKD').replace(/\p{M}/gu, '')
}

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_.\-/]*/gu

/** Every word of a text: whole identifiers (`getUserName`, `user_name`, `a/b.ts`) and their parts, folded. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const [raw] of text.matchAll(WORD)) {
    const whole = raw.replace(/[.\-/]+$/, '')
    if (whole === '') continue
    words.push(folded(whole))
    const parts = partsOf(whole)
    if (parts.length > 1) words.push(...parts.map(folded))
  }
  return words
}

/** The parts of an identifier: at `_`, `-`, `.`, `/` and where the case changes. */
export function partsOf(identifier: string): string[] {
  return identifier
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .split(/[_\-./]+/)
    .filter((part) => part !== '')
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/(?:ization|isation)$/, 'ize'],
  [/ies?$/, 'y'],
  [/(ss|sh|ch|x|z)es$/, '$1'],
  [/(?:ations?|ators?|ating|ated|ates)$/, 'ate'],
  [/([^aeiou])ings?$/, '$1'],
  [/([aeiou]\w*)ing$/, '$1'],
  [/([^e])ed$/, '$1'],
  [/(?:ments?|ness)$/, ''],
  [/(?:ers?|ors?)$/, ''],
  [/([^s])s$/, '$1'],
]

/** A word without its ending, so that `caching`, `cached` and `caches` are equal. A key, not a linguistic root. */
export function stem(word: string): string {
  if (word.length <= 3 || /[^a-z]/.test(word)) return word
  for (const [ending, replacement] of ENDINGS) {
    const short = word.replace(ending, replacement)
    if (short !== word && short.length >= 3) return withoutTail(short)
  }
  return withoutTail(word)
}

/** Makes `runn` equal to `run` and `cach` to `cache`. */
function withoutTail(word: string): string {
  const single = word.replace(/([bdfgklmnprt])\1$/, '$1')
  return single.length > 3 ? single.replace(/(?:e|i|y)$/, '') : single
}
