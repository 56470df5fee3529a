import type { CallContext } from '../../../server/plugin.ts'
import { digestOf, isListed, isShown, mustKeepOf } from '../domain/must-keep.ts'
import { headOf } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { sessionOf } from '../session.ts'
import { loadRetention, type RetentionLog, saveRetention } from '../store/retention-log.ts'
import { assessRecord } from './check-freshness.ts'
import { continueFrom } from './continue-from.ts'
import type { HookCall, Noted } from './hook-session.ts'

/** Before a compaction: keeps the digests of what the session must still know after it. Never fails. */
export async function logBefore(call: HookCall, { names }: Noted): Promise<void> {
  const { project, session } = call
  const row =
    session === undefined ? undefined : await call.ask((table) => continueFrom(project, table, names))
  const stored = row && (await project.store.read(row.id))
  if (session === undefined || stored?.kind !== 'record') return
  const { claims } = await assessRecord(project, stored.record)
  const facts = mustKeepOf(stored.record, claims).map((fact) => ({
    kind: fact.kind,
    id: fact.id,
    digest: digestOf(fact),
  }))
  const head = (await headOf(project.git)) ?? null
  const at = project.now().toISOString()
  await save(project, { session, record: stored.id, at, head, facts, given: null, calls: [] })
}

/** After a compaction: keeps which of them the brief gave. Never fails. */
export async function logGiven({ project, session, source }: HookCall, given: string): Promise<void> {
  if (session === undefined || source !== 'compact') return
  const { disk, layout } = project.store
  const log = await loadRetention(disk, layout, session)
  const stored = log && (await project.store.read(log.record))
  if (!log || stored?.kind !== 'record') return
  const { claims } = await assessRecord(project, stored.record)
  const facts = mustKeepOf(stored.record, claims)
  const shown = facts.filter((fact) => isShown(fact, given))
  const listed = facts.filter((fact) => !shown.includes(fact) && isListed(fact, given))
  const at = project.now().toISOString()
  const told = { at, shown: shown.map(digestOf), listed: listed.map(digestOf) }
  await save(project, { ...log, given: told, calls: [] })
}

/** Keeps a call of a session that was given a brief after a compaction. Never fails. */
export async function logCall(
  ctx: CallContext,
  called: () => Promise<Project>,
  call: { tool: string; verdict?: string },
) {
  if (ctx.localTransport !== 'stdio') return
  const project = await called()
  const { disk, layout } = project.store
  const session = await sessionOf(ctx, project)
  const log = session === undefined ? undefined : await loadRetention(disk, layout, session)
  if (!log?.given) return
  await save(project, { ...log, calls: [...log.calls, { at: project.now().toISOString(), ...call }] })
}

async function save({ store: { disk, layout } }: Project, log: RetentionLog): Promise<void> {
  await saveRetention(disk, layout, log).catch(() => undefined) // a measurement stops no work
}
