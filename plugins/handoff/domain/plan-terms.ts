import { once } from '../../../server/plugin.ts'
import { withMeasures } from './plan-measures.ts'
import { rootOf as stem } from './plan-stems.ts'
import { partsOfPhrases, synonymGroups, withoutPhrases } from './plan-synonyms.ts'
import { withSpaces } from './unspaced-words.ts'
import { folded, partsOf, wordsOf } from './words.ts'

/** One significant word of an approach or a plan. */
export interface PlanTerm {
  /** As it is shown: the stem of the word. */
  readonly term: string
  /** The stem and the groups of its synonyms; two terms match if they share one. */
  readonly keys: readonly string[]
  /** How much it says: a number or a name more than a verb that goes with everything. */
  readonly weight: number
  /** A verb that goes with everything. */
  readonly isLight: boolean
  /** It says what is done, not what for. */
  readonly isHead: boolean
}

/** The significant words of a text, each once; those that state only a purpose say less. */
export function planTerms(text: string): readonly PlanTerm[] {
  const spaced = withParts(withMeasures(withSpaces(text)))
  const [head, ...purposes] = withoutPhrases(withPhrases(folded(spaced))).split(PURPOSE)
  const names = new Set([...text.matchAll(NAME)].map(([name]) => stem(name.toLowerCase())))
  const found = new Map<string, PlanTerm>()
  const add = (part: string, share: number): void => {
    for (const { weight: plain, ...one } of termsIn(part)) {
      const weight = names.has(one.term) ? Math.max(plain, NAME_WEIGHT) : plain
      if (!found.has(one.term)) found.set(one.term, { ...one, weight: weight * share, isHead: share === 1 })
    }
  }
  add(head ?? '', 1)
  for (const purpose of purposes) add(purpose, PURPOSE_SHARE)
  return [...found.values()]
}

/** True if one of these terms means about the same. */
export function hasAny(terms: readonly PlanTerm[], { keys }: PlanTerm): boolean {
  return terms.some((one) => one.keys.some((key) => keys.includes(key)))
}

/** `SMOTE` and `JSONB` say more than other words. */
const NAME = /(?<!\w)[A-Z][A-Z0-9]{2,}(?![a-z])/g
const NAME_WEIGHT = 1.5
const PURPOSE_SHARE = 0.35
/** What follows says why, not what. */
const PURPOSE =
  /\b(?:so that|so\b|because|since|in order to|otherwise|until|as (?=it|they)|to (?=(?:avoid|be|cut|ease|fix|get|help|improve|keep|let|make|past|prevent|reduce|save|shrink|silence|solve|speed|stop|unblock|work around)\b))|,(?! (?:by|with|using|through|via|and|or)\b)/

const ANCHOR_WEIGHT = 1.5
const VERB_WEIGHT = 0.3
const COMMON_WEIGHT = 0.7

function termsIn(text: string): PlanTerm[] {
  const words = wholeNumbers(wordsOf(text))
    .flatMap((word) => (/^\d[\d.]*(?:\.x)?$/.test(word) ? [word] : word.split(/[_\-./]+/)))
    .filter((word) => (word.length > 1 || /\d/.test(word)) && !STOP_WORDS.has(word))
    .map(termOf)
  return words.map((word, n) => {
    const before = words[n - 1]
    const after = words[n + 1]
    // `local storage` is `localstorage`.
    const joined = [
      ...(before ? [`${before.term}${word.term}`] : []),
      ...(after ? [`${word.term}${after.term}`] : []),
    ]
    return { ...word, keys: [...word.keys, ...joined] }
  })
}

/** A version is one word: `6.0.0` and `5.9.0` share no `0`, and what ends in zeros is the same without them. */
function wholeNumbers(words: readonly string[]): string[] {
  const whole: string[] = []
  for (let n = 0; n < words.length; n++) {
    const word = words[n] ?? ''
    if (!VERSION.test(word)) whole.push(word)
    else {
      whole.push(shortVersion(word))
      n += partsOf(word).length
    }
  }
  return whole
}

const VERSION = /^\d+(?:\.(?:\d+|x))+$/

/** `4.x` may be `4.16`. */
const MAJOR = /^[1-9]\d*(?=\.[\d.]*$)/

/** `6` for `6.0.0`. */
export function shortVersion(version: string): string {
  return version.replace(/(?:\.0+)+$/, '')
}

const MAX_KNOWN = 20_000
const known = new Map<string, PlanTerm>()

/** The term of a word: most words come again. */
function termOf(word: string): PlanTerm {
  const had = known.get(word)
  if (had) return had
  const term = stem(word)
  const made = {
    term,
    keys: keysOf(word, term),
    weight: weightOf(word, term),
    isLight: light().has(term),
    isHead: true,
  }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(word, made)
  return made
}

/** Endings that make another kind of word: `minify` and `minification`, `compress` and `compression`. */
const DERIVED = /^(.{4,})(?:icat|ion|icall?|all|abl|ibl|est|enc|anc)$/

/** The stem with the groups of its synonyms, and the same of the other English spelling (`serialise`, `colour`). */
function keysOf(word: string, term: string): readonly string[] {
  const other = stem(word.replace(/is(e|es|ed|ing|ation|er)$/, 'iz$1').replace(/our(s|ed|ing)?$/, 'or$1'))
  const root = DERIVED.exec(term)?.[1]
  return [
    ...new Set([term, other].flatMap((key) => [key, ...(synonymGroups().get(key) ?? [])])),
    ...(root ? [root] : []),
    ...(MAJOR.exec(word) ?? []).map((major) => `${major}.x`),
    ...(word.endsWith('.x') ? [word.slice(0, -2)] : []),
    ...(partsOfPhrases().get(term) ?? []),
  ]
}

/** Separates the parts of names (`strictNullChecks`), and spells out the error codes of the operating system. */
function withParts(text: string): string {
  return text
    .replace(NAMED_SWITCH, (_, verb, name, ending, value) => {
      const isOn = /^(?:true|on)$/i.test(value) !== /^dis/i.test(verb ?? ending ?? '')
      return ` ${isOn ? 'enable' : 'disable'} ${name}`
    })
    .replace(SWITCHED, (_, value) => (value === 'true' || value === 'on' ? ' enable' : ' disable'))
    .replace(/\bE[A-Z]{3,}\b/g, (code) => SYSTEM_ERRORS[code] ?? code)
    .replace(/(\p{Ll})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(/\bv(?=\d)/g, '')
    .replace(/\b(re|pre|non|de)-(?=\p{Ll}{3})/giu, '$1')
    .replace(/(\p{L}{3})(?=\d)/gu, '$1 ')
    .replace(/(\d)(?=[kmg]?hz\b)/gi, '$1 ')
}

/** `enable_cache = false`, `cacheEnabled: false` and `cache_disabled=true` disable the cache. */
const NAMED_SWITCH =
  /(?<!\w|\w[.-])(?:(enable|disable)d?[_-]?)?(?!(?:enable|disable)d?\b)([\w.-]*?\w)[_.-]?(enabled|disabled)?["'`]?(?: ?[=:] ?| to )["'`]?(true|false|on|off|yes|no)\b/gi

/** `cache: false`, `minifyEnabled false` and `set it to true` enable or disable. */
const SWITCHED = /(?:(?:enabled? ?)?[=:] ?["'`]?|enabled |\bto )\b(false|off|true|on)\b/gi

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection reset',
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'timeout',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'file missing',
  EEXIST: 'file exists',
  ENOSPC: 'disk full',
  EADDRINUSE: 'address in use',
  EPIPE: 'broken pipe',
  EMFILE: 'too many open files',
  ENOMEM: 'out of memory',
}

function weightOf(word: string, term: string): number {
  if (/\d/.test(word)) return ANCHOR_WEIGHT
  if (verbs().has(term)) return VERB_WEIGHT
  return common().has(term) ? COMMON_WEIGHT : 1
}

function withPhrases(text: string): string {
  if (!ANY_PHRASE.test(text)) return text
  return PHRASES.reduce((so, [phrase, word]) => so.replace(phrase, word), text)
}

/** Phrases that mean one word. */
const PHRASES: readonly (readonly [RegExp, string])[] = (
  [
    ['(?:turn|switch)(?:ed|ing)? off', 'disable'],
    ['(?:turn|switch)(?:ed|ing)? on', 'enable'],
    ['get(?:ting)? rid of', 'remove'],
    ['(?:go|going|went|move|switch) back to', 'revert'],
    ['(?:give|gives|giving) up', 'timeout'],
    ['(?:carry|carries|keep|keeps) (?:on|going)', 'continue'],
    ["(?:(?:do|does) not|don'?t|no longer|never|stop) us(?:e|ing)", 'disable'],
    ['take ownership', 'chown'],
    ['world[- ]writable', 'writable'],
    ['chmod (?:-r )?0?777', 'writable'],
    ['(?:roll|rolls|rolled|rolling) out', 'deploy'],
    ['(?:roll|rolls|rolled|rolling) back', 'revert'],
    ['shell(?:s|ed|ing)? out', 'run'],
    ['fall(?:s|ing)? back', 'fallback'],
    ['rate[- ]limit(?:s|ed|ing)?', 'throttle'],
    ['fail[- ]fast', 'failfast'],
    ['look(?:s|ed|ing)? up', 'lookup'],
    ['set(?:ting)? up', 'configure'],
    ['time[sd]? out', 'timeout'],
    ['one (?:after (?:the other|another)|by one)', 'sequential'],
    ['regular expressions?', 'regex'],
    ['symbolic links?', 'symlink'],
    ['user[- ]agent', 'useragent'],
    ['from scratch', 'rebuild'],
    ['on the fly', 'dynamically'],
    ['at (?:request|run)[- ]?time', 'dynamically'],
    ['on demand', 'lazily'],
    ['by hand', 'manually'],
    ['in[- ]process', 'memory'],
    ['in[- ]memory', 'memory'],
    ['environment variables?', 'env'],
    ['at the same time', 'parallel'],
    ['event loop', 'eventloop'],
    ['main thread', 'eventloop'],
    ['life ?time', 'forever'],
    ['command[- ]line', 'cli'],
    ['round[- ]trips?', 'request'],
    ['end[- ]to[- ]end', 'e2e'],
    ['out[- ]of[- ]memory', 'oom'],
    ['out[- ]of[- ]date', 'stale'],
    ['write[- ]ahead log(?:ging)?', 'wal'],
    ['cherry[- ]pick(?:s|ed|ing)?', 'backport'],
    ['(?:put|puts|putting) back', 'revert'],
    ['user interface', 'ui'],
    ['time ?zones?', 'timezone'],
    ['file ?systems?', 'filesystem'],
    ['data ?bases?', 'database'],
    ['work ?arounds?', 'workaround'],
    ['cross[- ]origin', 'cors'],
    ['try[/ -]catch', 'trycatch'],
    ['at (?:most|least|once)', ''],
  ] as const
).map(([phrase, word]) => [new RegExp(`\\b(?:${phrase})\\b`, 'g'), word] as const)

/** Most texts have none: one search tells so sooner than one for each. */
const ANY_PHRASE = new RegExp(PHRASES.map(([{ source }]) => source).join('|'))

const stems = (words: string): (() => ReadonlySet<string>) => once(() => new Set(words.split(' ').map(stem)))

const STOP_WORDS: ReadonlySet<string> = new Set(
  'being got goes going already ll ve don isn didn doesn won wasn aren a an and are as at be been but by can could do does for from had has have here how i if in into is it its just let like may might more most must my need no of off on once one or our out over own please same shall should so some such than that the their them then there these they this those through to too try trying tried up us very via want was we were what when where which while who will with would you your again first now next maybe still also actually simply instead rather each every both any all per about after ahead during when that which is longer time times way whether onto per using use used uses'.split(
    ' ',
  ),
)

/** Verbs, which say less than their objects. */
const verbs = stems(
  'make add set put get run change update create write call move keep give take apply switch introduce implement enable configure build store save handle fix do work wrap convert pass perform have hold go find let send replace read load include expose point start',
)

/** Of these, those that say nothing of what is done. */
const light = stems(
  'make set put get run change call give take apply implement handle do work perform have go find let use start write load move create',
)

/** Nouns that go with everything. */
const common = stems(
  'file code data server client request page value thing part process service system app application function method table row column query test suite script name path user line machine host project version',
)
