import type { Fact } from './facts.ts'
import { type Planted, plant } from './planted.ts'
import type { Session } from './session.ts'
import type { Stage } from './stage.ts'

/** The session that goes on, with what it must know. */
export interface Played {
  readonly session: Session
  /** How the harness starts it; at `startup` the hook gives one line. */
  readonly source: 'compact' | 'resume' | 'startup'
  readonly facts: readonly Fact[]
}

export type Scenario = (stage: Stage) => Promise<Played>

/** By name. */
export type Scenarios = Readonly<Record<string, Scenario>>

/** Writes a planted record and gives its id. */
export async function draft(session: Session, planted: Planted): Promise<string> {
  return String((await session.data('handoff_create', planted.input))['id'])
}

/** The same, released. */
export async function release(session: Session, planted: Planted): Promise<string> {
  const id = await draft(session, planted)
  await session.data('handoff_transition', { id, to: 'ready', accept_warnings: 'measured' })
  return id
}

/** A session that began before anything was written. */
export async function begin(stage: Stage, id: string): Promise<Session> {
  const session = await stage.session(id)
  await session.hook('session-start', { source: 'startup' })
  return session
}

/** The session after a compaction. */
export async function compacted(session: Session, facts: readonly Fact[]): Promise<Played> {
  await session.hook('pre-compact', { trigger: 'auto' })
  return { session, source: 'compact', facts }
}

/** The record that must be known, and one that is beside it. */
export const PLANTED = plant('one')
export const BESIDE = plant('beside')
