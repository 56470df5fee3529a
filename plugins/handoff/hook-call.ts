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
}
