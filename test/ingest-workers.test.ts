import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { repositoryEntry } from '../plugins/modules/config.ts'
import { PARSER_VERSION } from '../plugins/modules/hcl/parse-file.ts'
import { planRepositories } from '../plugins/modules/ingest/plan.ts'
import { queuedRepositories } from '../plugins/modules/ingest/shared-run.ts'
import { queueRows } from '../plugins/modules/shared/queue-rows.ts'
import {
  bytesOf,
  entriesOf,
  type Machine,
  openTeam,
  smallRemotes,
  TEAM,
  type Team,
} from '../plugins/modules/testing/team.ts'
import { temporaryFolder } from './harness/index.ts'
import { until } from './harness/until.ts'
import { askAt, newReplica, TOKEN } from './replicas.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'

const REPOSITORIES = 8

/** A worker in a process and a folder of its own. */
async function startWorker(t: TestContext, { url }: Team, repositories: unknown): Promise<ChildProcess> {
  const home = await temporaryFolder(t)
  const project = join(home, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'satchel.yaml'), JSON.stringify({ catalogue: 'team', repositories }))
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, 'ingest', '--worker', '--json'], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home, ...KEPT_CODE, SATCHEL_STORAGE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

/** Asks for these without reading any of them. */
async function askFor({ database }: Machine, repositories: ReturnType<typeof entriesOf>): Promise<void> {
  const entries = repositories.map((entry) => repositoryEntry.parse(entry))
  const options = { recursive: false, workingDirectory: '/', parserVersion: PARSER_VERSION }
  await queueRows(database, TEAM, 60_000).ask(queuedRepositories(planRepositories(entries, options)), false)
}

test('two workers share the repositories of a catalogue, and one that is killed loses nothing', async (t) => {
  const team = await openTeam(t)
  if (!team) return
  const dir = await temporaryFolder(t)
  const migrated = await runSatchel(dir, ['storage', 'migrate'], { SATCHEL_STORAGE_URL: team.url })
  assert.equal(migrated.code, 0, migrated.err)
  const names = Array.from({ length: REPOSITORIES }, (_, n) => `n${n}`)
  const repositories = entriesOf(await smallRemotes(dir, names))
  const machine = await team.machine({ repositories })
  const database = machine.database.place.split(' ')[0]
  const sql = (text: string) => team.server.sql(text, database)
  await machine.rows().createCatalogue()
  // How often each repository was published, and by which claim; each publication takes a moment, the first ones until both
  // workers have claims.
  sql(`create table satchel.test_ends (repository text, claim uuid);
    create table satchel.test_hold as select 1 as held;
    alter table satchel.test_ends owner to app;
    alter table satchel.test_hold owner to app;
    create function satchel.note_end() returns trigger language plpgsql as $$ begin
      insert into satchel.test_ends values (new.repository, old.claim);
      while exists (select from satchel.test_hold) loop perform pg_sleep(0.05); end loop;
      perform pg_sleep(0.5); return new; end $$;
    create trigger note_end after update on satchel.module_queue for each row
      when (new.done > old.done) execute function satchel.note_end()`)
  const workers = await Promise.all([1, 2].map(() => startWorker(t, team, repositories)))
  const count = (what: string) => Number(sql(`select count(*) from ${what}`))
  await until(
    () => count("pg_stat_activity where query like '%as free%' and pid <> pg_backend_pid()") >= 2,
    'workers',
  )

  await askFor(machine, repositories)
  // One worker reads four at a time.
  await until(() => count('satchel.module_queue where lease_until > now()') > 4, 'claims of both')
  sql('delete from satchel.test_hold')
  const [killed, other] = workers
  assert.ok(killed && other)
  const isGone = once(killed, 'exit')
  killed.kill('SIGKILL')
  await isGone
  // Time passes: its leases are over, and so are those of the other worker that it has not prolonged since.
  sql(`update satchel.module_queue set lease_until = now() - interval '1 s' where claim is not null;
    update satchel.module_host_places set lease_until = now() - interval '1 s' where claim is not null`)
  await until(() => count('satchel.module_queue where asked > done') === 0, 'done')
  const files = await team.machine({ repositories, catalogue: null })
  await files.call('ingest')

  assert.equal(sql('select count(*) || $$ $$ || count(distinct repository) from satchel.test_ends'), '8 8')
  await machine.call('modules_stats')
  const { '.satchel/index.json': _, ...followed } = await bytesOf(machine.outputDir)
  const { '.satchel/index.json': __, ...written } = await bytesOf(files.filesDir)
  assert.deepEqual(followed, written)
  // The other worker continues: the next commits are read once each.
  await smallRemotes(dir, names.slice(0, 3), 2)
  sql('truncate satchel.test_ends')
  const again = await machine.call('ingest')
  assert.equal((again['refs'] as { processed: number }).processed, 6)
  assert.equal(sql('select count(*) || $$ $$ || count(distinct repository) from satchel.test_ends'), '8 8')
  const isOver = once(other, 'exit')
  other.kill('SIGTERM')
  const [code] = await isOver
  assert.equal(code, 0)
})

test('/ready and /metrics tell how far a replica is behind the catalogue, and it catches up', async (t) => {
  const team = await openTeam(t)
  if (!team) return
  const dir = await temporaryFolder(t)
  const migrated = await runSatchel(dir, ['storage', 'migrate'], { SATCHEL_STORAGE_URL: team.url })
  assert.equal(migrated.code, 0, migrated.err)
  const repositories = entriesOf(await smallRemotes(dir, ['one']))
  const machine = await team.machine({ repositories })
  const settings = 'catalogue: team\nhttp: { metrics: true }\n'
  const replica = await newReplica(t, 'one', team.url, settings)
  await replica.start()
  const behind = async () => (await askAt(replica.address, '/ready')).json?.storage?.behind?.catalogue

  await until(async () => (await behind()).changes === 0, 'level with nothing')
  await machine.call('ingest')
  const after = await behind()
  await until(async () => (await behind()).changes === 0, 'level')
  const found = await askAt(replica.address, '/search', { query: 'one thing' })

  assert.ok(after.changes > 0 && after.seconds >= 0, JSON.stringify(after))
  assert.ok(found.json.count > 0, JSON.stringify(found.json))
  const text = await (
    await fetch(`${replica.address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).text()
  assert.match(text, /satchel_modules_catalogue_behind_changes 0/)
})
