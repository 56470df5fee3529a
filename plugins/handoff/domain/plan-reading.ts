import { once } from '../../../server/plugin.ts'
import { deedFirst } from './plan-deeds.ts'
import { indexOf, type TermIndex } from './plan-nearness.ts'
import { leftBy, type Turned, turnedFrom } from './plan-refusals.ts'
import { rootOf as stem } from './plan-stems.ts'
import { type PlanTerm, planTerms } from './plan-terms.ts'
import { paceOf, type Stated, statedIn } from './plan-values.ts'

/** A text as it is compared with another. */
export interface Reading {
  readonly terms: readonly PlanTerm[]
  readonly index: () => TermIndex
  /** The sides of opposites that it has, and those that would contradict it. */
  readonly sides: ReadonlySet<string>
  readonly contrary: readonly string[]
  readonly numbers: readonly PlanTerm[]
  /** The terms that say what is done. */
  readonly head: readonly PlanTerm[]
  /** By what means, if the text says so. */
  readonly means: () => readonly PlanTerm[]
  /** What for, and what else is told. */
  readonly purpose: readonly PlanTerm[]
  /** Read only of texts that are alike. */
  readonly stated: () => Stated
}

/** A plan, or a step of it, as it is compared with attempts. */
export interface MeantPlan extends Reading {
  /** What the plan says it does not do, and the plan without that. */
  readonly turned: Turned
  readonly kept: Reading
  /** The plan states a difference to something. */
  readonly differs: boolean
}

/** An attempt as plans are compared with it. */
export interface TriedAttempt extends Reading {
  /** What it turned away from itself: a plan that does so too refuses nothing of it. */
  readonly left: readonly PlanTerm[]
  /** What it did without. */
  readonly lacking: readonly PlanTerm[]
  readonly purposeIndex: () => TermIndex
}

const CAME_OUT =
  "(?:did|does|has|have|had)(?: not|n't) (?:help|work)(?:ed)?|(?:was|were|is) no use|made no difference|already failed"
/** A clause that tells what became of something is not a plan to do it. */
const OUTCOME = new RegExp(
  `(?<!\\b(?:that|which|who) )\\b(?:${CAME_OUT}|(?:we|i|'ve|have|has|had|was|were|been|already) tried|dead end)\\b`,
  'i',
)
/** It tells what became of what the clause before names. */
const ITS_OUTCOME = new RegExp(`^(?:(?:but|and) )?(?:which|it|that|this|they) (?:${CAME_OUT})\\b`, 'i')
const CLAUSE = /(?<=[.;,])\s+|\s+(?=(?:so|but)\b)/
const DIFFERENCE = /\b(?:but (?:this time|with|now)|this time|except|unless|unlike|differently|only after)\b/i

/** What may part the deed of an attempt from what came of it. */
const ENDS = /;|(?<!\.)[.!](?=\s)|:(?=\s)|\s[-\u2013\u2014](?=\s)/g
const MIN_WORDS = 3

const MAX_KNOWN = 500
const known = new Map<string, TriedAttempt>()

/** Attempts come again with each plan of a lineage. */
export function readAttempt(text: string): TriedAttempt {
  const had = known.get(text)
  if (had) return had
  if (known.size >= MAX_KNOWN) known.clear()
  const made = attemptOf(text)
  known.set(text, made)
  return made
}

function attemptOf(text: string): TriedAttempt {
  const deed = deedOf(text)
  const turned = turnedFrom(deed)
  const reading = readingOf(deed)
  return {
    ...reading,
    left: leftBy(deed, turned),
    lacking: turned.lacking,
    purposeIndex: once(() => indexOf(reading.purpose)),
  }
}

/** An attempt without what came of it, which plans of any kind mention. A label before a colon is part of it. */
function deedOf(text: string): string {
  for (const { 0: sign, index } of text.matchAll(ENDS)) {
    const words = text.slice(0, index).trim().split(/\s+/).length
    if (words >= (sign === ':' ? MIN_WORDS + 1 : MIN_WORDS)) return text.slice(0, index)
  }
  return text
}

/** The whole plan and, if it has several, each of its steps: one step that repeats an attempt is enough. */
export function readPlan(text: string): readonly MeantPlan[] {
  const { meant, told } = clausesOf(text)
  // A line says with its reasons what its sentences say without.
  const lines = meant.split(LINE)
  const parts = new Set([meant, ...lines, ...lines.flatMap((line) => line.split(SENTENCE))])
  const toldOf = told.map((clause) => ({ by: [], terms: planTerms(clause), isReason: false }))
  return [...parts]
    .slice(0, MAX_PARTS)
    .map((part) => ({ part, read: readPart(part, toldOf) }))
    .filter(({ part, read }) => part === meant || read.terms.length > 1)
    .slice(0, MAX_STEPS)
    .map(({ read }) => ofPace(read, meant))
}

const LINE = /\s*\n\s*(?:[-*\u2022]\s+|\d+[.)]\s+)?/
const SENTENCE = /(?<=[.;!?])\s+(?:\d+[.)]\s+)?|,?\s+(?:and\s+)?then\s+(?!(?:the|an?|its|our|this|that)\b)/
const MAX_STEPS = 40
/** With those that say nothing. */
const MAX_PARTS = 80

/** A step goes about it as the plan does: `Upgrade to v6. Do so in two steps`. */
function ofPace(part: MeantPlan, whole: string): MeantPlan {
  const stated = once(() => {
    const own = part.stated()
    return { ...own, pace: own.pace ?? paceOf(whole) }
  })
  return { ...part, stated }
}

function readPart(said: string, told: Turned['refused']): MeantPlan {
  const text = deedFirst(said)
  const turned = turnedFrom(text)
  const reading = readingOf(text)
  return {
    ...reading,
    turned: { ...turned, refused: [...turned.refused, ...told] },
    kept: turned.refused.length > 0 ? readingOf(turned.kept) : reading,
    differs: DIFFERENCE.test(text),
  }
}

function readingOf(text: string): Reading {
  const terms = planTerms(text)
  return {
    terms,
    index: once(() => indexOf(terms)),
    ...sidesOf(new Set([...terms.map(({ term }) => term), ...(AFTER.test(text) ? [stem('after')] : [])])),
    numbers: terms.filter(({ term }) => /\d/.test(term)),
    head: terms.filter(({ isHead }) => isHead),
    purpose: terms.filter(({ isHead }) => !isHead),
    means: once(() => planTerms(text.slice(MEANS.exec(text)?.index ?? text.length))),
    stated: once(() => statedIn(text, terms)),
  }
}

const MEANS = /\b(?:by|with|using|via|through|as)\b/i

/** `after` says when something is done, ahead of any reason; elsewhere it says too little to be a term. */
const AFTER = /^(?:(?!\b(?:so|because)\b)[^,.;:])*\bafter\b/i

/** Of which opposites a text has one side alone, and what the text would say that has the other. */
function sidesOf(words: ReadonlySet<string>): Pick<Reading, 'sides' | 'contrary'> {
  const sides = new Set<string>()
  const contrary: string[] = []
  for (const [n, [one, other]] of OPPOSITES.entries()) {
    if (words.has(one) === words.has(other)) continue
    const [own, opposite] = words.has(one) ? ['one', 'other'] : ['other', 'one']
    sides.add(`${own} ${n}`)
    contrary.push(`${opposite} ${n}`)
  }
  return { sides, contrary }
}

/** What a plan says it does, and the clauses that tell what was tried before. */
function clausesOf(text: string): { readonly meant: string; readonly told: readonly string[] } {
  const clauses = text.split(CLAUSE)
  const told = clauses.filter(
    (clause, n) =>
      OUTCOME.test(clause) || [clause, clauses[n + 1] ?? ''].some((one) => ITS_OUTCOME.test(one)),
  )
  if (told.length === 0 || told.length === clauses.length) return { meant: text, told: [] }
  return { meant: clauses.filter((clause) => !told.includes(clause)).join(' '), told }
}

const OPPOSITES: readonly (readonly [string, string])[] = (
  [
    ['add', 'remove'],
    ['enable', 'disable'],
    ['increase', 'decrease'],
    ['upgrade', 'downgrade'],
    ['start', 'stop'],
    ['lock', 'unlock'],
    ['synchronous', 'asynchronous'],
    ['before', 'after'],
    ['client', 'server'],
    ['read', 'write'],
    ['split', 'merge'],
    ['global', 'local'],
    ['eager', 'lazy'],
    ['encode', 'decode'],
    ['install', 'uninstall'],
    ['parallel', 'sequential'],
    ['internal', 'external'],
    ['push', 'pull'],
    ['static', 'dynamic'],
    ['mock', 'real'],
    ['inline', 'external'],
    ['strong', 'weak'],
  ] as const
).map(([a, b]) => [stem(a), stem(b)] as const)
