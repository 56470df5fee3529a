import { join } from 'node:path'
import { type Disk, isJsonObject } from '../../../server/plugin.ts'
import { replaceLocalFile } from './ensure-folder.ts'
import type { Layout } from './layout.ts'

/** What one session had before its last compaction, what it was given after it, and what it called since. No texts. */
export interface RetentionLog {
  readonly session: string
  /** The record that was current before the compaction. */
  readonly record: string
  /** RFC 3339. */
  readonly at: string
  /** HEAD then. */
  readonly head: string | null
  readonly facts: readonly LoggedFact[]
  readonly given: GivenFacts | null
  /** Calls of handoff tools since it was given, oldest first. */
  readonly calls: readonly LoggedCall[]
}

export interface LoggedFact {
  readonly kind: string
  readonly id: string
  readonly digest: string
}

export interface GivenFacts {
  readonly at: string
  /** Digests of facts that were shown whole. */
  readonly shown: readonly string[]
  /** Digests of facts that were listed with the call that reads them. */
  readonly listed: readonly string[]
}

export interface LoggedCall {
  readonly at: string
  readonly tool: string
  /** Of `handoff_check_plan`. */
  readonly verdict?: string
}

const MAX_CALLS = 200

/** The log of a session; undefined if there is none, or it is damaged. */
export async function loadRetention(
  disk: Disk,
  layout: Layout,
  session: string,
): Promise<RetentionLog | undefined> {
  try {
    const value: unknown = JSON.parse(
      (await disk.readFile(join(layout.local, `${nameOf(session)}.json`))).toString('utf8'),
    )
    return isLog(value) ? value : undefined
  } catch {
    return undefined // it is only a measurement
  }
}

/** Replaces the log of a session. */
export async function saveRetention(disk: Disk, layout: Layout, log: RetentionLog): Promise<void> {
  const bounded = { ...log, calls: log.calls.slice(0, MAX_CALLS) }
  await replaceLocalFile(disk, layout.local, nameOf(log.session), JSON.stringify(bounded))
}

/** Session names are hex: no name leads out of the folder. */
function nameOf(session: string): string {
  return `retention-${session.replace(/[^\w-]/g, '')}`
}

function isLog(value: unknown): value is RetentionLog {
  if (!isJsonObject(value)) return false
  const { session, record, at, facts, given, calls } = value
  const areTexts = [session, record, at].every((text) => typeof text === 'string')
  const isGiven =
    given === null || (isJsonObject(given) && Array.isArray(given['shown']) && Array.isArray(given['listed']))
  return (
    areTexts && isGiven && [facts, calls].every((list) => Array.isArray(list) && list.every(isJsonObject))
  )
}
