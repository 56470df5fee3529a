import { addTo, onceFor } from '../../../server/plugin.ts'
import { PRODUCTS } from './products.ts'
import { CLOUDS, PROVIDER_FAMILY, PROVIDER_NAMES } from './provider-names.ts'

/** Which provider a query wants, and whether it names another one only to say what is wanted. */
export interface ProviderIntent {
  /** The normalised names of the wanted provider and its family, or of several that are named as alternatives. */
  readonly providers: readonly string[]
  /** `equivalent`: "the X of provider Y": what is asked for is Y's, also where modules match X better. */
  readonly kind: 'named' | 'equivalent'
  /** The words that named it. */
  readonly words: string
  /** Places of words that only compare: the other provider, its product, "equivalent". */
  readonly compared: ReadonlySet<number>
}

/** Words by which a query compares two providers. */
export const COMPARING: ReadonlySet<string> = new Set(
  (
    'equivalent equivalents counterpart counterparts version alternative alternatives analog analogue answer replacement ' +
    'substitute pendant aquivalent equivalente like similar instead called same offer offers offering service'
  ).split(' '),
)

/** Words after which the compared product follows. */
const TURNS = new Set(['of', 'to', 'like', 'than', 'for', 'as', 'instead', 'vs', 'de', 'von', 'zu', 'à', 'a'])
const PLACES = new Set(['on', 'in', 'at', 'from', 'by', 'under', 'bei', 'chez', 'em', 'en', 'sur', 'auf'])

interface Mention {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** The provider that a query wants; `words` are its lower-case words in order, stop words included. */
export function providerIntent(words: readonly string[]): ProviderIntent | undefined {
  const clouds = mentions(words, PROVIDER_NAMES)
  const compares = words.some((word) => COMPARING.has(word))
  const wanted = compares ? wantedIn(words, clouds) : []
  if (wanted.length === 0) return namedIntent(words, clouds)
  const names = new Set(wanted.map(({ name }) => name))
  const others = [...clouds, ...mentions(words, PRODUCTS).filter(({ name }) => name !== '')].filter(
    ({ name }) => !names.has(name),
  )
  const isComparison =
    others.length > 0 || words.some((word) => /^(?:equivalent|counterpart|alternative)/.test(word))
  return intentOf(words, wanted, isComparison ? 'equivalent' : 'named', others)
}

/** The places of words that name a provider. */
export function providerPlaces(words: readonly string[]): ReadonlySet<number> {
  return placesOf(mentions(words, PROVIDER_NAMES))
}

function placesOf(named: readonly Mention[]): ReadonlySet<number> {
  return new Set(named.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)))
}

/** The places of words that name a provider or compare: in "the X of provider Y" they say nothing of what X is. */
export function comparingPlaces(words: readonly string[]): ReadonlySet<number> {
  const products = placesOf(mentions(words, PRODUCTS))
  const comparing = [...words.keys()].filter((at) => COMPARING.has(words[at] ?? '') && !products.has(at))
  return new Set([...providerPlaces(words), ...comparing])
}

/**
 * The products that the words name, word by word, but for those at places that are left out, and those of another cloud
 * than the wanted one ("s3 buckets on digitalocean"): they say what is wanted, and a module of that cloud does not name them.
 */
export function productsIn(
  words: readonly string[],
  {
    providers = [],
    isLeftOut,
  }: { readonly providers?: readonly string[] | undefined; isLeftOut(at: number): boolean },
): readonly (readonly string[])[] {
  const isElsewhere = (cloud: string): boolean =>
    cloud !== '' && providers.some((name) => CLOUDS.has(name)) && !providers.includes(cloud)
  const named = mentions(words, PRODUCTS).filter(({ name, from }) => !(isLeftOut(from) || isElsewhere(name)))
  return named.map(({ from, to }) => words.slice(from, to))
}

/** The only provider that is named; several say nothing about which one is wanted. */
function namedIntent(words: readonly string[], clouds: readonly Mention[]): ProviderIntent | undefined {
  const [first] = clouds
  if (!first || clouds.some(({ name }) => name !== first.name)) return undefined
  return intentOf(words, [first], 'named', [])
}

/** In a comparison: those after "on", else the one before the word that compares, else the one before what is compared. */
function wantedIn(words: readonly string[], clouds: readonly Mention[]): readonly Mention[] {
  const placed = clouds.findIndex(({ from }) => from > 0 && PLACES.has(words[from - 1] ?? ''))
  if (placed >= 0) return clouds.slice(placed).filter((one, at) => at === 0 || words[one.from - 1] === 'or')
  const compared = words.findIndex((word) => COMPARING.has(word))
  const before = clouds.findLast(({ to }) => to <= compared)
  if (before) return [before]
  const turn = words.findIndex((word, at) => at >= compared && TURNS.has(word))
  return clouds.filter(({ from }) => from < turn).slice(0, 1)
}

function intentOf(
  words: readonly string[],
  wanted: readonly Mention[],
  kind: ProviderIntent['kind'],
  others: readonly Mention[],
): ProviderIntent {
  const compared = new Set<number>()
  if (kind === 'equivalent') {
    for (const other of others) for (let at = other.from; at < other.to; at++) compared.add(at)
    for (const [at, word] of words.entries()) if (COMPARING.has(word)) compared.add(at)
  }
  return {
    providers: [...new Set(wanted.flatMap(({ name }) => PROVIDER_FAMILY[name] ?? [name]))],
    kind,
    words: wanted.map(({ from, to }) => words.slice(from, to).join(' ')).join(' or '),
    compared,
  }
}

/** Names in the words, longest first, without overlaps. */
function mentions(words: readonly string[], names: Readonly<Record<string, readonly string[]>>): Mention[] {
  const found: Mention[] = []
  for (let from = 0; from < words.length; from++) {
    const best = longestAt(words, from, names)
    if (best) found.push(best)
    from = best ? best.to - 1 : from
  }
  return found
}

function longestAt(
  words: readonly string[],
  from: number,
  names: Readonly<Record<string, readonly string[]>>,
): Mention | undefined {
  const isHere = ({ parts }: NamedPhrase): boolean =>
    parts.every((part, offset) => words[from + offset] === part)
  const best = phrasesOf(names)
    .get(words[from] ?? '')
    ?.find(isHere)
  return best && { name: best.name, from, to: from + best.parts.length }
}

interface NamedPhrase {
  readonly name: string
  readonly parts: readonly string[]
}

/** The phrases of each table by their first words, longest first: a query asks at each of its words. */
const phrasesOf = onceFor((names: Readonly<Record<string, readonly string[]>>) => {
  const made = new Map<string, NamedPhrase[]>()
  for (const [name, said] of Object.entries(names)) {
    for (const phrase of said) {
      const parts = phrase.split(/[ -]/)
      const [first = ''] = parts
      addTo(made, first, { name, parts })
    }
  }
  for (const list of made.values()) list.sort((a, b) => b.parts.length - a.parts.length)
  return made
})
