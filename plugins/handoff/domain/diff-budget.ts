import { BYTES_PER_TOKEN } from '../../../server/plugin.ts'
import { MAX_ANSWER_TOKENS, readOn, type Truncated, withinBytes } from './answer-budget.ts'
import type { RecordDiff } from './record-diff.ts'

/** The ids of the compared records; undefined for a record that was given as a whole. */
interface Sides {
  readonly a: string | undefined
  readonly b: string | undefined
}

/**
 * The differences that fit, a fair share of each list; the rest is counted. The next call asks for the largest answer,
 * or, after that, for a difference that is too long for any answer.
 */
export function diffWithin(diff: RecordDiff, sides: Sides, maxTokens: number) {
  const { changed, added, removed } = diff
  const sections = Object.entries(diff.by_section).sort(([, a], [, b]) => b - a)
  const { lists, leftOut } = withinBytes(
    { by_section: sections, changed, added, removed },
    maxTokens * BYTES_PER_TOKEN,
  )
  const warnings: string[] = []
  const whole = { ...diff, warnings }
  if (Object.keys(leftOut).length === 0) return whole
  const kept = new Set<unknown>([...lists.changed, ...lists.added, ...lists.removed])
  const later = [...changed, ...added].find((entry) => !kept.has(entry))
  const earlier = removed.find((entry) => !kept.has(entry))
  const given = Object.fromEntries(Object.entries(sides).filter(([, id]) => id !== undefined))
  const wider = { tool: 'handoff_diff', args: { ...given, max_tokens: MAX_ANSWER_TOKENS } }
  const place = placeOf(sides.b, later) ?? placeOf(sides.a, earlier)
  const isWidest = maxTokens >= MAX_ANSWER_TOKENS
  if (sides.a === undefined || sides.b === undefined) {
    warnings.push('To read on, give the record again, or only the parts to compare.')
  }
  return {
    ...diff,
    ...lists,
    by_section: Object.fromEntries(lists.by_section),
    truncated: { reason: 'over_budget', left_out: leftOut, next: (isWidest && place) || wider },
    warnings,
  }
}

function placeOf(
  id: string | undefined,
  entry: { readonly pointer: string } | undefined,
): Truncated['next'] | undefined {
  return id === undefined || entry === undefined ? undefined : readOn(id, entry.pointer)
}
