import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost, type TestHost } from '../../../test/harness/index.ts'
import { listening } from '../../../test/harness/listening.ts'
import { plugin } from '../index.ts'
import { refusals } from '../reasons.ts'
import { createFirstReading } from '../service/partial-store.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'
import { openStage } from '../testing/network-project.ts'
import { openStage as openSearchStage } from '../testing/search-project.ts'

interface Partial {
  readonly state: string
  readonly repositories: number
  readonly read: number
  readonly missing: { repository: string; why: string }[]
}

const partialOf = (answer: Record<string, unknown>): Partial => answer['partial'] as Partial

/** A git remote that says nothing until `release`, and then that it has no such repository. */
async function openSilentRemote(t: TestContext): Promise<{ readonly url: string; release(): void }> {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer(async (_request, response) => {
    await released
    response.writeHead(404).end()
  })
  t.after(() => release())
  const { url } = await listening(t, server)
  return { url: `${url}/terraform-aws-slow.git`, release }
}

/** Two repositories, of which one answers nothing until it is told to. */
async function openHalf(t: TestContext) {
  const { root, network } = await openStage(t)
  const slow = await openSilentRemote(t)
  const settings = { repositories: [{ url: slow.url }, { url: network, recursive: true }] }
  const open = (): Promise<TestHost> =>
    openHost(t, {
      plugins: [{ plugin, settings }],
      projectRoot: root,
      env: { PATH: process.env['PATH'] },
    })
  return { root, network, slow, open }
}

test('the first call over MCP waits for the repository that it names, and says what is still missing', async (t) => {
  const { slow, network, open } = await openHalf(t)
  const opened = await open()

  const first = await opened.call('get_module', { repository: 'terraform-aws-network' })
  const checked = await opened.call('module_check', {
    hcl: `module "x" {\n  source = "git::${network}?ref=v2.0.0"\n  cidr   = "10.0.0.0/8"\n  name   = "n"\n}\n`,
  })
  const listed = await opened.call('list_repositories', {})

  assert.equal(first['ref'], 'v2.0.0')
  assert.equal(checked['findings'], 0)
  for (const answer of [first, checked, listed]) {
    const { state, repositories, read, missing } = partialOf(answer)
    assert.deepEqual([state, repositories, read], ['running', 2, 1])
    assert.deepEqual(missing, [{ repository: slow.url, why: 'waiting' }])
  }

  slow.release()
  let last = listed
  while (partialOf(last).state === 'running') {
    await sleep(25)
    last = await opened.call('list_repositories', {})
  }
  assert.equal(partialOf(last).state, 'failed')
  assert.deepEqual(partialOf(last).missing, [{ repository: slow.url, why: 'repository_not_found' }])
  await assert.rejects(opened.call('get_module', { repository: 'terraform-aws-slow' }), {
    reason: 'module_not_found',
    message: /incomplete: 1 of 2 repositories are there, 1 failure/,
  })
})

test('an ingest that was stopped is called interrupted, and one that reads everything ends it', async (t) => {
  const { network, open, slow } = await openHalf(t)
  const stopped = await open()
  await stopped.call('get_module', { repository: 'terraform-aws-network' })
  await stopped.host.stop()
  const next = await open()

  const before = await next.call('search_modules', { query: 'network' }, { door: 'http' })
  await next.call('ingest_modules', { repositories: [{ url: network }] }, { door: 'cli' })
  const other = await next.call('search_modules', { query: 'network' }, { door: 'http' })
  slow.release()
  await next.call('ingest_modules', {}, { door: 'cli' })
  const after = await next.call('search_modules', { query: 'network' }, { door: 'http' })

  assert.match(partialOf(before).state, /^(interrupted|failed)$/)
  assert.deepEqual([partialOf(before).repositories, partialOf(before).read], [2, 1])
  assert.equal(partialOf(before).missing[0]?.repository, slow.url)
  assert.equal(
    partialOf(other).missing[0]?.repository,
    slow.url,
    'a run of one repository knows nothing of the other',
  )
  assert.equal(partialOf(after).missing[0]?.why, 'repository_not_found')
})

test('a run whose process was killed is interrupted, and a whole store says nothing', async (t) => {
  const { opened, root } = await openStage(t)
  await opened.call('ingest_modules', {})
  const whole = await opened.call('list_repositories', {})
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const killed = {
    format: 1,
    began_at: '2026-01-01T00:00:00.000Z',
    ended_at: null,
    ...{ pid, start: 'long ago', host: hostname() },
    repositories: 3,
    waiting: [{ repository: 'https://git.example.com/x', name: 'x', known: false }],
    failures: 0,
    failed: [],
  }
  await writeFile(join(root, 'output/.satchel/run.json'), JSON.stringify(killed))
  const after = await opened.call('list_repositories', {})
  await writeFile(join(root, 'output/.satchel/run.json'), '{')
  const damaged = await opened.call('list_repositories', {})

  assert.equal(whole['partial'], undefined)
  assert.deepEqual([partialOf(after).state, partialOf(after).read], ['interrupted', 2])
  assert.equal(damaged['partial'], undefined)
})

test('a call waits for one run as long as it may, and the next call not again', async (t) => {
  const { dir } = await openWorld(t)
  const state = {
    ...{ format: 1, began_at: 'a', ended_at: null, pid: process.pid, host: hostname() },
    waiting: [{ repository: 'https://git.example.com/x', name: 'x', known: false }],
    ...{ repositories: 1, failures: 0, failed: [] },
  }
  await mkdir(join(dir, '.satchel'))
  await writeFile(join(dir, '.satchel/run.json'), JSON.stringify(state))
  const reading = createFirstReading(() => false, 300)
  const signal = new AbortController().signal
  const meansX = (_url: string, name: string): boolean => name === 'x'
  const ended = AbortSignal.abort() // a wait fails immediately; what does not wait resolves

  await reading.wait(dir, [(_url, name) => name === 'y'], ended)
  await assert.rejects(reading.wait(dir, [meansX], ended))
  await reading.wait(dir, [meansX], signal)
  await reading.wait(dir, [meansX], ended)
})

test('hybrid search answers by words without vectors, and gives modules without one their place', async (t) => {
  const stage = await openSearchStage(t)
  const off = await stage.open({ embedding: { enabled: false } })
  const on = await stage.open()
  const [aws] = stage.settings['repositories'] as { url: string }[]
  await off.call('ingest_modules')

  const none = await stage.search(on, { query: 'redis', explain: true })
  await on.call('ingest_modules', { repositories: [aws] })
  await off.call('ingest_modules', {
    repositories: [
      {
        url: await buildRemote(join(stage.root, 'terraform-aws-late.git'), [
          {
            files: { 'main.tf': MAIN, 'README.md': '# Zebra\n\nA zebra stable for late runs.\n' },
            tags: ['v1'],
          },
        ]),
      },
    ],
  })
  const some = await stage.search(on, { query: 'zebra stable', explain: true })

  assert.match(none.results[0]?.metadata['repository'] ?? '', /redis/)
  assert.equal(none['vectors'], 'none')
  assert.match(String(none['next']), /no vectors/)
  assert.match(some.results[0]?.metadata['repository'] ?? '', /late/)
  assert.equal(some['vectors'], 'partial')
  for (const { distance, explain } of [...none.results, ...some.results]) {
    assert.ok(Number.isFinite(distance))
    const sum = explain?.decided.reduce((total, { effect }) => total + effect, 0)
    assert.ok(Math.abs((sum ?? 0) - (explain?.fused ?? -1)) < 1e-5, `${sum} of ${explain?.fused}`)
  }
  await assert.rejects(stage.search(off, { query: 'zebra', mode: 'vector' }), {
    reason: 'embeddings_disabled',
  })
})

test('a vector store that is full keeps the summaries and the report of the run', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN }, tags: ['v1.0'] }])
  const vectors = {
    async update(): Promise<never> {
      throw refusals.store_full({ records: 1 })
    },
  }

  const report = await world.run([{ url }], { vectors })
  const again = await world.run([{ url }])

  assert.equal(report.written, 1)
  assert.deepEqual(
    report.failures.map(({ repository, reason }) => [repository, reason]),
    [[url, 'store_full']],
  )
  assert.deepEqual(await world.files(), ['a_v1.0.json'])
  assert.deepEqual([again.refs.unchanged, again.failures], [1, []])
})
