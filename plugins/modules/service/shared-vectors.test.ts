import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { ingested, network } from '../testing/search-project.ts'

const QUEUE =
  'variable "messages" {\n  description = "Length of the message queue"\n}\nresource "aws_sqs_queue" "this" {}\n'

test('an ingest into another folder adds its records to the vectors, and hides and removes none', async (t) => {
  const { host, root, search } = await ingested(t)
  const queue = await buildRemote(join(root, 'terraform-aws-queue.git'), [
    { files: { 'main.tf': QUEUE, 'README.md': '# Queue\n\nA message queue.\n' }, tags: ['v3.0.0'] },
  ])
  const asks = { repository: 'terraform-aws-network', query: 'private network subnets' }
  const asked = [asks, { ...asks, all_versions: true }, { query: 'in memory cache' }]
  const answers = async () =>
    await Promise.all(
      asked.map(async (input) =>
        (await search(host, { ...input, mode: 'vector' })).results
          .filter(({ metadata }) => !/queue| v1\.6/.test(`${metadata['repository']} ${metadata['ref']}`))
          .map(({ metadata, other_refs }) => `${metadata['repository']} ${metadata['ref']} ${other_refs}`)
          .sort(),
      ),
    )
  const before = await answers()

  // The same repository there: an older ref, and a newer one that is the latest.
  const path = join(root, 'terraform-aws-network.git')
  const url = `file://${path}`
  await buildRemote(path, [
    { files: { 'main.tf': network(6) }, continues: true, branch: 'main', tags: ['v1.6.0'] },
  ])
  const entries = [{ url: queue }, { url, branches: ['v1.2.0', 'v1.5.0'] }]
  const report = await host.call('ingest_repositories', { repositories: entries, output_dir: 'elsewhere' })
  assert.deepEqual(report['failures'], [])
  assert.deepEqual(await answers(), before)
  for (const mode of ['vector', 'hybrid']) {
    const [first] = (await search(host, { query: 'message queue', mode })).results
    assert.match(first?.metadata['repository'] ?? '', /queue/, mode)
  }

  // What the other folder loses is still in this one.
  await deleteRefs(path, ['refs/tags/v1.2.0'])
  const pruned = await host.call('ingest', {
    repositories: [{ url, branches: ['v1.3.0'], include_tags: false }],
    output_dir: 'elsewhere',
    prune: true,
  })
  assert.equal((pruned['pruned'] as unknown[]).length, 1)
  assert.deepEqual(await answers(), before)

  // An ingest and a rebuild of this folder leave what the other one added.
  await host.call('ingest_modules')
  const [kept] = (await search(host, { query: 'message queue', mode: 'vector' })).results
  assert.match(kept?.metadata['repository'] ?? '', /queue/)
})
