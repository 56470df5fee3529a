import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import * as z from 'zod'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { plugin as modules } from '../plugins/modules/index.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { definePlugin } from '../server/plugin.ts'
import { openHost, type TestHost, temporaryFolder } from './harness/index.ts'

const env = { PATH: process.env['PATH'] }
const INPUT = (name: string) => `variable "${name}" {\n  type = string\n}\n`

type Item = Record<string, unknown>
interface Fresh {
  readonly gate: string
  readonly claims: readonly { readonly verdict: string; readonly reason: string }[]
}
type Plugins = Parameters<typeof openHost>[1]['plugins']

/** A project beside two module repositories, and servers over the same summaries with a configuration of their own. */
async function openProject(t: TestContext) {
  const folder = await temporaryFolder(t)
  const root = join(folder, 'project')
  await mkdir(root)
  const remote = (name: string) => join(folder, `terraform-aws-${name}.git`)
  const urls = {
    cluster: await buildRemote(remote('cluster'), [
      { files: { 'main.tf': INPUT('name') }, tags: ['v6.6.0'] },
    ]),
    store: await buildRemote(remote('store'), [{ files: { 'main.tf': INPUT('size') }, tags: ['v1.0.0'] }]),
  }
  const folders = { output_dir: join(folder, 'out'), clone_dir: join(folder, 'clones') }
  const server = async (
    repositories: readonly (keyof typeof urls)[] = ['cluster', 'store'],
    more: Plugins = [],
  ) => {
    const settings = { repositories: repositories.map((name) => ({ url: urls[name] })), ...folders }
    return openHost(t, { plugins: [handoff, { plugin: modules, settings }, ...more], projectRoot: root, env })
  }
  const opened = await server()
  await opened.call('ingest_modules')
  return { folder, root, urls, remote, server, opened }
}

async function record({ call }: TestHost, evidence: readonly object[]): Promise<string> {
  const fields = { title: 'Move the cluster', objective: 'Run', current_state: 'Written.', parent: 'none' }
  return String((await call('handoff_create', { ...fields, evidence }))['id'])
}

const fresh = async ({ call }: TestHost, id: string) =>
  (await call('handoff_freshness', { id })) as unknown as Fresh

/** Asserts that nothing can be told of the one claim, and that the gate does not follow a guess. */
async function assertUnverifiable(opened: TestHost, id: string, reason: RegExp): Promise<void> {
  const { claims, gate } = await fresh(opened, id)
  assert.deepEqual([claims[0]?.verdict, gate], ['unverifiable', 'go'], claims[0]?.reason)
  assert.match(claims[0]?.reason ?? '', reason)
}

test('a claim about a module that was removed cannot be told, whether from the remote or from the summaries', async (t) => {
  const { folder, root, urls, remote, opened, server } = await openProject(t)
  const { id: named } = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [{ type: 'observation', module: named }])
  await writeFile(
    join(root, 'main.tf'),
    `module "c" {\n  source = "git::${urls.cluster}?ref=v6.6.0"\n  name = "a"\n}\n`,
  )
  const checked = await record(opened, [{ type: 'observation', module_check: 'main.tf' }])
  assert.deepEqual(
    [(await fresh(opened, id)).claims[0]?.verdict, (await fresh(opened, checked)).claims[0]?.verdict],
    ['holds', 'holds'],
  )

  await rm(remote('cluster'), { recursive: true })
  await opened.call('ingest_modules')
  await assertUnverifiable(
    opened,
    id,
    /the last ingest could not read .*terraform-aws-cluster.*newer versions may exist/,
  )
  await rm(join(folder, 'out'), { recursive: true })
  await assertUnverifiable(opened, id, /^Nothing has been ingested yet/i)
  await assertUnverifiable(opened, checked, /^Nothing has been ingested yet/i)
  const others = await server(['store'])
  await others.call('ingest_modules')
  await assertUnverifiable(others, id, /terraform-aws-cluster.* is not ingested here$/)
  await assertUnverifiable(others, checked, /^main\.tf: line 2: No indexed module has the source/)
})

test('a damaged index is the reason, and breaks no record', async (t) => {
  const { folder, opened } = await openProject(t)
  const { id: named } = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [{ type: 'observation', module: named }])

  await writeFile(join(folder, 'out/.satchel/index.json'), '{"format":1,"records":')

  await assertUnverifiable(opened, id, /index/)
  assert.match(String((await opened.call('handoff_resume', { id }))['brief']), /Move the cluster/)
})

test('what was read of a repository that is no longer configured is not proof, but a break that is known stays one', async (t) => {
  const { remote, opened, server } = await openProject(t)
  const { id: named } = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [{ type: 'observation', module: named }])

  await assertUnverifiable(await server(['store']), id, /terraform-aws-cluster.* is not configured here/)
  await buildRemote(remote('cluster'), [
    { continues: true, files: { 'main.tf': INPUT('label') }, tags: ['v7.0.0'] },
  ])
  await opened.call('ingest_modules')
  const { claims, gate } = await fresh(await server(['store']), id)

  assert.deepEqual([claims[0]?.verdict, gate], ['stale', 'care'])
})

test('a record of another machine is read, and what it names there is unverifiable', async (t) => {
  const there = await openProject(t)
  const { id: named } = await there.opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(there.opened, [{ type: 'observation', module: named }])
  const { content } = (await there.opened.call('handoff_export', { id, format: 'json' })) as {
    content: string
  }
  const written = JSON.parse(content) as { evidence: [Item & { module: Item }]; project: Item }
  const [module] = written.evidence
  const sha = `sha256:${'0'.repeat(64)}`
  const { kind: _, module: facts, ...plain } = module
  const evidence: Item[] = [
    module,
    { ...module, module: { ...facts, digest: 'blake3:00' } },
    { ...plain, kind: 'module_check', module_check: { files: [{ path: '/home/ada/main.tf' }] } },
    { ...plain, kind: 'module_check', module_check: { files: [{ path: 'C:\\infra\\main.tf' }] } },
    { ...plain, kind: 'image', image: { name: 'app:1', digest: sha } },
    { ...plain, kind: 'fresh', fresh: { record: '0190a000-0000-7000-8000-00000000000f' } },
    { ...plain, type: 'file', ref: 'D:\\infra\\main.tf', digest: sha },
    { ...plain, type: 'file', ref: '/home/ada/main.tf', digest: sha },
    { ...plain, type: 'file', ref: 'plan.md', digest: 'md5:00' },
  ].map((item, at) => ({ ...item, id: `E-${String(at + 1).padStart(3, '0')}` }))
  const here = await openProject(t)
  await writeFile(join(here.root, 'plan.md'), 'x\n')
  const project = { ...written.project, root: 'C:\\Users\\ada\\infra' }

  const imported = await here.opened.call('handoff_import', {
    content: JSON.stringify({ ...written, project, evidence }),
  })
  const { claims, gate } = await fresh(here.opened, id)

  assert.equal((imported['results'] as Item[])[0]?.['outcome'], 'imported', JSON.stringify(imported))
  const expected = [
    /terraform-aws-cluster\.git@?.* is not ingested here$/,
    /"blake3" cannot be compared/,
    /"\/home\/ada\/main\.tf" is outside the project/,
    /is a path of another machine/,
    /no plugin here provides evidence of the kind "image"/,
    /no record "0190a000/,
    /an absolute path of another machine/,
    /an absolute path outside the project/,
    /the digest cannot be compared/,
  ]
  assert.equal(claims.length, expected.length)
  for (const [at, reason] of expected.entries()) {
    assert.equal(claims[at]?.verdict, 'unverifiable', claims[at]?.reason)
    assert.match(claims[at]?.reason ?? '', reason)
  }
  assert.equal(gate, 'go')
})

test('records whose claims rest on one another end unverifiable, also where each names many', async (t) => {
  const { opened } = await openProject(t)
  const ids: string[] = []
  for (let at = 0; at < 4; at += 1) ids.push(await record(opened, []))
  for (const id of ids) {
    const { etag } = (await opened.call('handoff_get', { id })) as { etag: string }
    const evidence = Array.from({ length: 12 }, (_, at) => ({
      type: 'observation',
      claim: `claim ${at}`,
      kind: 'fresh',
      fresh: { record: ids[at % 4], at },
    }))
    await opened.call('handoff_update', { id, if_match: etag, append: { evidence } })
  }

  const { claims, gate } = await fresh(opened, ids[0] ?? '')

  assert.equal(gate, 'go')
  assert.deepEqual([...new Set(claims.map(({ verdict }) => verdict))], ['unverifiable'])
  assert.match(claims[0]?.reason ?? '', /it rests on itself|too many others|took longer/)
})

test('a check that runs out of time is unverifiable, and every other claim is judged', async (t) => {
  const slow = definePlugin({
    name: 'slow',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({
      evidence: [
        {
          name: 'oracle',
          takes: 'anything',
          capture: async (named) => ({ facts: { named }, verdict: 'holds', reason: 'seen' }),
          verify: () => new Promise<never>(() => {}),
          describe: () => 'An oracle said so',
        },
      ],
    }),
  })
  const { server } = await openProject(t)
  const opened = await server(['cluster'], [slow])
  const { id: named } = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [
    ...Array.from({ length: 10 }, (_, at) => ({ type: 'observation', oracle: at })),
    { type: 'observation', module: named },
  ])

  const { claims, gate } = await fresh(opened, id)

  assert.equal(gate, 'go')
  const [last, ...others] = claims.map(({ verdict, reason }) => `${verdict}: ${reason}`).reverse()
  assert.deepEqual(
    [...new Set(others)],
    ['unverifiable: The check of "oracle" took longer than 3 s.'],
    'they are checked at the same time',
  )
  assert.equal(last, 'holds: v6.6.0 has the same commit and interface')
})
