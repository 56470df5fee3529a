import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { repositoryEntry } from '../../../../plugins/modules/config.ts'
import { PARSER_VERSION } from '../../../../plugins/modules/hcl/parse-file.ts'
import { planRepositories } from '../../../../plugins/modules/ingest/plan.ts'
import { queuedRepositories } from '../../../../plugins/modules/ingest/shared-run.ts'
import { catalogueRows } from '../../../../plugins/modules/shared/catalogue-rows.ts'
import { queueRows } from '../../../../plugins/modules/shared/queue-rows.ts'
import { entriesOf, smallRemotes, TEAM } from '../../../../plugins/modules/testing/team.ts'
import { createDatabase } from '../../../../server/storage/database.ts'
import { temporaryFolder } from '../../../../test/harness/index.ts'
import { killed } from '../../../../test/harness/killed.ts'
import type { PostgresServer, RunningServer } from '../../../../test/postgres-server.ts'
import { KEPT_CODE, SATCHEL } from '../../../../test/satchel-process.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const NAMES = ['alpha', 'beta', 'gamma']
const LEASE_MS = 60_000
const RETRY_MS = 50

/** What was asked of the workers, and what they did. */
export interface IngestStory {
  /** Changes of a repository that were read to their end. */
  ingested: number
  readonly findings: string[]
}

/** A worker in a process and a folder of its own. */
export interface IngestWorker {
  start(): Promise<void>
  kill(): Promise<void>
  pause(): { resume(): void }
}

async function newWorker(t: TestContext, url: string, repositories: unknown): Promise<IngestWorker> {
  const home = await temporaryFolder(t)
  const project = join(home, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'satchel.yaml'), JSON.stringify({ catalogue: TEAM, repositories }))
  const [program, ...words] = SATCHEL
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (child) await killed(child)
  }
  t.after(kill)
  return {
    async start() {
      child = spawn(program, [...words, 'ingest', '--worker', '--json'], {
        cwd: project,
        env: { PATH: process.env['PATH'], HOME: home, ...KEPT_CODE, SATCHEL_STORAGE_URL: url },
        stdio: 'ignore',
      })
    },
    kill,
    pause() {
      const stopped = child
      stopped?.kill('SIGSTOP')
      return { resume: () => void stopped?.kill('SIGCONT') }
    },
  }
}

/** Two workers, and repositories that change one after another. */
export async function openIngest(t: TestContext, server: PostgresServer, url: string) {
  const dir = await temporaryFolder(t)
  const repositories = entriesOf(await smallRemotes(dir, NAMES))
  const parts = { url, log: SILENT, now: () => new Date(), schema: () => [] }
  const database = createDatabase(parts)
  t.after(() => database.close())
  await catalogueRows(database, TEAM).createCatalogue()
  noteEnds(server)
  const workers = await Promise.all([1, 2].map(() => newWorker(t, url, repositories)))
  await Promise.all(workers.map((worker) => worker.start()))
  const story: IngestStory = { ingested: 0, findings: [] }
  const options = { recursive: false, workingDirectory: '/', parserVersion: PARSER_VERSION }
  const plans = repositories.map((entry) =>
    queuedRepositories(planRepositories([repositoryEntry.parse(entry)], options)),
  )
  let isOver = false
  let wished = 1
  const change = async (n: number): Promise<void> => {
    const [name, plan] = [NAMES[n % NAMES.length] ?? '', plans[n % NAMES.length] ?? []]
    const round = Math.floor(n / NAMES.length)
    if (round > 0) await smallRemotes(dir, [name], round)
    const [repository] = plan
    const queue = queueRows(database, TEAM, LEASE_MS)
    await retried(() => queue.ask(plan, false))
    const isDone = () =>
      retried(() =>
        database.query(
          'select asked <= done as done, tries from satchel.module_queue where repository = $1',
          [repository?.repository ?? ''],
        ),
      )
    for (let rows = await isDone(); rows[0]?.['done'] !== true; rows = await isDone()) {
      if (isOver) return
      // Three workers were lost with it: it is given up until it is asked for again.
      if (Number(rows[0]?.['tries']) >= 3) await retried(() => queue.ask(plan, false))
      await wait(RETRY_MS)
    }
    story.ingested += 1
  }
  const work = (async () => {
    for (let n = 0; !isOver && story.findings.length === 0; ) {
      if (n < wished) await change(n++)
      else await wait(RETRY_MS)
    }
  })()
  return {
    story,
    workers,
    /** Lets one more repository change, beside what goes on. */
    more() {
      wished = story.ingested + 1
    },
    async stop() {
      isOver = true
      await work
      for (const worker of workers) await worker.kill()
    },
  }
}

/** Until the server answers: what is asked for twice is read once. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch {
      await wait(RETRY_MS)
    }
  }
}

/** The server itself notes which worker ended which reading of a repository. */
function noteEnds(server: PostgresServer): void {
  server.sql(`
    create table ingest_ends (repository text, done bigint, claim uuid);
    grant insert on ingest_ends to app;
    create function note_end() returns trigger language plpgsql as $$ begin
      insert into public.ingest_ends values (new.repository, new.done, old.claim); return new; end $$;
    create trigger note_end after update on satchel.module_queue for each row
      when (new.done_at is distinct from old.done_at) execute function note_end()`)
}

/** Time passes for the workers that are lost: what they had claimed is free. */
export function endWorkersLeases(server: RunningServer): void {
  for (const table of ['module_queue', 'module_host_places'])
    server.sql(`update satchel.${table} set lease_until = now() - interval '1 s' where claim is not null`)
}

/** Readings that were published more than once, and repositories that were not read to their end. */
export function ingestFindings(server: RunningServer): string[] {
  const twice = server.sql(`select repository || ' ' || done || ' was published ' || count(*) || ' times'
    from ingest_ends group by repository, done having count(*) > 1`)
  const lost =
    server.sql(`select repository || ' was done and nothing of it is there' from satchel.module_queue q
    where done > 0 and not exists (select from satchel.module_repositories r where r.repository = q.repository)`)
  return [...twice.split('\n'), ...lost.split('\n')].filter(Boolean)
}
