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
 * beside a brief is named in `truncated` with the call that reads it; a small answer has no etag and root.
 */
export function answerWithin(
  parts: AnswerParts,
  maxBytes: number,
  sizeOf: (answer: ModelAnswer) => number,
): ModelAnswer {
  const { etag, root, record, fixed } = parts
  const cut = record && { truncated: withoutRecord(fixed.id) }
  const forms: readonly Partial<ModelAnswer>[] = [
    ...(record ? [{ record, etag, root }] : []),
    { ...cut, etag, root },
    { ...cut },
  ]
  let answer: ModelAnswer = { brief: '', ...fixed }
  for (const form of forms) {
    const answerOf = (brief: string): ModelAnswer => ({ brief, ...fixed, ...form })
    let room = maxBytes - sizeOf(answerOf(''))
    const isLast = form === forms.at(-1)
    const least = form.record ? LEAST_BESIDE_RECORD : maxBytes * BRIEF_SHARE
    while (room > 0 && (isLast || room >= least)) {
      answer = answerOf(parts.writeBrief(room).text)
      const excess = sizeOf(answer) - maxBytes
      if (excess <= 0) return answer
      room -= excess
    }
  }
  return answer
}

/** Bytes of the shortest brief beside a whole record. */
const LEAST_BESIDE_RECORD = 800

function withoutRecord(id: string): Truncated {
  return { reason: 'over_budget', left_out: { record: 1 }, next: { tool: 'handoff_get', args: { id } } }
}
