import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sessionName } from '../plugins/handoff/domain/record-id.ts'
import { layoutOf } from '../plugins/handoff/store/layout.ts'
import { saveRetention } from '../plugins/handoff/store/retention-log.ts'
import { sampleRecord } from '../plugins/handoff/testing/sample-record.ts'
import { openWorld } from '../plugins/modules/testing/ingest-world.ts'
import { entriesOf, smallRemotes } from '../plugins/modules/testing/team.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { realDisk } from '../server/plugin.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const RECORD = JSON.stringify({
  title: 'Ship it',
  objective: 'Ship the release',
  current_state: 'It builds.',
})

/** A project that is named in the database, and its command line. */
async function openProject(t: TestContext, url: string, name = 'shop') {
  const home = await temporaryFolder(t)
  const root = join(home, 'project')
  mkdirSync(root)
  writeFileSync(join(root, 'satchel.yaml'), `handoff: { project: ${name} }\n`)
  const run = async (words: readonly string[], more: Record<string, string> = {}) => {
    const env = { HOME: home, SATCHEL_STORAGE_URL: url, ...more }
    const { code, out, err } = await startCli(words, { cwd: root, env }).done
    assert.ok(!`${out}${err}`.includes('not-told'), `the password was told: ${out}${err}`)
    return { code, out, err, data: words.includes('--json') && out ? JSON.parse(out) : undefined }
  }
  const create = async (key?: string) => {
    const file = join(home, 'record.json')
    writeFileSync(file, RECORD)
    const words = ['handoff', 'create', '--input', file, '--json']
    return (await run(key === undefined ? words : [...words, '--idempotency-key', key])).data
  }
  return { home, root, run, create, records: join(root, '.handoffs/records') }
}

test('a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})

let databases = 0

function newDatabase(server: PostgresServer, more = ''): { name: string; url: string } {
  const name = `test_${databases++}`
  server.sql(`create database ${name} owner app ${more}`, 'postgres')
  return { name, url: server.urlOf(name) }
}

type Check = (t: TestContext, server: PostgresServer) => Promise<void>

const CHECKS: Readonly<Record<string, Check>> = {
  'is prepared by storage migrate, holds records, and leaves no record file': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run, create, records } = await openProject(t, url)

    const early = await run(['handoff', 'list', '--json'])
    const first = await run(['storage', 'migrate', '--json'])
    const again = await run(['storage', 'migrate', '--json'])
    const { id, path } = await create('k')
    const repeated = await create('k')
    const listed = await run(['handoff', 'list', '--json'])

    assert.equal(early.code, 7)
    assert.match(early.out, /satchel storage migrate/)
    assert.deepEqual(
      first.data.parts.map((part: { from: number }) => part.from),
      again.data.parts.map(() => 0),
    )
    assert.ok(again.data.parts.every((part: { from: number; to: number }) => part.from === part.to))
    assert.equal(repeated.id, id)
    assert.equal(path, `database:records/${id}.json`)
    assert.deepEqual(
      listed.data.items.map((item: { id: string }) => item.id),
      [id],
    )
    assert.equal(existsSync(records), false)
    assert.equal(server.sql('select title || status from satchel.handoff_records', name), 'Ship itdraft')
  },
  'takes and gives back the files of a project, byte by byte': async (t, server) => {
    const { url } = newDatabase(server)
    const { run, create, records, root } = await openProject(t, url)
    await run(['storage', 'migrate'])
    for (let n = 0; n < 3; n++) {
      await run(['handoff', 'create', '--input', await recordFile(root)], { SATCHEL_STORAGE_URL: '' })
    }
    const [other = ''] = readdirSync(records)
    const before = bytesIn(records)

    const imported = await run(['storage', 'import', '--json'])
    const twice = await run(['storage', 'import', '--json'])
    await create()
    rmSync(records, { recursive: true })
    const exported = await run(['storage', 'export', '--json'])
    const after = bytesIn(records)

    assert.equal(imported.data.stores[0].copied, 3)
    assert.deepEqual([twice.data.stores[0].copied, twice.data.stores[0].present], [0, 3])
    assert.equal(exported.data.stores[0].copied, 4)
    for (const [file, bytes] of Object.entries(before)) assert.equal(after[file], bytes)
    const changed = readFileSync(join(records, other), 'utf8').replace(
      'Ship the release',
      'Ship it elsewhere',
    )
    writeFileSync(join(records, other), changed)
    const refused = await run(['storage', 'import', '--json'])
    assert.equal(refused.code, 5)
    assert.match(refused.out, /copy_differs/)
    // What its advice says: the other side becomes a record of its own.
    const kept = await run(['handoff', 'import', '.handoffs', '--on-conflict', 'new_id', '--json'])
    const outcomes = kept.data.results.map(({ outcome }: { outcome: string }) => outcome)
    assert.deepEqual(outcomes.sort(), ['imported', 'same', 'same', 'same'])
  },
  'tells what a real session tried again after its compaction': async (t, server) => {
    const { url } = newDatabase(server)
    const { run, root } = await openProject(t, url)
    await run(['storage', 'migrate'])
    const own = { SATCHEL_SESSION: 'one' }
    const note = (text: string) => run(['handoff', 'note', 'failed', text, '--json'], own)

    const { data: noted } = await note('Stored the OAuth state in a browser cookie')
    const at = new Date().toISOString()
    await saveRetention(realDisk, layoutOf(root, join(root, '.handoffs')), {
      ...{ session: sessionName('one'), record: noted.id, at, head: null, calls: [] },
      facts: [{ kind: 'do_not_retry', id: 'F-001', digest: 'one' }],
      given: { at, shown: ['one'], listed: [] },
    })
    await note('Store the OAuth state in a browser cookie')
    const { out, data } = await run(['handoff', 'retention', '--session', 'one', '--json'])

    assert.deepEqual([data?.kept, data?.retried], [1, [{ id: 'F-002', before: 'F-001' }]], out)
  },
  'gives back a store that has its name, and says where a role sees no records': async (t, server) => {
    const { url } = newDatabase(server)
    const { run, create, root } = await openProject(t, url)
    await run(['storage', 'migrate'])

    const none = await run(['storage', 'export', '--json'])
    await create()
    const exported = await run(['storage', 'export', '--json'])
    const found = await run(['handoff', 'doctor', '--json'], { SATCHEL_STORAGE_URL: '' })

    assert.deepEqual([none.code, none.data.stores[0].copied], [0, 0])
    assert.match(none.err, /This role sees no records of shop/)
    assert.deepEqual([exported.code, exported.err], [0, ''])
    assert.equal(JSON.parse(readFileSync(join(root, '.handoffs/config.json'), 'utf8')).project_id, 'shop')
    assert.doesNotMatch(found.out, /damaged_config/)
  },
  'leaves damaged files out and names them; once corrected they replace damaged rows': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run, records, root } = await openProject(t, url)
    await run(['storage', 'migrate'])
    for (let n = 0; n < 3; n++) {
      await run(['handoff', 'create', '--input', await recordFile(root)], { SATCHEL_STORAGE_URL: '' })
    }
    const [damaged = ''] = readdirSync(records)
    const whole = readFileSync(join(records, damaged))
    writeFileSync(join(records, damaged), '')

    const partly = await run(['storage', 'import', '--json'])
    writeFileSync(join(records, damaged), whole)
    const rest = await run(['storage', 'import', '--json'])
    // As an import of an earlier release left it.
    server.sql(
      `update satchel.handoff_records set bytes = '\\x', etag = encode(sha256('\\x'), 'hex')
       where id = '${damaged.replace('.json', '')}'`,
      name,
    )
    const found = await run(['handoff', 'doctor', '--json'])
    const repaired = await run(['storage', 'import', '--json'])
    const again = await run(['storage', 'import', '--json'])

    const counts = ({ code, data: { stores } }: typeof partly) => [code, stores[0].copied, stores[0].present]
    assert.deepEqual([partly, rest, repaired, again].map(counts), [
      [3, 2, 0],
      [0, 1, 2],
      [0, 1, 2],
      [0, 0, 3],
    ])
    assert.match(partly.err, new RegExp(`records/${damaged} is damaged and was left out`))
    assert.deepEqual(partly.data.stores[0].damaged, [`.handoffs/records/${damaged}`])
    assert.match(found.out, /damaged_record[^}]*satchel storage import replaces it/)
  },
  'takes many files in few transactions, also two of one idempotency key': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run, records, root } = await openProject(t, url)
    await run(['storage', 'migrate'])
    await run(['handoff', 'create', '--input', await recordFile(root)], { SATCHEL_STORAGE_URL: '' })
    for (let n = 0; n < 450; n++) {
      const record = { ...sampleRecord(n, 1500), x_satchel: n % 449 === 0 ? { idempotency_key: 'twin' } : {} }
      writeFileSync(join(records, `${record.id}.json`), JSON.stringify(record))
    }
    const before = bytesIn(records)

    const imported = await run(['storage', 'import', '--json'])
    const transactions = Number(server.sql('select count(*) from satchel.writes', name))
    const [keys, columns] = [
      server.sql("select count(*) from satchel.handoff_records where idempotency_key = 'twin'", name),
      server.sql('select count(distinct change) from satchel.handoff_records where title <> $$$$', name),
    ]
    const listed = await run(['handoff', 'list', '--limit', '1', '--json'])
    rmSync(records, { recursive: true })
    const exported = await run(['storage', 'export', '--json'])

    assert.equal(imported.data.stores[0].copied, 451, imported.err)
    assert.ok(transactions <= 8, `${transactions} transactions for 451 records`)
    assert.deepEqual([keys, columns], ['1', '451'])
    assert.equal(listed.data.total, 451)
    assert.equal(exported.data.stores[0].copied, 451)
    assert.deepEqual(bytesIn(records), before)
  },
  'takes nothing where any kind of the files differs from its rows': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run, records, root } = await openProject(t, url)
    const world = await openWorld(t)
    await world.run(entriesOf(await smallRemotes(world.dir, ['one'])))
    const settings = `handoff: { project: shop }\ncatalogue: platform\noutput_dir: ${world.outputDir}\n`
    writeFileSync(join(root, 'satchel.yaml'), settings)
    await run(['storage', 'migrate'])
    const first = await run(['storage', 'import', '--json'])
    mkdirSync(records, { recursive: true })
    const record = sampleRecord(1, 1500)
    writeFileSync(join(records, `${record.id}.json`), JSON.stringify(record))
    const rows = () => server.sql('select count(*) from satchel.handoff_records', name)
    server.sql(
      `update satchel.module_records set hashes = '{x}', record = replace(record, '"summary_sha256":"', '"summary_sha256":"x')`,
      name,
    )

    const refused = await run(['storage', 'import', '--json'])

    assert.equal(first.data.stores.length, 2, first.err)
    assert.deepEqual([refused.code, rows()], [5, '0'])
    assert.match(refused.out, /catalogue_differs/)
  },
  'is not part of a backup, which names pg_dump also where no files are left for it': async (t, server) => {
    const { url } = newDatabase(server)
    const { run, create, home } = await openProject(t, url)
    await run(['storage', 'migrate'])
    await run(['handoff', 'create', '--input', await recordFile(home)], { SATCHEL_STORAGE_URL: '' })
    await create()

    const refused = await run(['backup', join(home, 'backup'), '--json'])

    assert.equal(refused.code, 4)
    assert.match(refused.out, /backup_empty/)
    assert.match(refused.out, /pg_dump/)
  },
  'keeps projects apart, and a role reaches only the projects that it was given': async (t, server) => {
    const { url, name } = newDatabase(server)
    const shop = await openProject(t, url)
    const bank = await openProject(t, url, 'bank')
    await shop.run(['storage', 'migrate'])
    const { id } = await shop.create('k')
    const other = await bank.create('k')
    server.sql(
      `create role team login password 'not-told-either';
       grant usage on schema satchel to team;
       grant select, insert, update, delete on all tables in schema satchel to team;
       revoke insert, update, delete on satchel.schema_versions, satchel.handoff_rights from team;
       insert into satchel.handoff_rights values ('team', 'shop')`,
      name,
    )
    const asTeam = url.replace(/\/\/[^@]+@/, '//team:not-told-either@')

    const own = await shop.run(['handoff', 'list', '--json'], { SATCHEL_STORAGE_URL: asTeam })
    const foreign = await bank.run(['handoff', 'list', '--json'], { SATCHEL_STORAGE_URL: asTeam })
    const read = await bank.run(['handoff', 'show', other.id, '--json'], { SATCHEL_STORAGE_URL: asTeam })
    const added = await shop.run(['handoff', 'create', '--input', await recordFile(shop.root)], {
      SATCHEL_STORAGE_URL: asTeam,
    })
    const written = await bank.run(['handoff', 'create', '--input', await recordFile(bank.root)], {
      SATCHEL_STORAGE_URL: asTeam,
    })

    assert.notEqual(other.id, id)
    assert.deepEqual(
      own.data.items.map((item: { id: string }) => item.id),
      [id],
    )
    assert.equal(foreign.data.items.length, 0)
    assert.equal(read.code, 4)
    assert.equal(added.code, 0, added.err)
    assert.equal(written.code, 7)
    assert.match(written.err, /lacks a right/)
    assert.equal(server.sql("select count(*) from satchel.handoff_records where project = 'bank'", name), '1')
  },
  'that cannot be used is told by what is wrong, without the password': async (t, server) => {
    const { url, name } = newDatabase(server)
    const ascii = newDatabase(server, "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0")
    const foreign = newDatabase(server)
    server.sql('create schema satchel; create table satchel.horses (name text)', foreign.name)
    const alike = newDatabase(server)
    server.sql('create schema satchel; create table satchel.schema_versions (v text)', alike.name)
    server.sql(
      'alter schema satchel owner to app; alter table satchel.schema_versions owner to app',
      alike.name,
    )
    const reading = newDatabase(server)
    const { run } = await openProject(t, url)
    await run(['storage', 'migrate'], { SATCHEL_STORAGE_URL: reading.url })
    server.sql(`alter database ${reading.name} set default_transaction_read_only = on`, 'postgres')
    const port = await freePort()
    const cases: readonly (readonly [url: string, words: string, code: number, told: RegExp])[] = [
      [url.replace('not-told', 'not-told-wrong'), 'handoff list', 7, /refuses this user or password/],
      [url.replace(':not-told', ''), 'handoff list', 7, /refuses this user or password/],
      [url.replace(/:\d+\//, `:${port}/`), 'handoff list', 7, /does not answer \(ECONNREFUSED\)/],
      [url.replace('127.0.0.1', 'no-such-host.invalid'), 'handoff list', 7, /does not answer/],
      [`${url}_none`, 'storage migrate', 7, /has no database/],
      ['mysql://app:not-told@127.0.0.1/x', 'handoff list', 3, /not an address of a PostgreSQL/],
      ['postgres://app:not-told@[::bad/x', 'handoff list', 3, /not an address of a PostgreSQL/],
      [ascii.url, 'storage migrate', 7, /SQL_ASCII/],
      [reading.url, 'handoff list', 7, /takes no writes/],
      [foreign.url, 'storage migrate', 5, /another application: it has horses/],
      [foreign.url, 'handoff list', 5, /another application/],
      [alike.url, 'storage migrate', 5, /another application: it has schema_versions/],
      [alike.url, 'handoff list', 5, /another application: it has schema_versions/],
    ]
    for (const [address, words, code, told] of cases) {
      const ran = await run(words.split(' '), { SATCHEL_STORAGE_URL: address })
      assert.match(ran.err, told, `${words} at ${address}`)
      assert.equal(ran.code, code, ran.err)
    }
    assert.equal(
      server.sql('select count(*) from pg_tables where schemaname = $$satchel$$', foreign.name),
      '1',
    )
    assert.equal(server.sql('select count(*) from pg_tables where schemaname = $$satchel$$', ascii.name), '0')
    await run(['storage', 'migrate'])
    server.sql("update satchel.schema_versions set version = 0 where owner = 'handoff'", name)
    assert.match((await run(['handoff', 'list'])).err, /have version 0; this satchel needs 1/)
    server.sql("update satchel.schema_versions set version = 7 where owner = 'handoff'", name)
    const newer = await run(['storage', 'migrate'])
    assert.match(newer.err, /A newer satchel made the tables/)
    assert.equal(newer.code, 7)
    assert.match((await run(['handoff', 'list'])).err, /A newer satchel made the tables/)
  },
  'that cannot be used is told by a server at its start, and ends a worker': async (t, server) => {
    const { url } = newDatabase(server)
    const { home, root } = await openProject(t, url)
    const lines = ['catalogue: team', 'repositories: [{ url: "https://127.0.0.1:1/one.git" }]', '']
    writeFileSync(join(root, 'satchel.yaml'), lines.join('\n'))
    const start = (words: string, address: string) =>
      startCli(words.split(' '), { cwd: root, env: { HOME: home, SATCHEL_STORAGE_URL: address } })
    const wrong = url.replace('not-told', 'not-told-wrong')
    const silent = url.replace(/:\d+\//, `:${await freePort()}/`)

    const serving = start('serve --host 127.0.0.1 --port 0', wrong)
    const [warning] = await serving.heard('err', /^.*refuses this user or password.*$/m)
    serving.send('SIGTERM')
    const served = await serving.done
    const refused = await start('ingest --worker --json', wrong).done
    const unmigrated = await start('ingest --worker --json', url).done
    const waiting = start('ingest --worker --json', silent)
    await waiting.heard('err', /could not read from its queue/)
    waiting.send('SIGTERM')
    const waited = await waiting.done

    assert.deepEqual([JSON.parse(warning).level, JSON.parse(warning).reason], ['warning', 'storage_password'])
    assert.doesNotMatch(served.err, /not-told|\bat .*\.ts/)
    assert.deepEqual([refused.code, JSON.parse(refused.out).error.reason], [7, 'storage_password'])
    assert.deepEqual([unmigrated.code, JSON.parse(unmigrated.out).error.reason], [7, 'storage_not_migrated'])
    assert.equal(waited.code, 3, waited.err)
    assert.match(JSON.stringify(JSON.parse(waited.out).failures), /storage_unreachable/)
    assert.doesNotMatch(waited.err, /\bat .*\.ts|caused by/)
  },
  'whose role may only read is a problem of doctor': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run } = await openProject(t, url)
    await run(['storage', 'migrate'])
    server.sql(`create role ${name}_reader login password 'not-told'`, name)
    const grant = `grant usage on schema satchel to ${name}_reader; grant select on all tables in schema satchel to ${name}_reader`
    server.sql(grant, name)
    const SATCHEL_STORAGE_URL = url.replace('//app:', `//${name}_reader:`)

    const reading = await run(['doctor'], { SATCHEL_STORAGE_URL })
    server.sql(`grant insert, update, delete on all tables in schema satchel to ${name}_reader`, name)
    server.sql(`revoke insert on satchel.tokens, satchel.handoff_rights from ${name}_reader`, name)
    const writing = await run(['doctor'], { SATCHEL_STORAGE_URL })

    assert.equal(reading.code, 3)
    assert.match(reading.out, /^problem {2}database: .*may not write .*handoff_records.*writes: grant/m)
    assert.match(writing.out, /^ok {7}database: /m)
  },
  'is checked by doctor, and config show hides the password': async (t, server) => {
    const { url, name } = newDatabase(server)
    const { run } = await openProject(t, url)

    const broken = await run(['doctor', '--json'])
    await run(['storage', 'migrate'])
    const sound = await run(['doctor', '--json'])
    const shown = await run(['config', 'show', '--json'])

    const problems = (data: { findings: { level: string; detail: string }[] }) =>
      data.findings.filter(({ level }) => level === 'problem').map(({ detail }) => detail)
    assert.match(problems(broken.data).join(), /satchel storage migrate/)
    assert.deepEqual(problems(sound.data), [])
    const said = sound.data.findings.find(({ subject }: { subject: string }) => subject === 'database')
    assert.match(
      said.detail,
      new RegExp(
        `^${name} at 127\\.0\\.0\\.1:${server.port}, PostgreSQL \\d+\\.\\d+, UTF8, versions of tables: .*satchel \\d`,
      ),
    )
    assert.match(JSON.stringify(shown.data), /storage\.url.*\[redacted\]@127/)
  },
  'with a password among its parameters is shown without it, too': async (t, server) => {
    const { run } = await openProject(t, '')

    const SATCHEL_STORAGE_URL = `postgres://127.0.0.1:${server.port}/satchel?user=app&password=not-told`
    const shown = await run(['config', 'show'], { SATCHEL_STORAGE_URL })

    assert.match(shown.out, /password=\[redacted\]/)
  },
  'can be named by --storage, and without one the verbs of storage say what to set': async (t, server) => {
    const { url } = newDatabase(server)
    const { run } = await openProject(t, url)

    const named = await run(['storage', 'migrate', '--storage', url], { SATCHEL_STORAGE_URL: '' })
    const none = await run(['storage', 'migrate'], { SATCHEL_STORAGE_URL: '' })

    assert.equal(named.code, 0)
    assert.equal(none.code, 3)
    assert.match(none.err, /SATCHEL_STORAGE_URL/)
  },
}

async function recordFile(folder: string): Promise<string> {
  const file = join(folder, 'record.json')
  writeFileSync(file, RECORD)
  return file
}

function bytesIn(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString('hex')]),
  )
}
