import { once } from '../../../server/plugin.ts'
import { withMeasures } from './plan-measures.ts'
import { areSiblings, type Kinds, kindsIn } from './plan-siblings.ts'
import { hasAny, type PlanTerm, planTerms, shortVersion } from './plan-terms.ts'
import { folded, partsOf } from './words.ts'

/** What a text states to the letter. Two texts that are alike in words may differ in it, and so be other deeds. */
export interface Stated {
  /** All its words. */
  readonly terms: readonly PlanTerm[]
  readonly settings: readonly Setting[]
  /** Identifiers, packages, paths, regions, flags. */
  readonly names: readonly Name[]
  readonly numbers: readonly string[]
  /** What is brought to a version. */
  readonly versioned: readonly PlanTerm[]
  /** All in one step, or in several. */
  readonly pace: 'whole' | 'staged' | undefined
  /** How long it waits, if it waits: a time, or until something is so. */
  readonly waits: 'time' | 'event' | undefined
  /** Tools, formats, algorithms: of one kind, one is used. */
  readonly kinds: Kinds
  /** With what it is done: `with chokidar`, `use chokidar to`. */
  readonly means: readonly PlanTerm[]
}

interface Name {
  readonly text: string
  readonly terms: readonly PlanTerm[]
}

/** A name and the value that it gets. */
interface Setting {
  readonly terms: readonly PlanTerm[]
  readonly value: string
}

/** Each is compared with each of the other text. */
const MAX_STATED = 30
const PURPOSE = /\b(?:so that|so|because|since|until|otherwise|in order to)\b[\s\S]*/i
/** What is left is not what is aimed at. */
const FROM = /\bfrom\s+(?:an?\s+|the\s+|version\s+)?[^\s,;]+(?:\s+[a-z]+)?(?=\s+(?:in|on)?to\b)/gi

export function statedIn(text: string, terms: readonly PlanTerm[]): Stated {
  const said = withMeasures(text.replace(PURPOSE, '').replace(FROM, ' '))
  const names = [...new Set([...said.matchAll(NAME)].map(([name]) => name))].slice(0, MAX_STATED).map(nameOf)
  return {
    terms,
    settings: settingsIn(said, names).slice(0, MAX_STATED),
    names,
    numbers: numbersIn(said).slice(0, MAX_STATED),
    versioned: versionedIn(said),
    pace: paceOf(text),
    waits: waitsIn(said),
    kinds: kindsIn(said.replace(ASIDE, '')),
    means: meansIn(said),
  }
}

/** True if two texts, alike as they may be, set another value, act on another object, or go another way about it. */
export function isOtherwise(plan: Stated, tried: Stated): boolean {
  return (
    isOtherValue(plan, tried) ||
    isOtherName(plan, tried) ||
    isOtherNumber(plan, tried) ||
    isOtherVersioned(plan, tried) ||
    isOtherPace(plan, tried) ||
    areSiblings(plan.kinds, tried.kinds) ||
    isByOtherMeans(plan, tried) ||
    (plan.waits === 'event' && tried.waits === 'time')
  )
}

/** What is named as that with which something is done, in one word or two. */
const MEANS =
  /\b(?:(?:with|using|via) (?:an? |the )?([\w.-]+(?: [\w.-]+)?)(?=[^\w\s]|$|\s+(?:in|on|for|and|instead|to|at|when|so|because|directly)\b)|(?:use|try) (?:an? |the )?([\w.-]+(?: [\w.-]+)?) (?:to|for) )/gi

function meansIn(text: string): readonly PlanTerm[] {
  const named = [...text.matchAll(MEANS)].flatMap(([, one, other]) => planTerms(one ?? other ?? ''))
  return named.filter(({ isLight }) => !isLight)
}

/** Each is done with something that the other does not name, in no word of the same meaning. */
function isByOtherMeans(plan: Stated, tried: Stated): boolean {
  const isForeign = (means: readonly PlanTerm[], { terms }: Stated) =>
    means.length > 0 && !means.some(({ term }) => terms.some((one) => one.term === term))
  return (
    isForeign(plan.means, tried) &&
    isForeign(tried.means, plan) &&
    !plan.means.some((term) => hasAny(tried.means, term))
  )
}

/** Joined by `_`, `-`, `.`, `/` or by a change of case, in capitals, or a flag. */
const NAME =
  /(?<![\w./@-])(?:--[a-zA-Z\d]+(?:-[a-zA-Z\d]+)*|@?[a-zA-Z][a-zA-Z\d]*(?:[_./-]+[a-zA-Z\d]+)+|[a-z]+\d*(?:[A-Z][a-z\d]+)+|[A-Z][A-Z\d]{5,})(?!\w)/g

function nameOf(text: string): Name {
  return { text, terms: withoutSwitch(partsOf(text).map(folded)) }
}

/** `name = value`, `name: value`. */
const ASSIGNED =
  /(?<![\w@./-])(?=[\d@./_-]*[a-z])([\w@./-]{1,80})["'`]?(?: ?={1,3} ?|: ?(?!\/))["'`]?([^\s"'`,;()]+)/gi
const VERBS =
  'set|chang(?:e|ed|ing)|put|rais(?:e|ed|ing)|lower(?:ed|ing)?|bump(?:ed|ing)?|increas(?:e|ed|ing)|decreas(?:e|ed|ing)|reduc(?:e|ed|ing)|pin(?:ned|ning)?|scal(?:e|ed|ing)|limit(?:ed|ing)?|cap(?:ped|ping)?'
/** `set the name to value`. */
const SET_TO = new RegExp(
  String.raw`\b(?:${VERBS})\s+(?:the\s+|an?\s+)?((?:[^\s,.;:=]+\s+){1,5}?)to\s+(?:the\s+|an?\s+)?["'\x60]?([^\s"'\x60,;()]+)`,
  'gi',
)
const NO_VALUE = /^(?:its?|their|our|your|be|do|get|have|make|use)$/i
const SWITCHED =
  /\b(enable|disable)[sd]?\s+(?:the\s+)?([^\s,;:=]+(?:\s+[^\s,;:=]+){0,2}?)(?=[,;:=]|\s+(?:in|on|for|of|by|with|and|to)\b|\s*$)/gi
const SETS = /^\s*(?:set|enabled?|use|add|turn(?:ed)? on)\b/i

function settingsIn(text: string, names: readonly Name[]): readonly Setting[] {
  const assigned = [...text.matchAll(ASSIGNED)].filter(
    ([all, name = '', value = '']) =>
      /\w=[\w"'`]/.test(all) || /[_./-]|[a-z][A-Z]|^[A-Z\d]+$/.test(name) || PLAIN_VALUE.test(value),
  )
  const told = [...text.matchAll(SET_TO)].filter(([, , value = '']) => !NO_VALUE.test(value))
  const found = [...assigned, ...told].map(([, name = '', value = '']) => settingOf(name, value))
  const switched = [...text.matchAll(SWITCHED)].map(([, verb = '', name = '']) =>
    settingOf(name, /^en/i.test(verb) ? 'true' : 'false'),
  )
  // `set both_of and these_two` turns them on.
  const bare =
    found.length === 0 && SETS.test(text) ? names.map(({ text: name }) => settingOf(name, 'true')) : []
  return [...found, ...switched, ...bare].filter(({ terms }) => terms.length > 0)
}

/** Also of a name that might be a word before a colon. */
const PLAIN_VALUE = /^(?:(?:true|false|on|off)$|v?\d)/i
const NEGATED = /^disabled?$/
const SWITCH = /^(?:en|dis)abl/

function settingOf(name: string, given: string): Setting {
  const parts = partsOf(name.replaceAll(/\s+/g, '_')).map(folded)
  const isNegated = parts.some((part) => NEGATED.test(part))
  const value = folded(given).replace(/[.:]+$/, '')
  const isOn = /^(?:true|on|enabled)$/.test(value)
  const isOff = /^(?:false|off|disabled)$/.test(value)
  return {
    terms: withoutSwitch(parts),
    value: isOn || isOff ? String(isOn !== isNegated) : plainValue(value),
  }
}

/** The words of a name, but for `enable` and `disabled`, which say its value. */
function withoutSwitch(parts: readonly string[]): readonly PlanTerm[] {
  return planTerms(parts.filter((part) => !SWITCH.test(part)).join(' '))
}

function plainValue(value: string): string {
  return /^v?\d[\d.x]*$/.test(value) ? shortVersion(value.replace(/^v/, '')) : value
}

/** The same name, to the letter or a part of it, gets another value, and nowhere the same. */
function isOtherValue(plan: Stated, tried: Stated): boolean {
  return tried.settings.some((setting) => {
    const same = plan.settings.filter(
      ({ terms }) => isPart(terms, setting.terms) || isPart(setting.terms, terms),
    )
    return same.length > 0 && !same.some(({ value }) => isSameValue(value, setting.value, plan, tried))
  })
}

function isPart(some: readonly PlanTerm[], all: readonly PlanTerm[]): boolean {
  return some.every(({ term }) => all.some((one) => one.term === term))
}

const SWITCHES = ['true', 'false']

function isSameValue(a: string, b: string, plan: Stated, tried: Stated): boolean {
  if (a === b || isSameVersion(a, b)) return true
  if (SWITCHES.includes(a) || SWITCHES.includes(b)) return !(SWITCHES.includes(a) && SWITCHES.includes(b))
  // `timeout=5000` may be five seconds.
  if (/^\d/.test(a) !== /^\d/.test(b) || (/^\d/.test(a) && unitOf(a) !== unitOf(b))) return true
  // `set x to the value y` names y elsewhere.
  return isSaid(planTerms(a), tried.terms) || isSaid(planTerms(b), plan.terms)
}

function isSaid(terms: readonly PlanTerm[], by: readonly PlanTerm[]): boolean {
  return terms.length > 0 && terms.every((term) => hasAny(by, term))
}

/** `6` is any `6.1.2`. */
export function isSameVersion(a: string, b: string): boolean {
  const [one, other] = [a, b].map((version) => version.replace(/(?:\.x)+$/, ''))
  return one === other || (/^\d/.test(a) && (a.startsWith(`${other}.`) || b.startsWith(`${one}.`)))
}

/** Both name what the other does not, of one kind: `terraform-aws-vpc` and `terraform-aws-rds`. */
function isOtherName(plan: Stated, tried: Stated): boolean {
  const isUnsaid = (names: readonly Name[], { terms }: Stated) =>
    names.filter((name) => name.terms.length > 0 && !isPart(name.terms, terms))
  const done = isUnsaid(tried.names, plan)
  const meant = isUnsaid(plan.names, tried)
  if (done.some((one) => meant.some((other) => isSibling(one, other)))) return true
  const isNone = done.length === tried.names.length && meant.length === plan.names.length
  return (
    isNone &&
    done.some(
      (one) =>
        isStrict(one) && meant.some((other) => isStrict(other) && signsOf(one.text) === signsOf(other.text)),
    )
  )
}

/** A setting, an environment variable or a flag, which words of a sentence do not look like. */
function isStrict({ text }: Name): boolean {
  return /^--|_|[a-z][A-Z]|^[A-Z\d]+$/.test(text)
}

function isSibling(one: Name, other: Name): boolean {
  const own = one.terms.filter((term) => !isPart([term], other.terms))
  const rest = other.terms.filter((term) => !isPart([term], one.terms))
  if (own.length === 0 || rest.length === 0) return false
  if (areApart(one, other)) return true
  if (own.some((term) => hasAny(rest, term))) return false
  if (/\d/.test(one.text) && shapeOf(one.text) === shapeOf(other.text)) return true
  if (signsOf(one.text) !== signsOf(other.text)) return false
  // `do-not-evict` and `safe-to-evict` are about the same.
  const shared = signsOf(one.text) === '-' && partsOf(one.text).length > 2 ? one.terms.slice(0, 1) : one.terms
  return shared.some((term) => /[a-z]{2}/.test(term.term) && isPart([term], other.terms))
}

/** `actions/checkout`; a file has an ending, and two words joined by a slash are none if both are plain. */
const OWNED = /^@?([a-z][a-z\d_-]*)\/[a-z][a-z\d_-]*$/i
const NO_PAIR = /[-_\d]/

/** Two names of one owner differ, also where other signs join their parts. Names of two owners differ unless both are plain words. */
function areApart(one: Name, other: Name): boolean {
  const [a, b] = [OWNED.exec(one.text), OWNED.exec(other.text)]
  if (!a || !b) return false
  return a[1]?.toLowerCase() === b[1]?.toLowerCase() || [one, other].some(({ text }) => NO_PAIR.test(text))
}

/** What joins the parts of a name. */
function signsOf(text: string): string {
  return [...new Set(text.replace(/[a-z\d]/gi, ''))].sort().join('')
}

/** `a-a-9` for `us-east-1`. */
function shapeOf(text: string): string {
  return text.replace(/[a-z]+/gi, 'a').replace(/\d+/g, '9')
}

/** What came of it is often told behind a comma. */
const ASIDE = /,(?! (?:by|with|using|through|via|and|or)\b)\s[\s\S]*/
/** Not part of a word, no status of HTTP, and not how many times as much. */
const NUMBER =
  /(?<![\w.-])(?:v(?=\d))?(?!(?:4[0-2]\d|50[1-4])\b)\d+(?:\.(?:\d+|x))*(?:ms|kb|%)?(?![\w%]| ?(?:x|times (?:as|more|longer|larger|bigger|higher))\b)/gi

/** `numpy<2`, and `pin numpy below 2`, leave out 2. */
const BELOW =
  /(?<=[a-z\d] ?)(?:<(?!=)| (?:below|before|under)(?<=\b(?:pin|hold|held|freez|froze|downgrad)[^.;]{0,60})) ?v?(\d+(?:\.(?:\d+|x))*)(?![\w%])/gi

function numbersIn(text: string): readonly string[] {
  const said = text.replace(ASIDE, '').replace(BELOW, (_, version) => ` ${below(version)}`)
  return [...said.matchAll(NUMBER)].map(([number]) => shortVersion(number.toLowerCase().replace(/^v/, '')))
}

/** The version before: `1.x` is below 2. */
function below(version: string): string {
  const [major = 0] = version.split('.').map(Number)
  return Number.isInteger(major) && major > 0 && /^\d+(?:\.0)*$/.test(version) ? `${major - 1}.x` : version
}

const unitOf = (number: string) => /(?:ms|kb|%)?$/.exec(number)?.[0]

/** Both count in one unit, and no count is that of the other. */
function isOtherNumber(plan: Stated, tried: Stated): boolean {
  const pairs = tried.numbers.flatMap((done) =>
    plan.numbers.filter((meant) => unitOf(meant) === unitOf(done)).map((meant) => isSameNumber(meant, done)),
  )
  return pairs.length > 0 && !pairs.includes(true)
}

/** `3 GB` and `3008 MB` are about the same. */
function isSameNumber(a: string, b: string): boolean {
  if (isSameVersion(a, b)) return true
  const [low = 0, high = 0] = [a, b].map(Number.parseFloat).toSorted((one, other) => one - other)
  return Boolean(unitOf(a)) && high - low <= high * ABOUT
}

const ABOUT = 0.05

/** What is before a version, or after `of`: `the vpc module to v6`, `6.0.0 of the vpc module`. */
const VERSIONED =
  /(?<![^\s,;:()])((?:[^\s,;:()]+\s+){1,6}?)(?:(?:up |back |straight |on )?(?:to|at|@|==?)\s*)?(?:v\d[\d.x]*|\d+(?:\.(?:\d+|x))+)(?![\w%])(?:\s+of\s+(?:the\s+)?((?:[^\s,;:()]+\s*){1,3}))?/gi
const KINDS = 'module package library provider version image dependency release action chart plugin'
/** Made at the first plan: a start reads none. */
const generic = once(() => new Set(planTerms(KINDS).map(({ term }) => term)))

function versionedIn(text: string): readonly PlanTerm[] {
  return [...text.matchAll(VERSIONED)]
    .flatMap(([, before = '', after = '']) => planTerms(`${before.replace(/^\s*[a-z]+\s/i, '')} ${after}`))
    .filter(
      ({ term, isLight, weight }) => !isLight && weight > 0.3 && !generic().has(term) && !/\d/.test(term),
    )
}

/** What is brought to a version is another thing if each names something that the other does not. */
function isOtherVersioned(plan: Stated, tried: Stated): boolean {
  return (
    plan.versioned.some(
      (term) =>
        (plan.versioned.length === 1 ? term.term.length > 2 : isNoWord(term)) && !hasAny(tried.terms, term),
    ) && tried.versioned.some((term) => !hasAny(plan.terms, term))
  )
}

/** `the JSON mapper` may describe what has a name of its own. */
function isNoWord({ keys }: PlanTerm): boolean {
  return !keys.some((key) => key.startsWith('group '))
}

const SLEEPS = /\b(?:sleeps?|sleeping|slept|waitForTimeout|pauses?|paused|delays?|delayed)\b/i
const AWAITS = /\bwait(?:s|ed|ing)? (?:for|until)\b(?! (?:an? |the )?\d)|\bwaitFor(?!Timeout)\w+/i

function waitsIn(text: string): Stated['waits'] {
  if (SLEEPS.test(text)) return 'time'
  return AWAITS.test(text) ? 'event' : undefined
}

const WHOLE =
  /\b(?:together|in (?:one|a single|the same) (?:step|go|shot|pass|release|migration|commit|deploy|change)|(?:all )?at\s+once|big bang|(?:straight|directly) to|directly$)\b/i
const STAGED =
  /\b(?:in (?:two|three|four|several|many|small|separate|later|\d+) (?:steps|stages|phases|parts|passes|releases|migrations|commits|deploys|changes|batches|rounds|hops)|step by step|one (?:by one|at a time|after)|gradually|incrementally|in stages|staged|separately|alone|first\b.*\b(?:then|later|after|next))\b/i

/** How a text goes about it as a whole, if it says so. */
export function paceOf(text: string): Stated['pace'] {
  const isWhole = WHOLE.test(text)
  if (isWhole === STAGED.test(text)) return undefined
  return isWhole ? 'whole' : 'staged'
}

/** All in one step is neither step by step nor a part of it. */
function isOtherPace(plan: Stated, tried: Stated): boolean {
  if (plan.pace && tried.pace && plan.pace !== tried.pace) return true
  const kept = tried.names.filter(({ terms }) => isPart(terms, plan.terms))
  return tried.pace === 'whole' && kept.length > 0 && kept.length < tried.names.length
}
