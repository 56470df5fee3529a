/**
 * The Porter stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980) for lower-case words of a-z:
 * `subnets` -> `subnet`, `replication` and `replicate` -> `replic`. Words of fewer than three letters stay as they are.
 * Pure; the answer for a word never changes, because stored vectors depend on it.
 */
export function stem(word: string): string {
  if (word.length < 3) return word
  let w = withY(word)
  w = step1a(w)
  w = step1b(w)
  if (w.endsWith('y') && hasVowel(w.slice(0, -1))) w = `${w.slice(0, -1)}i`
  w = replaceSuffix(w, STEP_2)
  w = replaceSuffix(w, STEP_3)
  w = step4(w)
  w = step5(w)
  return w.includes('Y') ? w.toLowerCase() : w
}

type Pair = readonly [suffix: string, replacement: string]

/** Suffixes by their last letter, those that come first in the algorithm first: a word is compared with few of them. */
type BySuffix = ReadonlyMap<string, readonly Pair[]>

const STEP_2 = byLastLetter([
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
])

const STEP_3 = byLastLetter([
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
])

const STEP_4 = byLastLetter(
  'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou'
    .split(' ')
    .map((suffix): Pair => [suffix, '']),
)

function byLastLetter(pairs: readonly Pair[]): BySuffix {
  const groups = new Map<string, Pair[]>()
  for (const pair of pairs) {
    const last = pair[0].slice(-1)
    groups.set(last, [...(groups.get(last) ?? []), pair])
  }
  return groups
}

function suffixOf(w: string, pairs: BySuffix): Pair | undefined {
  return pairs.get(w.slice(-1))?.find(([suffix]) => w.endsWith(suffix))
}

/** A consonant y is written `Y` while the steps run, so that a vowel is simply one of `aeiouy`. */
function withY(word: string): string {
  if (!word.includes('y')) return word
  let out = ''
  for (let i = 0; i < word.length; i++) {
    const letter = word[i] ?? ''
    out += letter === 'y' && (i === 0 || isVowel(out[i - 1])) ? 'Y' : letter
  }
  return out
}

function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && 'aeiouy'.includes(letter)
}

function hasVowel(part: string): boolean {
  return /[aeiouy]/.test(part)
}

/** Porter's m: how often a vowel run is followed by a consonant run. */
function measure(part: string): number {
  let count = 0
  for (let i = 1; i < part.length; i++) if (isVowel(part[i - 1]) && !isVowel(part[i])) count++
  return count
}

function endsDouble(word: string): boolean {
  const last = word.at(-1)
  return word.length > 1 && last === word.at(-2) && !isVowel(last)
}

/** consonant, vowel, consonant other than w, x, Y: `hop`. */
function endsShort(word: string): boolean {
  const [a, b, c] = [word.at(-3), word.at(-2), word.at(-1)]
  return a !== undefined && !isVowel(a) && isVowel(b) && !isVowel(c) && !'wxY'.includes(c ?? '')
}

function step1a(w: string): string {
  if (w.endsWith('sses') || w.endsWith('ies')) return w.slice(0, -2)
  if (w.endsWith('ss') || !w.endsWith('s')) return w
  return w.slice(0, -1)
}

function step1b(w: string): string {
  if (w.endsWith('eed')) return measure(w.slice(0, -3)) > 0 ? w.slice(0, -1) : w
  const suffix = ['ed', 'ing'].find((end) => w.endsWith(end))
  if (suffix === undefined) return w
  const base = w.slice(0, -suffix.length)
  if (!hasVowel(base)) return w
  if (/(at|bl|iz)$/.test(base)) return `${base}e`
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1)
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base
}

function replaceSuffix(w: string, pairs: BySuffix): string {
  const pair = suffixOf(w, pairs)
  if (!pair) return w
  const base = w.slice(0, -pair[0].length)
  return measure(base) > 0 ? base + pair[1] : w
}

function step4(w: string): string {
  const [suffix] = suffixOf(w, STEP_4) ?? []
  if (suffix === undefined) return w
  const base = w.slice(0, -suffix.length)
  if (measure(base) <= 1) return w
  return suffix === 'ion' && !/[st]$/.test(base) ? w : base
}

function step5(w: string): string {
  let out = w
  if (out.endsWith('e')) {
    const base = out.slice(0, -1)
    const m = measure(base)
    if (m > 1 || (m === 1 && !endsShort(base))) out = base
  }
  return out.endsWith('ll') && measure(out) > 1 ? out.slice(0, -1) : out
}
