import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { PostgresServer } from '../../../test/postgres-server.ts'
import { startPostgres } from '../../../test/postgres-server.ts'
import { openWorld } from '../testing/ingest-world.ts'
import { bytesOf, entriesOf, type Machine, openTeam, smallRemotes } from '../testing/team.ts'
import { IF_NEW } from './catalogue-rows.ts'
import { importCatalogue } from './copy-catalogue.ts'
import { follow } from './follow.ts'
import { loadFollowed, saveFollowed } from './followed-state.ts'

/** A catalogue of files, and a machine of a team. */
async function openBoth(t: TestContext, server: PostgresServer) {
  const world = await openWorld(t)
  const team = await openTeam(t, server)
  assert.ok(team)
  const entries = entriesOf(await smallRemotes(world.dir, ['one', 'two', 'three']))
  const machine = await team.machine()
  const copy = { rows: machine.rows(), catalogue: 'team', outputDir: world.outputDir }
  const importAll = () => importCatalogue(copy, new AbortController().signal)
  const follower = (outputDir: string) => ({ rows: machine.rows(), catalogue: 'team', outputDir })
  return { world, team, machine, entries, importAll, follower }
}

const CHECKS: Readonly<Record<string, (t: TestContext, server: PostgresServer) => Promise<void>>> = {
  'takes the files of a catalogue and gives them back, byte by byte': async (t, server) => {
    const { world, machine, entries, importAll } = await openBoth(t, server)
    await world.run(entries)
    const files = await bytesOf(world.outputDir)

    const imported = await importAll()
    const again = await importAll()
    const exported = await machine.host.host.registry.instances
      .find(({ instance }) => instance.database)
      ?.instance.database?.exportFiles?.(new AbortController().signal)

    assert.deepEqual(imported, { copied: 18, present: 0 })
    assert.deepEqual(again, { copied: 0, present: 18 })
    assert.equal(exported?.copied, 18)
    assert.deepEqual(await bytesOf(machine.filesDir), files)
    // A summary that was changed by hand, whose record says nothing of it.
    const name = Object.keys(files).find((one) => one.endsWith('.json') && !one.startsWith('.satchel/')) ?? ''
    const whole = await readFile(join(world.outputDir, name))
    await writeFile(join(world.outputDir, name), `${whole}\n`)
    await assert.rejects(importAll(), { code: 'conflict', reason: 'catalogue_differs' })
    await writeFile(join(world.outputDir, name), whole)
    assert.deepEqual(await importAll(), { copied: 0, present: 18 })
    // A summary that another reading changed is told, and nothing is copied.
    const index = await world.index()
    const [first] = index.records
    assert.ok(first)
    server.sql(
      `update satchel.module_records set hashes = '{x}', record = replace(record, '"summary_sha256":"', '"summary_sha256":"x') where id = '${first.id}'`,
      machine.database.place.split(' ')[0],
    )
    await assert.rejects(importAll(), { code: 'conflict', reason: 'catalogue_differs' })
  },
  'gives the same summaries, index and code to every folder that follows it': async (t, server) => {
    const { world, machine, entries, importAll, follower } = await openBoth(t, server)
    await world.run(entries.slice(0, 1))
    await importAll()
    const own = follower(machine.outputDir)

    const first = await follow(own)
    const level = await follow(own)
    await world.run(entries)
    await importAll()
    const second = await follow(own)
    const fresh = await follow(follower(join(world.dir, 'fresh')))

    assert.equal(first.changed.length, 6)
    assert.deepEqual([level.index, level.changed.length], [undefined, 0])
    assert.equal(second.changed.length, 12)
    assert.equal(fresh.changed.length, 18)
    assert.deepEqual(await bytesOf(machine.outputDir), await bytesOf(join(world.dir, 'fresh')))
    const { '.satchel/index.json': _, ...summaries } = await bytesOf(world.outputDir)
    const { '.satchel/index.json': __, ...followed } = await bytesOf(machine.outputDir)
    assert.deepEqual(followed, summaries)
  },
  'is followed from its start where a folder holds what no row has': async (t, server) => {
    const { world, machine, entries, importAll, follower } = await openBoth(t, server)
    await world.run(entries.slice(0, 1))
    await importAll()
    const own = follower(machine.outputDir)
    await follow(own)
    const sound = await bytesOf(machine.outputDir)
    const [name = ''] = Object.keys(sound)
    const damages: Record<string, () => Promise<void>> = {
      'a run that was killed': async () => {
        const state = await loadFollowed(machine.outputDir)
        assert.ok(state)
        await writeFile(join(machine.outputDir, name), '{}')
        const path = join(machine.outputDir, '.satchel/index.json')
        const index = JSON.parse(await readFile(path, 'utf8'))
        index.records.push({ ...index.records[0], id: 'f'.repeat(64), summary_file: 'unpublished.json' })
        await writeFile(path, JSON.stringify(index))
        await writeFile(join(machine.outputDir, 'unpublished.json'), '{}')
        await saveFollowed(machine.outputDir, { ...state, dirty: true })
      },
      'a damaged index': async () => {
        await writeFile(join(machine.outputDir, '.satchel/index.json'), '{')
      },
      'no index': async () => {
        await rm(join(machine.outputDir, '.satchel/index.json'))
      },
      'rows of another life': async () => {
        const state = await loadFollowed(machine.outputDir)
        assert.ok(state)
        await rm(join(machine.outputDir, name))
        await saveFollowed(machine.outputDir, { ...state, life: 'other', change: 999 })
      },
    }
    for (const [what, damage] of Object.entries(damages)) {
      await damage()
      await follow(own)
      assert.deepEqual(await bytesOf(machine.outputDir), sound, what)
    }
  },
  'is published without a look at the names of all its other modules': async (t, server) => {
    const { machine } = await openBoth(t, server)
    const rows = machine.rows()
    await rows.createCatalogue()
    const name = machine.database.place.split(' ')[0]
    const others = 20_000
    server.sql(
      `insert into satchel.module_file_names
         select 'team', 'other-' || n || '.json', 'other' || n from generate_series(1, ${others}) n;
       analyze satchel.module_file_names`,
      name,
    )
    const publication = {
      repository: { repository: 'https://example.test/one', name: 'one', default_branch: null, readings: [] },
      records: [],
      removed: ['other1'],
      code: Buffer.alloc(0),
      codeFormat: 'none',
    }

    const isPublished = await rows.publish(publication, IF_NEW)
    await machine.database.close() // a connection that ends counts what it read
    const busy = `select from pg_stat_activity where application_name = 'satchel' and datname = '${name}'`
    await server.until(`not exists (${busy})`)
    const read = server.sql(
      `select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'module_file_names'`,
      name,
    )
    const left = server.sql('select count(*) from satchel.module_file_names', name)

    assert.equal(isPublished, true)
    assert.equal(Number(left), others - 1)
    // Analyzing reads all of them, and is not counted here.
    assert.ok(Number(read) < 100, `${read} names were read`)
  },
  'answers from two machines as files do': async (t, server) => {
    const { world, team, machine, entries, importAll } = await openBoth(t, server)
    await world.run(entries)
    await importAll()
    const [files, other] = [
      await team.machine({ catalogue: null, output_dir: world.outputDir }),
      await team.machine(),
    ]
    const id = String((await world.index()).records.at(-1)?.id)
    const asked: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
      ['search_modules', { query: 'two thing', limit: 20 }],
      ['get_module', { id }],
      ['list_repositories', {}],
      ['search_modules', { provider: 'aws', limit: 50 }],
    ]
    for (const [tool, input] of asked) {
      const answer = await files.call(tool, input)
      assert.deepEqual(await machine.call(tool, input), answer, tool)
      assert.deepEqual(await other.call(tool, input), answer, tool)
    }
  },
  'is hidden from a role without a right to it, which also cannot change it': async (t, server) => {
    const { team, entries, importAll, world } = await openBoth(t, server)
    await world.run(entries.slice(0, 1))
    await importAll()
    const name = new URL(team.url).pathname.slice(1)
    server.sql(
      `create role reader login password 'not-told-either';
       grant usage on schema satchel to reader;
       grant select, insert, update, delete on all tables in schema satchel to reader;
       revoke insert, update, delete on satchel.schema_versions, satchel.module_rights from reader;
       insert into satchel.module_rights values ('reader', 'other')`,
      name,
    )
    const asReader = team.url.replace(/\/\/[^@]+@/, '//reader:not-told-either@')
    const reader = await team.machine({}, asReader)

    const found = async (machine: Machine): Promise<unknown[]> => {
      const { results } = await machine.call('search_modules', { provider: 'aws' })
      return results as unknown[]
    }
    const hidden = await found(reader)
    const added = reader.rows().createCatalogue()

    assert.deepEqual(hidden, [])
    await assert.rejects(added, ({ reason }: { reason?: string }) => reason === 'storage_denied')
    server.sql("insert into satchel.module_rights values ('reader', 'team')", name)
    assert.equal((await found(await team.machine({}, asReader))).length, 2)
  },
}

test('a catalogue in a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})
