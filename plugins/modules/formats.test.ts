import assert from 'node:assert/strict'
import { cp, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { filesBelow } from '../../test/harness/files-below.ts'
import { openHost, temporaryFolder } from '../../test/harness/index.ts'
import { ensureStore } from './git/store.ts'
import { plugin } from './index.ts'
import { openParseCache } from './output/parse-cache.ts'
import { createIngestTasks } from './service/ingest-tasks.ts'
import { buildRemote } from './testing/build-remote.ts'

const FIXTURE = join(import.meta.dirname, 'testing/testdata/formats/0.1.0')
const CLONE = 'vpc-3ec8f782a742.git'
const LOCKS = ['output/.satchel/ingest.lock', `repos/${CLONE}.lock`, 'vectordb/infra_modules.lock']

/** What release 0.1.0 wrote, and a host over it; it was killed while it held every lock and worked on a task. */
async function outputOf010(t: TestContext, settings: Record<string, unknown> = {}) {
  const root = await temporaryFolder(t)
  await cp(FIXTURE, root, { recursive: true })
  await rename(join(root, 'output/satchel'), join(root, 'output/.satchel'))
  for (const lock of LOCKS) await edit(join(root, lock), (text) => text.replace('former-host', hostname()))
  const open = () =>
    openHost(t, {
      plugins: [{ plugin, settings: { embedding: { enabled: true }, ...settings } }],
      projectRoot: root,
      env: { PATH: process.env['PATH'] },
    })
  return { root, open, state: join(root, 'output/.satchel') }
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, 'utf8')))
}

test('an output directory of release 0.1.0 is read: summaries, index, keywords; its vectors name the rebuild', async (t) => {
  const { root, open } = await outputOf010(t)
  const before = filesBelow(root)
  const host = await open()

  const found = await host.call('search_modules', { query: 'virtual network' })
  const near = await host.call('search_modules_vector', { query: 'virtual network', mode: 'keyword' })
  // Its lexicon was another, which would rank wrongly.
  await assert.rejects(host.call('search_modules_vector', { query: 'virtual network' }), {
    reason: 'embedding_mismatch',
    message: /satchel modules rebuild/,
  })
  const { repositories } = await host.call('list_repositories', {})

  const [first] = found['results'] as { id: string; repository: string }[]
  const [nearest] = near['results'] as { id: string }[]
  const module = await host.call('get_module', { id: first?.id })
  assert.equal((repositories as unknown[]).length, 1)
  assert.equal(first?.repository, '/tmp/satchel-formats/vpc')
  assert.ok(nearest?.id)
  assert.match(JSON.stringify(module), /Range of addresses/)
  assert.deepEqual(filesBelow(root), before)
})

test('tasks, the parse cache and the clone of release 0.1.0 are understood', async (t) => {
  const { root, open, state } = await outputOf010(t)
  const host = await open()
  const now = () => new Date('2026-11-22T18:00:00Z')
  const parts = { now, signal: new AbortController().signal, taskChanged() {}, log: host.host.log }
  const tasks = createIngestTasks(parts as unknown as Parameters<typeof createIngestTasks>[0], state)
  const local = { id: 'local', kind: 'local', capabilities: [] } as const

  const done = await tasks.get(local, 'task_91e934f42906e4934579a302f253831d')
  const killed = await tasks.get(local, 'task_d4343d4737a07f7e05e729ff6d2b3ee4')
  const [row] = (await readFile(join(state, 'parse', 'vpc-3ec8f782a742.ndjson'), 'utf8')).trim().split('\n')
  const { key, parser } = JSON.parse(row ?? '')
  const [oid, flavour] = key.split(':')
  const cache = await openParseCache(join(state, 'parse', 'vpc-3ec8f782a742.ndjson'), parser)
  await ensureStore(join(root, 'repos', CLONE), 'sha1')

  assert.deepEqual(done?.outcome, { data: { modules: 4 }, text: 'done' })
  assert.deepEqual([killed?.status, killed?.statusMessage], ['failed', 'interrupted'])
  assert.ok(cache.find(oid, flavour))
  assert.ok((await readdir(join(root, 'repos', CLONE, 'objects/pack'))).length === 2)
})

test('a rebuild and an ingest go on from release 0.1.0, past the locks of its dead process', async (t) => {
  const remotes = await temporaryFolder(t)
  const url = await buildRemote(join(remotes, 'more.git'), [
    { files: { 'main.tf': 'variable "more" {}\n' }, tags: ['v1.0.0'] },
  ])
  const { open } = await outputOf010(t, { repositories: [{ url }] })
  const host = await open()

  const rebuilt = await host.call('rebuild_modules', {})
  const report = await host.call('ingest_modules', {})
  const near = await host.call('search_modules_vector', { query: 'virtual network', mode: 'vector' })

  assert.equal(rebuilt['modules'], 4)
  assert.deepEqual(report['failures'], [])
  assert.ok(near['count'])
})

for (const who of ['a running process', 'another host'] as const) {
  test(`an output directory that ${who} of release 0.1.0 holds is refused and left as it is`, async (t) => {
    const { root, open, state } = await outputOf010(t, {
      repositories: [{ url: '/tmp/satchel-formats/none' }],
      embedding: { enabled: false },
    })
    const holder = {
      pid: process.ppid,
      host: who === 'another host' ? 'former-host' : hostname(),
      nonce: 'x',
    }
    await writeFile(join(state, 'ingest.lock'), JSON.stringify(holder))
    const before = filesBelow(root)
    const host = await open()

    for (const tool of ['ingest_modules', 'rebuild_modules']) {
      await assert.rejects(host.call(tool, {}), { code: 'conflict', reason: 'ingest_running' })
    }
    // What a refused attempt leaves is at most the number of its own lock.
    const after = [...filesBelow(root)].filter(([name]) => !/\.lock\.\d+/.test(name))
    assert.deepEqual(after, [...before])

    if (who === 'another host') {
      const longAgo = new Date(Date.now() - 11 * 60_000)
      await utimes(join(state, 'ingest.lock'), longAgo, longAgo)
      assert.equal((await host.call('rebuild_modules', {}))['modules'], 4)
    }
  })
}

test('an index and a vector store of a newer version or of garbage are refused and left as they are', async (t) => {
  const cases = [
    ['output/.satchel/index.json', 'search_modules', 'index_damaged', '"format":1', '"format":2'],
    ['output/.satchel/index.json', 'search_modules', 'index_damaged', '{', '\0'],
    [
      'vectordb/infra_modules/index.json',
      'search_modules_vector',
      'store_damaged',
      '"format":1',
      '"format":3',
    ],
    ['vectordb/infra_modules/index.json', 'search_modules_vector', 'store_damaged', '{', '\0'],
  ] as const
  for (const [file, tool, reason, from, to] of cases) {
    const { root, open } = await outputOf010(t)
    await edit(join(root, file), (text) => text.replace(from, to))
    const before = filesBelow(root)
    const host = await open()

    await assert.rejects(
      host.call(tool, { query: 'virtual network' }),
      { code: 'conflict', reason },
      `${file} ${to}`,
    )

    assert.deepEqual(filesBelow(root), before)
  }
})

for (const [what, file, reason] of [
  ['a module index', 'output/.satchel/index.json', 'index_damaged'],
  ['a vector store', 'vectordb/infra_modules/index.json', 'store_damaged'],
] as const) {
  test(`a rebuild replaces ${what} of garbage, and refuses and keeps one of a newer version`, async (t) => {
    const { root, open } = await outputOf010(t)
    const path = join(root, file)
    const whole = await readFile(path, 'utf8')
    const host = await open()

    await writeFile(path, whole.replace('"format":1', '"format":3'))
    const newer = await readFile(path)
    await assert.rejects(host.call('rebuild_modules', {}), { code: 'conflict', reason, message: /newer/ })
    assert.deepEqual(await readFile(path), newer)

    await writeFile(path, whole.slice(0, -40))
    assert.equal((await host.call('rebuild_modules', {}))['modules'], 4)
    const found = await host.call('search_modules_vector', { query: 'virtual network' })
    assert.ok((found['results'] as unknown[]).length > 0)
  })
}
