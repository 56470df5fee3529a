import assert from 'node:assert/strict'
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSimulatedDisk } from '../../../server/platform/testing/simulated-disk.ts'
import { embeddingOptions } from '../config.ts'
import { withVector } from '../ingest/run-vectors.ts'
import { loadIndex } from '../output/index-file.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { indexChanges, statesAfter } from '../testing/index-steps.ts'
import { ingested } from '../testing/search-project.ts'
import { storedItems } from '../testing/store-items.ts'
import { loadLexicon } from './lexicon-file.ts'
import { vectorOpener } from './vector-update.ts'

test('a second ingest embeds nothing again, keeps every vector bit for bit and refreshes the time', async (t) => {
  const stage = await ingested(t)
  const folder = join(stage.root, 'vectors/infra_modules')
  const before = storedItems(folder).items

  const report = await (await stage.open()).call('ingest_modules')
  const after = storedItems(folder).items

  assert.deepEqual(report['vectors'], {
    strategy: 'vectordb-default',
    upserted: 0,
    unchanged: before.length,
  })
  const vectors = (items: typeof before) => items.map(({ id, vector }) => [id, vector])
  assert.deepEqual(vectors(after), vectors(before))
  assert.ok((after[0]?.metadata.last_updated ?? '') >= (before[0]?.metadata.last_updated ?? 'z'))
})

test('the vectors of what was pruned while embeddings were off go with the next run that keeps vectors', async (t) => {
  const stage = await ingested(t)
  const off = await stage.open({ embedding: { enabled: false } })
  const on = await stage.open()
  const stored = async (): Promise<string[]> => {
    const query = { query: 'private network', mode: 'vector', all_versions: true, limit: 50 }
    const { results } = await stage.search(on, query)
    return [...new Set(results.map(({ metadata }) => metadata['ref'] ?? ''))].sort()
  }
  assert.ok((await stored()).includes('v1.2.0'))
  await deleteRefs(join(stage.root, 'terraform-aws-network.git'), ['refs/tags/v1.2.0'])

  const pruned = await off.call('ingest', { prune: true })
  await on.call('ingest')

  assert.equal((pruned['pruned'] as unknown[]).length, 2)
  const left = await stored()
  assert.ok(!left.includes('v1.2.0') && left.includes('v1.3.0'), left.join())
})

test('another set of include options embeds again; another strategy is refused before any git work', async (t) => {
  const stage = await ingested(t)
  const embedding = stage.settings['embedding'] as object
  const narrow = await stage.open({ embedding: { ...embedding, include_readme: false } })
  const other = await stage.open({
    embedding: { ...embedding, strategy: 'hosted-a', hosted_a_api_key: 'sk-x' },
  })
  const keyless = await stage.open({ embedding: { ...embedding, strategy: 'hosted-b' } })
  const before = await readFile(join(stage.root, 'vectors/infra_modules/current'))

  await assert.rejects(other.call('ingest_modules'), { code: 'conflict', reason: 'embedding_mismatch' })
  await assert.rejects(keyless.call('ingest_modules'), { code: 'invalid', reason: 'embedding_key_missing' })
  await assert.rejects(other.call('search_modules_vector', { query: 'x' }), { reason: 'embedding_mismatch' })
  assert.deepEqual(await readFile(join(stage.root, 'vectors/infra_modules/current')), before)

  const report = await narrow.call('ingest_modules')
  assert.ok(Number((report['vectors'] as { upserted: number }).upserted) > 0)
  const [hit] = (await stage.search(narrow, { query: 'redis' })).results
  assert.doesNotMatch(hit?.document ?? '', /README:/)
})

test('a summary whose document was compared is not read again, but where the store has another one', async (t) => {
  const stage = await ingested(t)
  const embedding = stage.settings['embedding'] as object
  const elsewhere = { embedding: { ...embedding, vectordb_path: join(stage.root, 'other') } }
  const outputDir = join(stage.root, 'out')
  const work = async () => {
    const index = await loadIndex(outputDir)
    assert.ok(index)
    const read: string[] = []
    const load = (record: IndexRecord) => {
      read.push(record.ref)
      return loadSummary(outputDir, record.summary_file)
    }
    const ids = new Set(index.records.map(({ id }) => id))
    const signal = AbortSignal.timeout(60_000)
    const rest = { touched: ids, removed: [], load, signal, progress: () => {} }
    return { read, work: { index, records: index.records, ...rest } }
  }
  const parts = { loadLexicon: () => loadLexicon(undefined), workingDirectory: stage.root, env: {} }
  const stepOf = (settings: { embedding: object }) =>
    vectorOpener({ ...parts, now: () => new Date() })(
      embeddingOptions.parse(settings.embedding),
      'operator',
      AbortSignal.timeout(60_000),
    )

  const same = await work()
  const { unchanged, upserted } = await (await stepOf({ embedding })).update(same.work)
  assert.deepEqual([upserted, unchanged, same.read], [0, same.work.records.length, []])

  // The first store is left behind while the module changes, and is then used again.
  await buildRemote(join(stage.root, 'terraform-google-redis.git'), [
    { files: { 'main.tf': 'variable "another_input" {}\n' }, tags: ['v0.1.0'] },
  ])
  await (await stage.open(elsewhere)).call('ingest_modules')
  const back = await work()
  const report = await (await stepOf({ embedding })).update(back.work)
  assert.deepEqual([report.upserted, back.read], [1, ['v0.1.0']])
})

test('a run writes the file of the vectors once, and a server finds what the run brought', async (t) => {
  const stage = await ingested(t)
  const before = await stage.search(stage.host, { query: 'message queue with retries' })
  const queue = await buildRemote(join(stage.root, 'terraform-aws-queue.git'), [
    { files: { 'main.tf': 'variable "retries" {}\nresource "aws_sqs_queue" "this" {}\n' }, tags: ['v1.0.0'] },
  ])
  const more = { repositories: [...(stage.settings['repositories'] as object[]), { url: queue }] }
  const grown = await stage.open(more)
  const renamed: string[] = []
  const { renameSync } = fs
  t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    renamed.push(to)
    renameSync(from, to)
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })

  await grown.call('ingest_modules')
  const rewrites = renamed.filter((path) => path.endsWith('infra_modules/current'))
  const after = await stage.search(stage.host, { query: 'message queue with retries' })

  assert.equal(rewrites.length, 1)
  assert.ok(!before.results.some(({ metadata }) => /queue/.test(metadata['repository'] ?? '')))
  assert.match(after.results[0]?.metadata['repository'] ?? '', /queue/)
})

/** A disk with a vector store, and an ingest's update of it; `earlier` is the index that the run began with. */
function stageOf() {
  const { disk, image } = createSimulatedDisk(
    new Map([
      ['/', 'directory'],
      ['/vectors', 'directory'],
    ]),
    { below: () => 0 },
  )
  const options = embeddingOptions.parse({ enabled: true, vectordb_path: '/vectors' })
  const parts = { env: {}, workingDirectory: '/', now: () => new Date(0), disk }
  const open = vectorOpener({ ...parts, loadLexicon: () => loadLexicon(undefined) })
  return {
    image: () => new Map([...image()].filter(([path]) => !path.includes('lock'))),
    async update(
      { index, summaries, touched }: ReturnType<typeof statesAfter>[number],
      removed: readonly string[],
      earlier?: ModuleIndex,
    ) {
      const step = await open(options, 'operator', new AbortController().signal)
      return await step.update({
        ...{ index, earlier, touched, removed, records: index.records },
        load: async ({ id }) => summaries.get(id) ?? assert.fail(`no summary of ${id}`),
        signal: new AbortController().signal,
        progress: () => {},
      })
    },
  }
}

test('an update that looks at what changed leaves the very store of one that looks at everything', async () => {
  await fc.assert(
    fc.asyncProperty(indexChanges, fc.boolean(), async (runs, forgets) => {
      const [stepped, whole] = [stageOf(), stageOf()]
      const marks = new Map<string, IndexRecord>()
      let earlier: ModuleIndex | undefined
      for (const state of statesAfter(runs)) {
        // As a run notes them in the index, unless it was killed before: then the next run has to find out.
        const noted = (): IndexRecord[] => state.index.records.map((record) => withMark(record, marks))
        const index = { ...state.index, records: noted() }
        const present = new Set(index.records.map(({ id }) => id))
        const removed = earlier?.records.map(({ id }) => id).filter((id) => !present.has(id)) ?? []
        const quick = await stepped.update({ ...state, index }, removed, earlier)
        const slow = await whole.update({ ...state, index: structuredClone(index) }, removed)
        assert.deepEqual(stepped.image(), whole.image())
        assert.equal(quick.unchanged, slow.unchanged)
        const looked = new Set(quick.records.map(({ id }) => id))
        const markOf = ({ id, document_mark }: IndexRecord) =>
          looked.has(id) ? quick.embedded.get(id) : document_mark
        for (const record of index.records) assert.equal(markOf(record), slow.embedded.get(record.id))
        if (!forgets)
          for (const record of quick.records) marks.set(record.id, withVector(record, quick.embedded))
        earlier = { ...index, records: noted() }
      }
    }),
    { numRuns: 60 },
  )
})

/** The record as an earlier run left it, if nothing of it has changed since. */
function withMark(record: IndexRecord, marks: ReadonlyMap<string, IndexRecord>): IndexRecord {
  const held = marks.get(record.id)
  const isSame = held?.summary_sha256 === record.summary_sha256 && held.last_updated === record.last_updated
  return held && isSame ? held : record
}
