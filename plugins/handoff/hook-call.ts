import type { RecordRow } from './domain/record-row.ts'
import type { Handoffs, Project } from './project.ts'

/** The input of a hook's work. */
export interface HookCall {
  readonly handoffs: Handoffs
  readonly project: Project
  /** The name used in records. */
  readonly session: string | undefined
  readonly harness: string
  /** How the session started: `startup`, `resume`, `clear`, `compact`, `fork`. */
  readonly source: string | undefined
  /** The records that can be read in time, newest first. */
  rows(): Promise<readonly RecordRow[]>
}
