import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { validate } from '../generated/handoff-validate.js'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { plugin as modules } from '../plugins/modules/index.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { openHost, type TestHost, temporaryFolder } from './harness/index.ts'

const env = { PATH: process.env['PATH'] }
const CLUSTER =
  'variable "cluster_name" {\n  type = string\n}\noutput "id" {\n  value = var.cluster_name\n}\n'

interface Claim {
  readonly verdict: string
  readonly reason: string
}
interface Fresh {
  readonly gate: string
  readonly claims: readonly Claim[]
}

/** A project beside an ingested module repository with one version. */
async function openProject(t: TestContext) {
  const folder = await temporaryFolder(t)
  const root = join(folder, 'project')
  await mkdir(root)
  const remote = join(folder, 'terraform-aws-cluster.git')
  const url = await buildRemote(remote, [{ files: { 'main.tf': CLUSTER }, tags: ['v6.6.0'] }])
  const settings = {
    repositories: [{ url }],
    output_dir: join(folder, 'out'),
    clone_dir: join(folder, 'clones'),
  }
  const opened = await openHost(t, {
    plugins: [handoff, { plugin: modules, settings }],
    projectRoot: root,
    env,
  })
  await opened.call('ingest_modules', {})
  const release = async (files: Record<string, string>, tag: string) => {
    await buildRemote(remote, [{ continues: true, files, tags: [tag] }])
    await opened.call('ingest_modules', {})
  }
  const releaseUnread = (files: Record<string, string>, tag: string) =>
    buildRemote(remote, [{ continues: true, files, tags: [tag] }])
  return { root, url, opened, release, releaseUnread }
}

async function record({ call }: TestHost, evidence: readonly object[]): Promise<string> {
  const created = await call('handoff_create', {
    title: 'Move the cluster',
    objective: 'Run on the new module',
    current_state: 'The call is written.',
    evidence,
  })
  return String(created['id'])
}

const fresh = async ({ call }: TestHost, id: string) =>
  (await call('handoff_freshness', { id })) as unknown as Fresh

test('a claim about a module follows its releases, and the gate of a resume follows the claim', async (t) => {
  const { opened, release } = await openProject(t)
  const usage = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [{ id: 'E-001', type: 'observation', module: usage['id'] }])

  const before = await fresh(opened, id)
  await release(
    { 'main.tf': 'variable "name" {\n  type = string\n}\noutput "id" {\n  value = var.name\n}\n' },
    'v6.7.0',
  )
  const after = await fresh(opened, id)
  const resumed = (await opened.call('handoff_resume', { id, mark: false })) as {
    freshness: Fresh
    brief: string
  }
  const stored = (await opened.call('handoff_get', { id, format: 'json' })) as {
    record: { evidence: Claim[] }
  }

  assert.deepEqual([before.gate, before.claims[0]?.verdict], ['go', 'holds'])
  assert.equal(after.gate, 'care')
  assert.match(
    after.claims[0]?.reason ?? '',
    /^v6\.7\.0 is out: 2 breaking changes \(input `cluster_name` removed; required input `name` added\)$/,
  )
  assert.equal(resumed.freshness.gate, 'care')
  assert.match(resumed.brief, /v6\.7\.0 is out/)
  assert.ok(validate(stored.record), 'a record with such a claim matches the published schema')
})

test('a version that was read for a call is claimed like one of an ingest', async (t) => {
  const { opened, release, releaseUnread } = await openProject(t)
  const text = (name: string) => ({ 'main.tf': `variable "${name}" {\n  type = string\n}\n` })
  await releaseUnread(text('middle'), 'v6.7.0')
  await release(text('last'), 'v6.8.0')
  const usage = await opened.call('module_usage', { repository: 'terraform-aws-cluster', ref: 'v6.7.0' })

  const id = await record(opened, [{ id: 'E-001', type: 'observation', module: usage['id'] }])
  const { claims } = await fresh(opened, id)

  assert.equal(claims[0]?.verdict, 'stale')
  assert.match(claims[0]?.reason ?? '', /^v6\.8\.0 is out: 2 breaking changes/)
})

test('a check of files is made again, and a child inherits what was captured', async (t) => {
  const { opened, root, url } = await openProject(t)
  const call = (name: string) => `module "c" {\n  source = "git::${url}?ref=v6.6.0"\n  ${name} = "a"\n}\n`
  await writeFile(join(root, 'main.tf'), call('cluster_name'))
  const id = await record(opened, [{ type: 'observation', module_check: ['main.tf'] }])

  const before = await fresh(opened, id)
  await writeFile(join(root, 'main.tf'), call('name'))
  const after = await fresh(opened, id)
  const child = await opened.call('handoff_create', {
    title: 'Next',
    objective: 'Next',
    current_state: 'Next',
    parent: id,
  })
  const inherited = await fresh(opened, String(child['id']))

  assert.deepEqual(before.claims[0]?.verdict, 'holds')
  assert.equal(after.claims[0]?.verdict, 'contradicted')
  assert.deepEqual(inherited.claims[0], after.claims[0])
})

test('without the plugin the record is whole, and its claim unverifiable', async (t) => {
  const { opened, root } = await openProject(t)
  const usage = await opened.call('module_usage', { repository: 'terraform-aws-cluster' })
  const id = await record(opened, [
    { type: 'observation', module: usage['id'] },
    { type: 'observation', claim: 'the author has a member of that name', notes: 'free' },
  ])
  await opened.host.stop()

  const alone = await openHost(t, { plugins: [handoff], projectRoot: root, env })
  const { claims, gate } = await fresh(alone, id)
  const resumed = await alone.call('handoff_resume', { id })

  assert.equal(gate, 'go')
  assert.deepEqual(
    claims.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['unverifiable', 'no plugin here provides evidence of the kind "module"'],
      ['unverifiable', 'a observation cannot be checked on this machine'],
    ],
  )
  assert.match(String(resumed['brief']), /Move the cluster/)
})

test('a module that is not ingested is refused when the claim is made, and nothing is written', async (t) => {
  const { opened } = await openProject(t)

  await assert.rejects(record(opened, [{ id: 'E-7', type: 'observation', module: 'ffffffffffff' }]), {
    code: 'invalid',
    reason: 'evidence_not_captured',
  })
  const listed = await opened.call('handoff_list', {})

  assert.deepEqual(listed['items'], [])
})
