import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgres } from '../../../test/postgres-server.ts'
import { createHandoffs } from '../project.ts'
import { openTestProject, testHost } from '../testing/fixture.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'

const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 3)
const WRITERS = 6
/** A killed server says nothing of these: each says that nothing was changed, or that it is not known. */
const UNDONE = new Set(['storage_lost', 'storage_unreachable', 'storage_busy', 'locked'])

/** Creates records and adds a mark to each until it is stopped, and keeps what it was told. */
interface Told {
  readonly done: Map<string, number>
  readonly open: Set<string>
}

test(`a database that is killed ${KILLS} times loses no record that was answered, and keeps none that was refused`, async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const options = { repository: true, database: server.url }
  const project = await openTestProject(t, options)
  await project.host.database?.migrate()
  const host = { ...testHost(project.root, project.now), database: project.host.database }
  assert.ok(host.database)
  const { store } = createHandoffs({ ...host, database: host.database }, project.config).projectAt(
    project.root,
  )
  await store.preparing(async () => {})
  const told: Told = { done: new Map(), open: new Set() }
  let isOver = false
  let next = 0
  const attempt = async (id: string, marks: number, write: () => Promise<unknown>): Promise<boolean> => {
    try {
      await write()
      told.done.set(id, marks)
      return true
    } catch (thrown) {
      const { reason } = thrown as { reason?: string } // of a refusal
      if (reason === 'storage_unknown') told.open.add(id)
      else assert.ok(reason !== undefined && UNDONE.has(reason), String(thrown))
      await wait(5)
      return false
    }
  }
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const n = next++
      const id = sampleId(n)
      const text = `${JSON.stringify(sampleRecord(n, 1500), null, 2)}\n`
      if (!(await attempt(id, 0, () => store.create(id, text)))) continue
      for (let marks = 1; marks <= 3 && !isOver; marks++) {
        const isDone = await attempt(id, marks, () =>
          store.update(id, undefined, (current) =>
            current.kind === 'record' ? `${current.document.text}\n` : undefined,
          ),
        )
        if (!isDone) break
      }
    }
  }
  t.after(() => {
    isOver = true // writers that go on would keep the process
  })
  const writing = Promise.all(Array.from({ length: WRITERS }, writer))
  for (let kill = 0; kill < KILLS; kill++) {
    const before = told.done.size
    while (!isOver && told.done.size < before + 10) await Promise.race([wait(5), writing])
    if (isOver) return
    await server.kill()
    await server.start()
  }
  isOver = true
  await writing

  const there = new Set(await store.ids())
  for (const [id, marks] of told.done) {
    if (told.open.has(id)) continue
    const text = (await store.bytes(id))?.toString('utf8')
    assert.equal(text?.match(/\n*$/)?.[0].length, marks + 1, `${id} has other marks than ${marks}`)
  }
  for (const id of there) assert.ok(told.done.has(id) || told.open.has(id), `${id} was refused and is there`)
  assert.ok(told.done.size >= KILLS * 10)
  // Another process starts from nothing and finds the same.
  const other = await openTestProject(t, { root: project.root, database: server.url })
  assert.equal((await other.call('handoff_list', { limit: 1 })).total, there.size)
})

test('a restored database of another life is read from its start', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const project = await openTestProject(t, { repository: true, database: server.url })
  await project.host.database?.migrate()
  const { id } = await project.call('handoff_create', { title: 'One', objective: 'x', current_state: 'y' })
  await project.call('handoff_list')
  const dump = server.dump('satchel')
  await project.host.stop()

  server.sql('create database again owner app', 'postgres')
  server.restore('again', dump)
  const url = server.urlOf('again')
  server.sql('delete from satchel.handoff_records', 'again')
  const restored = await openTestProject(t, { root: project.root, database: url })
  const listed = await restored.call('handoff_list')
  server.sql('drop schema satchel cascade', 'again')
  server.restore('again', dump)
  const again = await openTestProject(t, { root: project.root, database: url })

  assert.equal(listed.items.length, 0)
  assert.deepEqual(
    (await again.call('handoff_list')).items.map((item: { id: string }) => item.id),
    [id],
  )
})
