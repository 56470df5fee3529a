import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { until } from '../../../test/harness/until.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { deleteRefs } from '../testing/build-remote.ts'
import { bytesOf, entriesOf, openTeam, smallRemotes } from '../testing/team.ts'

type Report = Record<string, unknown> & {
  refs: { processed: number; unchanged: number }
  failures: { reason: string; repository: string }[]
  warnings: unknown[]
  pruned: { ref: string }[]
}

async function openBoth(t: TestContext, server: PostgresServer) {
  const team = await openTeam(t, server)
  assert.ok(team)
  const dir = await temporaryFolder(t)
  const urls = await smallRemotes(dir, ['one', 'two', 'three'])
  const repositories = entriesOf(urls)
  const one = await team.machine({ repositories })
  const other = await team.machine({ repositories })
  const ingest = async (machine: typeof one, input: Record<string, unknown> = {}) =>
    (await machine.call('ingest', input)) as Report
  const [database = ''] = one.database.place.split(' ')
  const sql = (text: string) => server.sql(text, database)
  const untilSo = (condition: string) => server.until(condition, { database })
  return { team, dir, urls, repositories, one, other, ingest, sql, untilSo }
}

const CHECKS: Readonly<Record<string, (t: TestContext, server: PostgresServer) => Promise<void>>> = {
  'gives what an ingest into files gives, on every machine': async (t, server) => {
    const { team, one, other, ingest, repositories } = await openBoth(t, server)
    const files = await team.machine({ repositories, catalogue: null })
    const wanted = await ingest(files)

    const report = await ingest(one)
    const again = await ingest(other)

    const same = ({ output_dir: _, duration_ms: __, ...counts }: Report) => counts
    assert.deepEqual(same(report), same(wanted))
    assert.deepEqual(again.refs, { processed: 0, unchanged: 9, empty: 0, failed: 0 })
    for (const machine of [one, other]) {
      const input = { query: 'two thing', limit: 20 }
      assert.deepEqual(await machine.call('search_modules', input), await files.call('search_modules', input))
      const { '.satchel/index.json': _, ...followed } = await bytesOf(machine.outputDir)
      const { '.satchel/index.json': __, ...written } = await bytesOf(files.filesDir)
      assert.deepEqual(followed, written)
    }
    assert.deepEqual(await bytesOf(one.outputDir), await bytesOf(other.outputDir))
  },
  'tells every machine what was added and, with prune, what was removed': async (t, server) => {
    const { dir, one, other, ingest } = await openBoth(t, server)
    await ingest(one)
    await other.call('search_modules')
    await smallRemotes(dir, ['two'], 2)
    await deleteRefs(join(dir, 'terraform-aws-three.git'), ['refs/tags/v1.0.0'])

    const report = await ingest(one, { prune: true })
    const refsOf = async (machine: typeof one, name: string) => {
      await machine.call('modules_stats')
      const index = await readFile(join(machine.outputDir, '.satchel/index.json'), 'utf8')
      const { records } = JSON.parse(index) as {
        records: { repository: string; ref: string; path: string }[]
      }
      return records
        .filter(({ repository, path }) => repository.includes(name) && path === '.')
        .map(({ ref }) => ref)
    }

    assert.deepEqual(report.refs, { processed: 2, unchanged: 7, empty: 0, failed: 0 })
    assert.deepEqual([...new Set(report.pruned.map(({ ref }) => ref))], ['v1.0.0'])
    // A machine looks at most once a second.
    await until(async () => (await refsOf(other, '-two')).length === 4)
    for (const machine of [one, other]) {
      assert.deepEqual((await refsOf(machine, '-two')).sort(), ['main', 'v1.0.0', 'v1.0.1', 'v1.2.1'])
      assert.deepEqual((await refsOf(machine, '-three')).sort(), ['main', 'v1.0.1'])
    }
  },
  'reads each repository once for machines that ingest at the same time': async (t, server) => {
    const { one, other, ingest, sql } = await openBoth(t, server)

    const reports = await Promise.all([ingest(one), ingest(other)])

    for (const { refs, failures } of reports) {
      assert.equal(refs.processed + refs.unchanged, 9)
      assert.deepEqual(failures, [])
    }
    assert.equal(
      sql('select count(*) from satchel.module_queue where asked > done or claim is not null'),
      '0',
    )
    assert.equal(sql('select count(distinct id) from satchel.module_records where not removed'), '18')
    await Promise.all([one, other].map((machine) => machine.call('modules_stats')))
  },
  'keeps apart modules of one name that two machines read': async (t, server) => {
    const { team, dir, sql } = await openBoth(t, server)
    const far = await smallRemotes(join(dir, 'far'), ['one'])
    const near = await smallRemotes(join(dir, 'near'), ['one'])
    const machines = [
      await team.machine({ repositories: entriesOf(far) }),
      await team.machine({ repositories: entriesOf(near) }),
    ]

    const reports = await Promise.all(machines.map((machine) => machine.call('ingest')))

    for (const report of reports) assert.deepEqual(report['failures'], [])
    assert.equal(sql('select count(*) from satchel.module_records'), '12')
    assert.equal(sql('select count(distinct folded) from satchel.module_file_names'), '12')
  },
  'tells a machine whose entries have other options': async (t, server) => {
    const { team, one, urls, ingest, sql, untilSo } = await openBoth(t, server)
    const other = await team.machine({ repositories: urls.map((url) => ({ url, max_tags: 1 })) })
    await ingest(one)
    sql(`update satchel.module_queue set asked = asked + 1, claim = gen_random_uuid(), lease_until = 'infinity'
      where repository like '%three%'`)

    const report = ingest(one)
    await untilSo('(select count(*) from satchel.module_queue where done = 2) = 2')
    sql(`update satchel.module_queue set options_digest = 'other', claim = null, lease_until = '-infinity'
      where repository like '%three%'`)

    assert.deepEqual(
      (await report).failures.map(({ reason }) => reason),
      ['asked_otherwise'],
    )
    assert.equal((await ingest(other)).failures.length, 0)
  },
  'leaves nothing of a repository that a machine read and could not publish': async (t, server) => {
    const { one, other, ingest, sql, untilSo } = await openBoth(t, server)
    // Another worker takes each repository in the moment of the first publication.
    sql(`create function satchel.steal() returns trigger language plpgsql as $$ begin
        if not exists (select from satchel.module_repositories) then
          update satchel.module_queue set claim = gen_random_uuid(), lease_until = 'infinity' where claim = old.claim;
          return null;
        end if;
        return new;
      end $$;
      create trigger steal before update on satchel.module_queue for each row
        when (new.done > old.done and pg_trigger_depth() = 0) execute function satchel.steal()`)
    const stopped = new AbortController()
    const run = one.host.call('ingest', {}, { door: 'cli', signal: stopped.signal })
    await untilSo("(select count(*) from satchel.module_queue where lease_until = 'infinity') = 3")
    stopped.abort()
    await assert.rejects(run, { code: 'cancelled' })
    sql(`drop trigger steal on satchel.module_queue;
      update satchel.module_queue set lease_until = '-infinity'; update satchel.module_host_places set lease_until = '-infinity'`)

    const empty = await one.call('search_modules').catch((thrown) => thrown.reason)
    const report = await ingest(other)
    await one.call('modules_stats')

    assert.ok(empty === 'no_index' || (empty as { count: number }).count === 0, JSON.stringify(empty))
    assert.equal(report.refs.processed, 9)
  },
}

test('an ingest into a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})
