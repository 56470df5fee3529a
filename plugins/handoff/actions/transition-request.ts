import type { Flag, Status } from '../domain/record.ts'

/** What `handoff_transition` is asked. */
export interface TransitionRequest {
  readonly id: string
  readonly to: Status | undefined
  readonly from: Status | undefined
  readonly ifMatch: string | undefined
  readonly reason: string | undefined
  readonly acceptWarnings: string | undefined
  readonly clearFlags: readonly Flag[]
  readonly nonce: string | undefined
}
