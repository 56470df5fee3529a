import { once } from '../../../server/plugin.ts'
import { hasAny, type PlanTerm, planTerms } from './plan-terms.ts'

/** What a text names as not done, and the words that turn away from it: `drop`, `without`. */
interface Refusal {
  readonly by: readonly PlanTerm[]
  readonly terms: readonly PlanTerm[]
  /** Part of a reason, as in `so that it does not stop`. */
  readonly isReason: boolean
}

/** What a text turns away from. */
export interface Turned {
  readonly refused: readonly Refusal[]
  /** What it does without: a text that does it is another one. */
  readonly lacking: readonly PlanTerm[]
  /** The text without what it turns away from. */
  readonly kept: string
  /** What it leaves as it is. */
  readonly stays: readonly PlanTerm[]
}

/** How a turn goes on: `instead of using`, `rather than with`. */
const ON = String.raw`(?:\s+(?:(?:to\s+)?us(?:e|ing)|by|with|in|from|through|via|on)\b)?`
const END = String.raw`(?=[,.;:]|\b(?:but|because|so|and then)\b|\bto (?=\p{L}+\b)|\b(?:is|are) (?:needed|required|necessary)\b|$)`
const END_OF_OBJECT = String.raw`(?=[,.;:]|\b(?:but|with|by|for|and|use|using|to|because|so)\b|$)`
const WITHOUT = "without|not?(?!-)|never|no longer|outside(?: of)?|free of|(?:do|does|did|is|are|need)n'?t"
const INSTEAD = String.raw`instead of|rather than|in place of|in lieu of|as opposed to|other than|(?<=\bprefer\b[^,.;:]*\s)over`
/** `drop to 2` says how far. */
const TURNING = [
  'avoid(?:ed|ing)?|skip(?:ped|ping)?|stop(?:ped|ping)?|replac(?:ed?|ing)|swap(?:ped|ping)?|ditch(?:ed|ing)?',
  'abandon(?:ed|ing)?|revert(?:ed|ing)?|undo(?:ing)?|remov(?:ed?|ing)|disabl(?:ed?|ing)|get(?:ting)? rid of',
  String.raw`(?:away|off) from|drop(?:ped|ping)?(?![^,.;:]*\bto (?:\d|zero|one\b))`,
].join('|')
const LEAVING = String.raw`(?:switch|migrat|chang|convert|go(?:es|ing)?\b|went\b)[^,.;:]*?\bfrom`
const TURNED_AWAY = new RegExp(
  String.raw`(?<!-)\b(?<lack>${WITHOUT}|${INSTEAD})\b${ON}(?<other>[^,.;:]*?)${END}|` +
    String.raw`\b(?<verb>${TURNING})\b(?<object>[^,.;:]*?)${END_OF_OBJECT}|` +
    String.raw`\b${LEAVING}\b(?<left>[^,.;:]*?)\b(?:in)?to\b`,
  'giu',
)
/** `Keep webpack and cache its output`, `Stay with REST`. */
const STAYS = new RegExp(
  String.raw`^(?:\s*(?:keep|leave|stay (?:on|with)|stick (?:to|with)|continue (?:to use|using|with))\s+(?:using\s+)?)([^,.;:]*?)` +
    String.raw`(?=[,.;:]|\b(?:but|with|by|for|and|use|using|to|because|so|of|in|on|at|as|from|rather|instead|where)\b|$)`,
  'i',
)
/** What turns away after these words is a reason. */
const REASON = /\b(?:so|because|since|in order|otherwise|to|that|which)\b[^,.;:]*$/i
const MAX_REASON = 200
/** What is left for something else, or turned off by a flag. */
const LEFT = /\bfrom\b([^,;:]*?)\b(?:in)?to\b|--no-([\w-]+)/gi

const removal = once(() => planTerms('remove disable'))

/** A text that does without something does the same as one that removes it, but not if it does not remove. */
function byLack(terms: readonly PlanTerm[]): readonly PlanTerm[] {
  return terms.some((term) => hasAny(removal(), term)) ? [] : removal()
}

export function turnedFrom(text: string): Turned {
  const found = [...text.matchAll(TURNED_AWAY)].map(({ 0: span, index, groups: parts = {} }) => ({
    span,
    lack: parts['lack'],
    verb: parts['verb'],
    terms: planTerms(parts['other'] ?? parts['object'] ?? parts['left'] ?? ''),
    isReason: REASON.test(text.slice(Math.max(0, index - MAX_REASON), index)),
    isFirst: !/[,.;:]/.test(text.slice(0, index)),
  }))
  return {
    refused: found.map(({ lack, verb, terms, isReason }) => ({
      by: lack ? byLack(terms) : planTerms(verb ?? ''),
      terms,
      isReason,
    })),
    lacking: found.flatMap(({ lack, terms, isReason, isFirst }) =>
      lack && isFirst && !isReason ? terms : [],
    ),
    kept: found.reduce((so, { span }) => so.replace(span, ' '), text),
    stays: planTerms(STAYS.exec(text)?.[1] ?? ''),
  }
}

/** What an attempt turned away from itself, or left for something else. */
export function leftBy(text: string, { refused }: Turned): readonly PlanTerm[] {
  const left = [...text.matchAll(LEFT)].flatMap(([, what, flag]) => planTerms(what ?? flag ?? ''))
  return [...refused.flatMap(({ terms }) => terms), ...left]
}

/** True if a text leaves as it is what the attempt left or removed. */
export function isKept({ stays }: Turned, left: readonly PlanTerm[]): boolean {
  return stays.some((term) => term.weight >= 1 && hasAny(left, term))
}

/** True if what is refused is what was tried. A plan that leaves what the attempt left refuses nothing of it. */
export function isRefused(
  refused: readonly Refusal[],
  tried: readonly PlanTerm[],
  left: readonly PlanTerm[],
): boolean {
  if (refused.length === 0) return false
  const objects = tried.filter(({ isHead, weight }) => isHead && weight >= 1)
  const beside = objects.filter((term) => term !== tried[0])
  return refused.some(({ by, terms, isReason }) => {
    const said = terms.filter(({ weight }) => weight >= 1)
    const met = said.filter((term) => hasAny(objects, term))
    // `instead of an HTML parser` does not refuse what parsed otherwise.
    const isMeant = met.length === said.length || (!isReason && met.some((term) => hasAny(beside, term)))
    return (
      met.length > 0 &&
      isMeant &&
      !by.some((term) => hasAny(tried, term)) &&
      !said.some((term) => hasAny(left, term))
    )
  })
}
