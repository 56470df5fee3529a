import { failedAttempts, type Handoff } from './record.ts'

/** Usefulness of a record to the next session, 0 to 100. Never fails a check. */
export interface Quality {
  readonly overall: number
  readonly dimensions: Readonly<Record<QualityDimension, number>>
}

export const QUALITY_DIMENSIONS = [
  'objective',
  'state',
  'next_action',
  'done_criteria',
  'evidence',
  'rationale',
  'failures',
  'freshness',
] as const
export type QualityDimension = (typeof QUALITY_DIMENSIONS)[number]

/** Rates a record; `fresh` is undefined where freshness is unknown. */
export function qualityOf(record: Handoff, fresh: boolean | undefined): Quality {
  const { work, summary, decisions, evidence, open_items } = record
  const failed = failedAttempts(record)
  const backed = decisions.filter((item) => item.evidence_ids.length > 0).length
  const explained = decisions.filter((item) => item.rationale).length
  const nextActions = open_items.filter((item) => item.suggested_action).length
  const dimensions: Record<QualityDimension, number> = {
    objective: lengthScore(work.objective, 20),
    state: lengthScore(summary.current_state, 40),
    next_action:
      open_items.length === 0
        ? summary.completed.length > 0
          ? 100
          : 0
        : share(nextActions, open_items.length),
    done_criteria: work.definition_of_done.length === 0 ? 0 : 100,
    evidence: evidence.length === 0 ? 0 : Math.round(50 + share(backed, decisions.length || 1) / 2),
    rationale: decisions.length === 0 ? 50 : share(explained, decisions.length),
    // A record without failures is fine; a failure without its reason is not useful.
    failures: failed.length === 0 ? 70 : share(failed.filter((item) => item.reason).length, failed.length),
    freshness: fresh === undefined ? 50 : fresh ? 100 : 0,
  }
  const values = Object.values(dimensions)
  return { overall: Math.round(values.reduce((sum, value) => sum + value, 0) / values.length), dimensions }
}

function lengthScore(text: string, enoughChars: number): number {
  return Math.round(100 * Math.min(1, text.trim().length / enoughChars))
}

function share(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}
