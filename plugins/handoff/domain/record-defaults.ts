import { discoveries, failedAttempts, type Handoff, inProgress } from './record.ts'

/** A copy of the record in which the members that may be absent stand with the specification's defaults. */
export function withDefaults(record: Handoff): Handoff {
  return {
    ...record,
    summary: {
      ...record.summary,
      in_progress: [...inProgress(record)],
      discoveries: [...discoveries(record)],
    },
    failed_attempts: [...failedAttempts(record)],
    metagit: record.metagit ?? null,
  }
}
