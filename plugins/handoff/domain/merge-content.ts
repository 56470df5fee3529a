import type { FailedAttempt, Handoff } from './record.ts'

/** The parts of a record that a merge determines; the rest is captured again. */
export type MergedContent = Pick<
  Handoff,
  'work' | 'summary' | 'decisions' | 'artifacts' | 'evidence' | 'open_items' | 'risks' | 'redactions'
> & {
  readonly failed_attempts: FailedAttempt[]
  /** Free members of the parents. */
  readonly extras: Readonly<Record<string, unknown>>
}

/** Texts set by the caller, which avoid conflicts. */
export interface MergeOverrides {
  readonly title?: string | undefined
  readonly objective?: string | undefined
  readonly current_state?: string | undefined
}
