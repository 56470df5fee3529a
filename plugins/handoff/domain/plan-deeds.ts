import { once } from '../../../server/plugin.ts'
import { WORD_GROUPS } from './plan-words.ts'

/** In `The pool is too small, so I will raise it`, the deed comes after its reason. */
const WILL =
  /^([\s\S]*?[^\s,.;:])[,.;:]?\s+(?:so\s+)?(?:(?:I|we)(?:'ll|'d|\u2019ll|\u2019d| will| would|(?:'m|'re| am| are) going to| want to| can| should| need to| have to| plan to)|let me|let's|let us)\s+([\s\S]*)$/i
/** A clause that states something. */
const STATES =
  /^(?:the|this|that|these|those|our|there|it|since|because|as|if|when|looks|seems)\b|\b(?:is|are|was|were|has|have|had|can't|cannot|don't|doesn't|isn't|aren't|won't|seems?|looks?|dies|fails?|loses|lacks|needs?)\b/i

const verbs = once(
  () =>
    new Set((WORD_GROUPS['what is done'] ?? '').split(/[;\s]+/).filter((word) => /^[a-z]{3,}$/.test(word))),
)

/** `Let writers wait by raising the timeout`: what is done comes after `by`, and its purpose before. */
const BY = /^([^,;:]*?\S),?\s+by\s+(?:just |only |simply )?([a-z]{2,}ing\b[\s\S]*)$/i
/** `The pool runs dry, so enlarge it`. */
const SO = /^([\s\S]*?[^\s,.;:])[,.;:]\s+so\s+([a-z][\s\S]*)$/i

/** Other ways to read a sentence: with what it says about means, or after `so`, ahead of the rest. */
export function otherReadings(text: string): readonly string[] {
  const found: string[] = []
  const [, reason, so] = SO.exec(text) ?? []
  if (reason && so && verbs().has(/^[a-z]+/i.exec(so)?.[0].toLowerCase() ?? ''))
    found.push(`${so} because ${reason}`)
  const [, purpose, means] = BY.exec(so ?? text) ?? []
  if (purpose && means) found.push(`${means} because ${purpose}`)
  return found
}

/** A plan with what is done ahead of its reasons. */
export function deedFirst(text: string): string {
  const [, reason, deed] = WILL.exec(text) ?? []
  if (reason && deed) return `${deed} because ${reason}`
  const clauses = text.split(/(?<=[^\s,.;:])[,.;:]\s+(?:so\s+)?/)
  if (clauses.length < 2 || !STATES.test(clauses[0] ?? '')) return text
  const at = clauses.findIndex(
    (clause, n) => n > 0 && verbs().has(/^[a-z]+/i.exec(clause)?.[0].toLowerCase() ?? ''),
  )
  if (at < 0) return text
  return `${clauses.slice(at).join(', ')} because ${clauses.slice(0, at).join(', ')}`
}
