import { isLive } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { RecordTable } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { loadClaims, withClaims } from '../store/claims.ts'

/** The record that a session has claimed, on this machine or, by an earlier release, in the record. */
export async function claimedRecord(
  project: Project,
  table: RecordTable,
  session: string,
): Promise<RecordRow | undefined> {
  const nowMs = project.now().getTime()
  const claims = await loadClaims(project.store, nowMs)
  const held = [...claims].flatMap(([id, { by }]) => (by === session ? (table.find(id) ?? []) : []))
  const rows = await table.load([...new Set([...held, ...table.withValue('claim', session)])])
  return withClaims(rows, claims).find(({ claim }) => claim?.by === session && isLive(claim, nowMs))
}
