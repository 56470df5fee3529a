import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { handoffConfig } from '../../plugins/handoff/config.ts'
import { isCommitId } from '../../plugins/handoff/domain/commit-id.ts'
import { checkPlan, type PastAttempt } from '../../plugins/handoff/domain/plan-check.ts'
import { failedAttempts, type Handoff } from '../../plugins/handoff/domain/record.ts'
import { sessionName } from '../../plugins/handoff/domain/record-id.ts'
import { timeOf } from '../../plugins/handoff/domain/record-time.ts'
import { workSince } from '../../plugins/handoff/git/commits.ts'
import { createHandoffs, type Project } from '../../plugins/handoff/project.ts'
import { loadRetention, type RetentionLog } from '../../plugins/handoff/store/retention-log.ts'
import { testHost } from '../../plugins/handoff/testing/fixture.ts'
import { withDatabaseIfSet } from '../../server/cli/with-database.ts'
import type { World } from '../../server/cli/world.ts'
import { loadEntries } from '../../server/plugin-entries.ts'
import { projectStartOf } from '../../server/project-root.ts'

/** What one real session kept over its last compaction. */
export interface RetentionReport {
  readonly session: string
  readonly record: string
  readonly kept: number
  readonly of: number
  /** Of those kept, how many the brief only listed. */
  readonly listed: number
  /** The lost ones, by kind and id. */
  readonly lost: readonly { readonly kind: string; readonly id: string }[]
  /** Failed attempts recorded since that say what had failed before. */
  readonly retried: readonly { readonly id: string; readonly before: string }[]
  /** Plans that `handoff_check_plan` called a repetition: the session was told in time. */
  readonly warned: number
  /** Calls of handoff tools before the first file changed; null if none has changed. */
  readonly calls_before_first_edit: number | null
}

/** The report of a real session of the project that the command line names. */
export async function reportOf(world: World, session: string): Promise<RetentionReport | undefined> {
  const { doors, io, line, terminal } = world
  const root = await doors.findProjectRoot(line)
  const start = projectStartOf({ flag: line.project, env: io.env, cwd: io.cwd })
  const entries = await loadEntries(await doors.loadConfig(line), { kind: 'verb', words: ['handoff'] })
  const config = handoffConfig.parse(entries.find(({ plugin }) => plugin.name === 'handoff')?.config ?? {})
  const { PATH = '' } = terminal.env
  const own = {
    ...testHost(root, () => new Date(), { PATH }),
    ...(start !== undefined && { projectStart: start }),
  }
  return withDatabaseIfSet(world, async (_host, database) => {
    await database?.ready()
    const handoffs = createHandoffs({ ...own, ...(database && { database }) }, config)
    return reportRetention(await handoffs.ownProject(), session)
  })
}

/** The report of a session, given by its own id or by the name in records; undefined until it goes on after a compaction. */
export async function reportRetention(project: Project, id: string): Promise<RetentionReport | undefined> {
  const { disk, layout } = project.store
  const session = /^s-[0-9a-f]{16}$/.test(id) ? id : sessionName(id)
  const log = await loadRetention(disk, layout, session)
  if (!log?.given) return undefined // nothing is lost before there is a brief
  const shown = new Set(log.given.shown)
  const listed = new Set(log.given.listed)
  const isKept = ({ digest }: { readonly digest: string }) => shown.has(digest) || listed.has(digest)
  const lost = log.facts.filter((fact) => !isKept(fact))
  return {
    session,
    record: log.record,
    kept: log.facts.length - lost.length,
    of: log.facts.length,
    listed: log.facts.filter(({ digest }) => !shown.has(digest) && listed.has(digest)).length,
    lost: lost.map(({ kind, id: item }) => ({ kind, id: item })),
    retried: await retriedIn(project, log),
    warned: log.calls.filter(({ verdict }) => verdict === 'repeat').length,
    calls_before_first_edit: await callsBeforeEdit(project, log),
  }
}

/** The session's records since: new failed attempts are compared with those that were not to be repeated. */
async function retriedIn(project: Project, log: RetentionLog): Promise<RetentionReport['retried']> {
  const before = await recordOf(project, log.record)
  if (!before) return []
  const logged = new Set(log.facts.filter(({ kind }) => kind === 'do_not_retry').map(({ id }) => id))
  const known = attemptsOf(before).filter(({ id }) => logged.has(id))
  const rows = await project.index.ask((table) => table.load(table.withValue('session', log.session)))
  const own = rows.filter((row) => row.session === log.session && row.updated_at >= log.at)
  const retried = new Map<string, string>()
  for (const row of own) {
    const record = await recordOf(project, row.id)
    for (const attempt of record ? attemptsOf(record) : []) {
      if (known.some(({ id, approach }) => id === attempt.id && approach === attempt.approach)) continue
      const { verdict, matches } = checkPlan(attempt.approach, known)
      if (verdict === 'repeat' && matches[0]) retried.set(attempt.id, matches[0].id)
    }
  }
  return [...retried].map(([id, earlier]) => ({ id, before: earlier }))
}

async function recordOf(project: Project, id: string): Promise<Handoff | undefined> {
  const stored = await project.store.read(id)
  return stored?.kind === 'record' ? stored.record : undefined
}

function attemptsOf(record: Handoff): PastAttempt[] {
  return failedAttempts(record).map(({ id, approach, reason, avoid_repeating }) => ({
    record: record.id,
    id,
    approach,
    reason,
    avoid_repeating,
    evidence: [],
  }))
}

async function callsBeforeEdit(
  project: Project,
  { given, head, calls }: RetentionLog,
): Promise<number | null> {
  const fromMs = timeOf(given?.at ?? '')
  if (fromMs === undefined || head === null || !isCommitId(head)) return null
  const { files } = await workSince(project.git, head, project.storePrefix)
  const times: number[] = []
  for (const { path } of files) {
    const facts = await stat(join(project.root, path)).catch(() => undefined) // deleted since
    if (facts && facts.mtimeMs > fromMs) times.push(facts.mtimeMs)
  }
  if (times.length === 0) return null
  const firstMs = Math.min(...times)
  return calls.filter(({ at }) => (timeOf(at) ?? 0) <= firstMs).length
}
