import type { RecordRow } from './domain/record-row.ts'
import type { Handoffs, Project } from './project.ts'

/** What a hook works with. */
export interface HookCall {
  readonly handoffs: Handoffs
  readonly project: Project
  /** As records name it. */
  readonly session: string | undefined
  readonly harness: string
  /** How the session started: `startup`, `resume`, `clear`, `compact`, `fork`. */
  readonly source: string | undefined
  /** The records as far as a hook has the time to read them, those written last before all others. */
  rows(): Promise<readonly RecordRow[]>
}
