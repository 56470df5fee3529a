import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { latestRead } from '../catalog/latest-read.ts'
import { groupVersions } from '../catalog/versions.ts'
import { embeddingOptions } from '../config.ts'
import { indexFile } from '../output/module-index.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import { openStore } from '../search/open-store.ts'
import { vectorOpener } from '../search/vector-update.ts'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'

test('records of removed refs stay, and pruning removes them and nothing else', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [
    { files: { 'main.tf': MAIN, 'sub/x.tf': MAIN }, tags: ['v1.0'] },
    { files: { 'z.tf': MAIN }, tags: ['v2.0'] },
  ])
  const entry = { url, branches: ['main'], max_tags: 0, recursive: true }
  await world.run([entry])
  await writeFile(join(world.outputDir, 'foreign.json'), '{}')
  await deleteRefs(path, ['refs/tags/v1.0'])
  await buildRemote(path, [{ continues: true, removes: ['sub/x.tf'], files: { 'y.tf': MAIN } }])

  const kept = await world.run([{ ...entry, recursive: false }])
  const refsKept = (await world.index()).records.map(({ ref }) => ref)
  const pruned = await world.run([entry], { prune: true })

  assert.deepEqual(kept.pruned, [])
  assert.equal(refsKept.length, 6)
  const stale =
    'Kept, although the remote no longer has it or exclude_paths leave it out: v1.0, sub in v1.0. An ingest with prune removes 2 summaries.'
  assert.deepEqual(
    kept.warnings.map(({ code, message }) => [code, message]),
    [['stale_summaries', stale]],
  )
  assert.deepEqual(pruned.warnings, [])
  assert.deepEqual(
    pruned.pruned.map(({ ref, path: directory }) => `${ref} ${directory}`),
    ['main sub', 'v1.0 .', 'v1.0 sub'],
  )
  const { records } = await world.index()
  assert.deepEqual(
    await world.files(),
    ['foreign.json', ...records.map(({ summary_file }) => summary_file)].sort(),
  )
  assert.equal(records.length, 3)
})

test('a deleted tag is no longer the latest, also before pruning', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [
    { files: { 'main.tf': MAIN }, tags: ['v1.0'] },
    { files: { 'sub/x.tf': MAIN }, tags: ['v2.0'] },
  ])
  const entry = { url, max_tags: 0, recursive: true }
  const told = async () => {
    const { warnings } = await world.run([entry])
    const index = indexFile.parse(await world.index())
    const groups = groupVersions(index, index.records)
    const latest = groups.map((one) => `${one.path} ${one.latest.ref} ${one.removedSince ?? ''}`.trim())
    const ref = latestRead(index, { repository: index.repositories[0]?.repository ?? '', path: 'other' })
    return [...latest, ref, ...warnings.map(({ code }) => code)]
  }

  const before = await told()
  await deleteRefs(path, ['refs/tags/v2.0'])
  const after = await told()
  await buildRemote(path, [{ continues: true, files: { 'y.tf': MAIN }, tags: ['v2.0'] }])
  const again = await told()

  assert.deepEqual(before, ['. v2.0', 'sub v2.0', 'v2.0'])
  assert.deepEqual(after, ['. v1.0', 'sub v2.0 v2.0', 'v1.0', 'stale_summaries'])
  assert.deepEqual(again, before)
})

test('a dry run with pruning names what is known to be removed, and removes nothing', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [
    { files: { 'main.tf': MAIN, 'sub/x.tf': MAIN }, tags: ['v1.0'] },
    { files: { 'z.tf': MAIN }, tags: ['v2.0'] },
  ])
  const entry = { url, branches: ['main'], max_tags: 0, recursive: true }
  await world.run([entry])
  await deleteRefs(path, ['refs/tags/v1.0'])
  await buildRemote(path, [{ continues: true, removes: ['sub/x.tf'] }])
  const before = [await world.files(), await world.index()]

  const report = await world.run([entry], { prune: true, dryRun: true })
  const without = await world.run([entry], { dryRun: true })

  assert.deepEqual(
    report.planned?.map(({ ref }) => ref),
    ['main'],
  )
  assert.deepEqual(
    report.pruned.map(({ ref, path: directory }) => `${ref} ${directory}`),
    ['v1.0 .', 'v1.0 sub'],
  )
  assert.deepEqual(without.pruned, [])
  assert.deepEqual([await world.files(), await world.index()], before)
})

test('pruning removes the vectors of a run that was killed before the index noted them', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN } }])
  const options = embeddingOptions.parse({ enabled: true, vectordb_path: join(world.dir, 'vectors') })
  const parts = { loadLexicon: () => loadLexicon(undefined), workingDirectory: world.dir, env: {} }
  const open = vectorOpener({ ...parts, now: () => new Date() })
  const run = async (prune: boolean) =>
    world.run([{ url, recursive: true }], {
      prune,
      vectors: await open(options, 'operator', new AbortController().signal),
    })
  await run(false)
  const index = join(world.outputDir, '.satchel', 'index.json')
  await writeFile(index, (await readFile(index, 'utf8')).replaceAll('"embedded":true', '"embedded":false'))
  await buildRemote(path, [{ continues: true, removes: ['sub/x.tf'] }])

  const { pruned } = await run(true)

  const { records } = await world.index()
  const store = await openStore(options, world.dir)
  assert.equal(pruned.length, 1)
  assert.deepEqual(
    [...(await store.digests()).keys()],
    records.map(({ id }) => id),
  )
})

test('pruning in a narrower run removes only what the ref no longer has', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN, 'old/x.tf': MAIN } }])
  await world.run([{ url, recursive: true }])
  await buildRemote(path, [{ continues: true, removes: ['old/x.tf'], files: { 'new.tf': MAIN } }])

  const { pruned } = await world.run([{ url, recursive: false }], { prune: true })

  assert.deepEqual(
    pruned.map(({ path: directory }) => directory),
    ['old'],
  )
  assert.deepEqual(await world.files(), ['a_main.json', 'a_main_sub.json'])
})

test('pruning removes what exclude_paths newly leave out, also of refs that did not change, and nothing of other entries', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': MAIN, 'ex_a/x.tf': MAIN, 'ex_b/x.tf': MAIN, 'sub/x.tf': MAIN } },
  ])
  const own = { url, path: 'ex_b' }
  await world.run([{ url, recursive: true }, own])
  const narrower = { url, recursive: true, exclude_paths: ['ex_*'] }

  const kept = await world.run([narrower, own])
  const filesKept = await world.files()
  const { refs, pruned } = await world.run([narrower, own], { prune: true })

  assert.deepEqual(kept.pruned, [])
  assert.equal(filesKept.length, 4)
  assert.deepEqual(refs, { processed: 0, unchanged: 2, empty: 0, failed: 0 })
  assert.deepEqual(
    pruned.map(({ path: directory }) => directory),
    ['ex_a'],
  )
  assert.deepEqual(await world.files(), ['a_main.json', 'a_main_ex_b.json', 'a_main_sub.json'])
})

test('a tree too deep to be walked whole is read as asked when pruning, with a warning', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const deep = `${'d/'.repeat(101)}x.tf`
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN, [deep]: MAIN } }])
  await world.run([{ url, recursive: true, exclude_paths: ['d'] }])
  await buildRemote(path, [{ continues: true, removes: ['sub/x.tf'] }])

  const report = await world.run([{ url, recursive: true, exclude_paths: ['d'] }], { prune: true })

  assert.deepEqual(report.failures, [])
  assert.deepEqual(
    report.warnings.map(({ code, ref }) => `${code} ${ref}`),
    ['no_tags main', 'prune_partial main'],
  )
  assert.deepEqual(
    report.pruned.map(({ path: directory }) => directory),
    ['sub'],
  )
})
