import { timeOf } from '../domain/record-time.ts'
import { headOf } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { endClaimOn, renewClaimOn } from '../store/claims.ts'
import type { FileTable } from '../store/record-table.ts'
import {
  ancestorsOfProcess,
  loadSessions,
  type NotedSession,
  noteSession,
  serverNames,
} from '../store/sessions.ts'
import { claimedRecord } from './claimed-record.ts'

/** The input of a hook's work. */
export interface HookCall {
  readonly project: Project
  /** The name used in records. */
  readonly session: string | undefined
  readonly harness: string
  /** How the session started: `startup`, `resume`, `clear`, `compact`, `fork`. */
  readonly source: string | undefined
  /** Asks about the records that can be read in time. */
  ask<T>(question: (table: FileTable) => Promise<T> | T): Promise<T>
}

/** The session as it was noted before this hook. */
export interface Noted {
  /** Digest of what it was told at its last resume. */
  readonly told: string | undefined
  /** HEAD when the session was first noted. */
  readonly beganAt: string | undefined
  readonly began: string | undefined
  readonly nudgedAt: string | undefined
  /** Every name under which the session may have written. */
  readonly names: readonly string[]
}

/**
 * Notes the session with the ancestors of this process: a store may be younger than its session. What is known stays as
 * it is.
 */
export async function noteStart(call: HookCall): Promise<Noted> {
  const { project, session } = call
  if (session === undefined) return UNKNOWN
  const { disk, layout } = project.store
  const sessions = await loadSessions(disk, layout)
  const before = sessions.find((noted) => noted.session === session)
  const at = project.now().toISOString()
  const head = before?.head ?? (await headOf(project.git))
  const { ended: _, ...running } = before ?? {}
  const noted = {
    began: at,
    shown: false,
    ...running,
    session,
    at,
    ancestors: ancestorsOfProcess(),
    ...(head !== undefined && { head }),
  }
  const isKept = await storeNoted(call, noted)
  const all = [...sessions.filter((one) => one !== before), noted]
  return {
    told: before?.told,
    beganAt: head,
    began: noted.began,
    nudgedAt: isKept ? noted.nudged : at, // else every stop would remind
    names: [session, ...serverNames(all, session)],
  }
}

const UNKNOWN: Noted = {
  told: undefined,
  beganAt: undefined,
  began: undefined,
  nudgedAt: undefined,
  names: [],
}

/** Notes what the session was shown, after it was printed: it goes on with that. A resumed one is not told the same twice. */
export async function noteShown(
  call: HookCall,
  { given, told }: Pick<NotedSession, 'given' | 'told'>,
): Promise<void> {
  if (given === undefined) return
  const atResume = call.source === 'resume' && told !== undefined && { shown: true, told }
  await noteMore(call, { given, ...atResume })
}

/** Notes that the session was reminded of its record, after it was printed. */
export async function noteNudged(call: HookCall): Promise<void> {
  await noteMore(call, { nudged: call.project.now().toISOString() })
}

async function noteMore(call: HookCall, more: Partial<NotedSession>): Promise<void> {
  const { disk, layout } = call.project.store
  const noted = (await loadSessions(disk, layout)).find(({ session }) => session === call.session)
  if (noted) await storeNoted(call, { ...noted, ...more })
}

/** Stores what is known of a session; false if it cannot be written, which does not stop a hook. */
async function storeNoted({ project }: HookCall, noted: NotedSession): Promise<boolean> {
  const { disk, layout } = project.store
  return noteSession(disk, layout, noted).then(
    () => true,
    () => false,
  )
}

/** Renews the session's claim when less than half of it is left. Leaves the record. */
export async function renewClaim(call: HookCall): Promise<void> {
  const { project, session } = call
  const now = project.now().getTime()
  const claimed = await claimOf(call)
  const expires = timeOf(claimed?.claim?.expires_at ?? '') ?? 0
  const ttlMs = project.config.claim_ttl_s * 1000
  if (!claimed || session === undefined || expires - now > ttlMs / 2) return
  await project.store.locked(claimed.id.toLowerCase(), () =>
    renewClaimOn(project.store, claimed.id, {
      by: session,
      expires_at: new Date(now + ttlMs).toISOString(),
    }),
  )
}

/** Ends the session's claim, and notes that it is over: others may take up its notes. Leaves the record. */
export async function endClaim(call: HookCall): Promise<void> {
  const { project } = call
  await noteMore(call, { ended: project.now().toISOString() })
  const claimed = await claimOf(call)
  if (!claimed) return
  await project.store.locked(claimed.id.toLowerCase(), () => endClaimOn(project.store, claimed.id))
}

async function claimOf({ project, session, ask }: HookCall) {
  if (session === undefined) return undefined
  return ask((table) => claimedRecord(project, table, session))
}
