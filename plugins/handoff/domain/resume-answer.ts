import { counted } from '../../../server/plugin.ts'
import type { Truncated } from './answer-budget.ts'
import type { Brief } from './brief.ts'
import type { Gate } from './claim-verdicts.ts'
import type { DriftState } from './drift.ts'
import type { Claim, Handoff } from './record.ts'

/** What a model gets of a resume: the brief says what the record says. */
export interface ModelAnswer {
  readonly brief: string
  readonly freshness: {
    readonly state: DriftState
    readonly gate: Gate
    readonly commits_ahead: number | null
    readonly relevant: boolean
  }
  readonly claim: Claim | null
  readonly marked: boolean
  readonly warnings: readonly string[]
  readonly id: string
  readonly record?: Handoff
  readonly truncated?: Truncated
  readonly etag?: string
  readonly root?: string
}

export interface AnswerParts {
  /** Everything but the brief, the record and what may be left out. */
  readonly fixed: Omit<ModelAnswer, 'brief' | 'record' | 'truncated' | 'etag' | 'root'>
  readonly etag: string
  readonly root: string
  /** Present if the caller asked for it. */
  readonly record?: Handoff | undefined
  writeBrief(maxBytes: number): Brief
}

/** The share of an answer that its brief gets at least. */
const BRIEF_SHARE = 0.6

/**
 * Returns the answer whose size is at most `maxBytes`, with the longest brief that fits. A record that does not fit
 * beside a brief is named in `truncated` with the call that reads it; a small answer has no etag and root, and only counts
 * its warnings where they would cut the objective or the next action.
 */
export function answerWithin(
  parts: AnswerParts,
  maxBytes: number,
  sizeOf: (answer: ModelAnswer) => number,
): ModelAnswer {
  const { etag, root, record, fixed } = parts
  const cut = record && { truncated: withoutRecord(fixed.id) }
  const fit = (form: Partial<ModelAnswer>, least: number) =>
    fitted({ ...fixed, ...form }, { writeBrief: parts.writeBrief, maxBytes, least, sizeOf })
  const whole =
    (record && fit({ record, etag, root }, LEAST_BESIDE_RECORD)) ??
    fit({ ...cut, etag, root }, maxBytes * BRIEF_SHARE)
  if (whole) return whole.answer
  const small = fit({ ...cut }, 0)
  if (small && (!small.isCutShort || fixed.warnings.length === 0)) return small.answer
  const counted = fit({ ...cut, warnings: [counting(fixed.warnings)] }, 0)
  const chosen = counted && !counted.isCutShort ? counted : (small ?? counted)
  return chosen?.answer ?? { brief: '', ...fixed, ...cut }
}

/** The answer with the longest brief that fits, which has `least` bytes or more; undefined where none fits. */
function fitted(
  form: Omit<ModelAnswer, 'brief'>,
  {
    writeBrief,
    maxBytes,
    least,
    sizeOf,
  }: {
    readonly writeBrief: AnswerParts['writeBrief']
    readonly maxBytes: number
    readonly least: number
    readonly sizeOf: (answer: ModelAnswer) => number
  },
): { readonly answer: ModelAnswer; readonly isCutShort: boolean } | undefined {
  let room = maxBytes - sizeOf({ brief: '', ...form })
  while (room > 0 && room >= least) {
    const { text, isCutShort } = writeBrief(room)
    const answer = { brief: text, ...form }
    const excess = sizeOf(answer) - maxBytes
    if (excess <= 0) return { answer, isCutShort }
    room -= excess
  }
  return undefined
}

/** Bytes of the shortest brief beside a whole record. */
const LEAST_BESIDE_RECORD = 800

function counting({ length }: readonly string[]): string {
  return `${counted(length, 'warning')} left out: ask with more max_tokens.`
}

function withoutRecord(id: string): Truncated {
  return { reason: 'over_budget', left_out: { record: 1 }, next: { tool: 'handoff_get', args: { id } } }
}
