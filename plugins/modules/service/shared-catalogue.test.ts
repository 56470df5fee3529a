import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { definePlugin } from '../../../server/plugin.ts'
import { openHost } from '../../../test/harness/index.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { importCatalogue } from '../shared/copy-catalogue.ts'
import { loadFollowed } from '../shared/followed-state.ts'
import { openWorld } from '../testing/ingest-world.ts'
import { entriesOf, openTeam, smallRemotes, TEAM } from '../testing/team.ts'
import { catalogueStore, type SharedCatalogue, sharedCatalogue } from './shared-catalogue.ts'

/** A catalogue of files with two repositories, and two machines of a team that has none of it. */
async function openMachines(t: TestContext, server: PostgresServer) {
  const world = await openWorld(t)
  const team = await openTeam(t, server)
  assert.ok(team)
  await world.run(entriesOf(await smallRemotes(world.dir, ['one', 'two'])))
  const [writer, reader] = [await team.machine(), await team.machine()]
  const copy = { rows: writer.rows(), catalogue: 'team', outputDir: world.outputDir }
  const publish = () => importCatalogue(copy, new AbortController().signal)
  const followed = async (): Promise<number> => (await loadFollowed(reader.outputDir))?.change ?? 0
  return { writer, reader, url: team.url, publish, followed }
}

const CHECKS: Readonly<Record<string, (t: TestContext, server: PostgresServer) => Promise<void>>> = {
  'is followed without a call by a server that hears of the end of an ingest': async (t, server) => {
    const { writer, reader, publish, followed } = await openMachines(t, server)
    reader.database.listen()
    await reader.call('list_repositories')
    while (reader.database.counts()?.listening !== 1) await wait(5)
    const before = await followed()

    await publish()
    const { change } = await writer.rows().head()
    while ((await followed()) < change) await wait(5)

    assert.ok(before < change)
  },
  'is opened by no hint on a machine that nothing asked': async (t, server) => {
    const { reader, publish, followed } = await openMachines(t, server)
    reader.database.listen()
    await reader.database.ready()
    while (reader.database.counts()?.listening !== 1) await wait(5)

    await publish()
    while (reader.database.counts()?.hints === 0) await wait(5)

    assert.equal(await followed(), 0)
  },
  'is told as behind until a search has what is followed': async (t, server) => {
    const { writer, reader, url, publish, followed } = await openMachines(t, server)
    await publish()
    const { change } = await writer.rows().head()
    const settings = { catalogue: TEAM, output_dir: reader.filesDir }
    let shared: SharedCatalogue | undefined
    const watched = definePlugin({
      name: 'modules', // has the tables
      version: '1.0.0',
      apiVersion: 1,
      config: z.object({}),
      async setup(host) {
        shared = sharedCatalogue(host, settings, look)
        return { database: catalogueStore(shared) }
      },
    })
    const { projectRoot } = reader.host
    await openHost(t, { plugins: [watched], projectRoot, databaseUrl: url })
    const seen: (readonly [followed: number, behind: number | undefined])[] = []
    async function look(): Promise<void> {
      seen.push([await followed(), (await shared?.lag())?.changes])
    }

    // Before it follows, when the folder has followed and a search is made ready, and after.
    await look()
    await shared?.follow()
    await look()

    assert.deepEqual(seen, [
      [0, change],
      [change, change],
      [change, 0],
    ])
  },
}

test('a catalogue that several machines share', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})
