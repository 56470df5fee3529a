import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { loadPartialStore } from '../service/partial-store.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'

test('a branch and the newest tags become summaries named after repository and ref', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'terraform-x-net.git'), [
    {
      files: { 'main.tf': MAIN, 'README.md': '# Net\n\nA private network with subnets and routes.\n' },
      tags: ['v1.0.0'],
    },
    {
      files: { 'more.tf': 'variable "cidr" {\n  default = null\n}\n' },
      annotatedTags: ['v1.10.0'],
      tags: ['v1.9.0'],
    },
    { files: { 'last.tf': 'variable "extra" {}\n' } },
  ])

  const report = await world.run([{ url, branches: ['main'], max_tags: 2 }])

  assert.deepEqual(report.failures, [])
  assert.deepEqual(report.refs, { processed: 3, unchanged: 0, empty: 0, failed: 0 })
  assert.deepEqual(await world.files(), [
    'terraform-x-net_main.json',
    'terraform-x-net_v1.10.0.json',
    'terraform-x-net_v1.9.0.json',
  ])
  const summary = await world.summary('terraform-x-net_v1.10.0.json')
  assert.deepEqual(Object.keys(summary).slice(0, 9), [
    'repository',
    'ref',
    'path',
    'description',
    'variables',
    'outputs',
    'providers',
    'modules',
    'readme_content',
  ])
  assert.equal(summary['description'], 'A private network with subnets and routes.')
  assert.equal(summary['ref_kind'], 'tag')
  const { records } = await world.index()
  const main = records.find(({ ref }) => ref === 'main')
  assert.equal(main?.id, createHash('sha256').update(`${url}:main:.`).digest('hex'))
})

test('a second run fetches nothing, leaves every file byte-identical and refreshes last_updated', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': MAIN, 'sub/x.tf': MAIN }, tags: ['v1.0'] },
  ])
  await world.run([{ url, recursive: true }])
  const before = await Promise.all(
    (await world.files()).map((name) => readFile(join(world.outputDir, name), 'utf8')),
  )
  const stampBefore = (await world.index()).records[0]?.last_updated ?? ''
  await rm(world.cloneDir, { recursive: true })

  const report = await world.run([{ url, recursive: true }])

  assert.deepEqual(report.refs, { processed: 0, unchanged: 1, empty: 0, failed: 0 })
  assert.deepEqual(await readdir(world.cloneDir), [])
  const after = await Promise.all(
    (await world.files()).map((name) => readFile(join(world.outputDir, name), 'utf8')),
  )
  assert.deepEqual(after, before)
  assert.ok(((await world.index()).records[0]?.last_updated ?? '') > stampBefore)
})

test('a run in which nothing changed writes the index once, one that reads writes it as it goes', async (t) => {
  const world = await openWorld(t)
  const urls = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      buildRemote(join(world.dir, `${name}.git`), [{ files: { 'main.tf': MAIN }, tags: ['v1.0'] }]),
    ),
  )
  const { disk, indexes } = countingDisk()
  let clock = Date.now()
  // Each look at the clock is longer than the pause between two saves.
  const now = (): Date => {
    clock += 10_000
    return new Date(clock)
  }
  const run = async (read: readonly string[]): Promise<number> => {
    const before = indexes()
    await world.run(
      read.map((url) => ({ url })),
      { disk, now },
    )
    return indexes() - before
  }

  const alone = await run(urls.slice(0, 1))
  const first = await run(urls)
  const beganAgain = clock
  const again = await run(urls)

  assert.equal(alone, 1, 'of the last repository, the end of the run writes')

  assert.ok(first > 1, `${first} times in the first run`)
  assert.equal(again, 1)
  const { records } = await world.index()
  assert.equal(records.length, urls.length)
  assert.ok(records.every(({ last_updated }) => Date.parse(last_updated) > beganAgain))
})

test('a changed branch, a damaged summary and changed options are read again; the rest is not', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN }, tags: ['v1.0'] }])
  await world.run([{ url, branches: ['main'] }])

  await buildRemote(path, [{ continues: true, files: { 'new.tf': 'variable "added" {}\n' } }])
  const moved = await world.run([{ url, branches: ['main'] }])
  await writeFile(join(world.outputDir, 'a_v1.0.json'), '{"torn":')
  const torn = await world.run([{ url, branches: ['main'] }])
  const wider = await world.run([{ url, branches: ['main'], recursive: true }])

  assert.deepEqual(moved.refs, { processed: 1, unchanged: 1, empty: 0, failed: 0 })
  assert.match(JSON.stringify(await world.summary('a_main.json')), /"added"/)
  assert.deepEqual(torn.refs, { processed: 1, unchanged: 1, empty: 0, failed: 0 })
  assert.deepEqual(wider.refs, { processed: 2, unchanged: 0, empty: 0, failed: 0 })
  assert.equal(wider.modules, 4)
})

test('what a killed git left in a store costs one fetch and stops no later run', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url, branches: ['main'] }])
  const [store = ''] = await world.clones()
  const [ref = ''] = await readdir(join(world.cloneDir, store, 'refs/satchel'))
  const left = ['shallow.lock', `refs/satchel/${ref}.lock`, 'objects/pack/tmp_pack_Ab12Cd']

  for (const [at, name] of left.entries()) {
    await buildRemote(path, [{ continues: true, files: { 'new.tf': `variable "added_${at}" {}\n` } }])
    await writeFile(join(world.cloneDir, store, name), '')
    const report = await world.run([{ url, branches: ['main'] }])

    assert.deepEqual(report.failures, [], name)
    assert.match(JSON.stringify(await world.summary('a_main.json')), new RegExp(`added_${at}`))
    assert.deepEqual(await world.clones(), [store])
    await assert.rejects(stat(join(world.cloneDir, store, name)), { code: 'ENOENT' })
  }
})

test('one bad repository, ref or file costs only itself', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'good.git'), [
    {
      files: { 'main.tf': MAIN, 'bad.tf': 'variable "x" {\n', 'binary.tf': Buffer.from([0, 1, 2]) },
      tags: ['v1.0'],
    },
  ])
  const empty = join(world.dir, 'empty.git')
  await buildRemote(empty, [])
  const docs = await buildRemote(join(world.dir, 'docs.git'), [{ files: { 'README.md': 'text' } }])

  const report = await world.run([
    { url: 'ext::sh -c touch% /tmp/pwned' },
    { url: `file://${world.dir}/none.git` },
    { url: `file://${empty}` },
    { url: docs },
    { url, name: 'misplaced', path: 'modules/x' },
    { url, branches: ['mian', 'main'] },
    { url, name: '../../x' },
    { url, path: '../..' },
    { url, branches: ['--upload-pack=x'] },
  ])

  assert.deepEqual(
    report.failures.map(({ reason }) => reason).sort(),
    [
      'empty_repository',
      'name_refused',
      'no_module_files',
      'no_module_files',
      'path_refused',
      'ref_not_found',
      'ref_refused',
      'repository_not_found',
      'url_refused',
    ].sort(),
  )
  assert.match(report.failures.find(({ reason }) => reason === 'ref_not_found')?.message ?? '', /"main"/)
  const withoutModules = report.failures.filter(({ reason }) => reason === 'no_module_files')
  assert.deepEqual(withoutModules.map(({ message }) => message).sort(), [
    'No ref had a module file at ".". Name another repository: no directory of this one has any.',
    'No ref had a module file at "modules/x". There are modules in ".". Name another path, or read the directories below it with recursive.',
  ])
  assert.deepEqual(await world.files(), ['good_main.json', 'good_v1.0.json'])
  const { diagnostics, variables } = await world.summary('good_main.json')
  assert.equal(
    (variables as { name: string }[]).some(({ name }) => name === 'name'),
    true,
  )
  assert.ok((diagnostics as { file: string }[]).some(({ file }) => file === 'bad.tf'))
  const unread = report.warnings.filter(({ code }) => code === 'file_not_understood')
  assert.deepEqual(
    unread.map(({ ref, path }) => [ref, path]),
    [['main', '.']],
  )
  assert.match(
    unread[0]?.message ?? '',
    /^bad\.tf was not read whole: .* The same goes for 1 more file of this ref: \w+\.tf\. The same at one more ref: v1\.0\.$/,
  )
  const state = await loadPartialStore(world.outputDir)
  assert.deepEqual([state?.read, state?.repositories, state?.failures], [2, 5, 9])
})

test('a run that is refused before it reads leaves a whole store whole', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const file = join(world.dir, 'satchel.yaml')
  await writeFile(file, '')

  await assert.rejects(world.run([{ url }], { cloneDir: file }), { reason: 'clone_dir_is_file' })

  assert.equal(await loadPartialStore(world.outputDir), undefined)
})

test('a README that is also the licence is read as far as a README is', async (t) => {
  const world = await openWorld(t)
  const text = `MIT License\n\n${'Permission is hereby granted, free of charge. '.repeat(2500)}\n`
  const url = await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': MAIN, LICENSE: text, 'sub/x.tf': MAIN, 'sub/README.md': text } },
  ])

  await world.run([{ url, recursive: true }])

  const { readme_content, licence } = await world.summary('a_main_sub.json')
  assert.equal((readme_content as string).length, text.length)
  assert.equal(licence, 'MIT')
})

test('files made to choke a reader cost a diagnostic each, and the module is read anyway', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    {
      files: {
        'main.tf': MAIN,
        'brackets.tf': `variable "b" {\n  default = ${'['.repeat(200_000)}\n}\n`,
        'huge.tf': Buffer.alloc(80 * 1024 * 1024, '#'),
        'json.tf.json': `{"variable":${'['.repeat(100_000)}`,
        'nul.tf': 'variable "n" {}\n\u0000',
        'string.tf': `variable "s" {\n  default = "${'x'.repeat(5 * 1024 * 1024)}"\n}\n`,
        'templates.tf': `variable "t" {\n  default = "${'${"'.repeat(20_000)}"\n}\n`,
        'README.md': `# Net\n\n${'['.repeat(300_000)}\n`,
      },
    },
  ])

  const report = await world.run([{ url }])

  const { diagnostics, variables, readme_truncated } = await world.summary('a_main.json')
  assert.deepEqual(report.failures, [])
  assert.ok((variables as { name: string }[]).some(({ name }) => name === 'name'))
  assert.equal(readme_truncated, true)
  const said = new Map<string, string>()
  for (const { file, code } of diagnostics as { file: string; code: string }[]) said.set(file, code)
  assert.deepEqual(Object.fromEntries(said), {
    'brackets.tf': 'too_deep',
    'huge.tf': 'file_too_large',
    'json.tf.json': 'too_deep',
    'nul.tf': 'binary_file',
    'string.tf': 'file_too_large',
    'templates.tf': 'too_deep',
  })
})

test('two entries of one URL and path with other options are both unchanged in the next run', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN } }])
  const entries = [
    { url, branches: ['main'] },
    { url, branches: ['main'], recursive: true },
  ]
  await world.run(entries)

  const again = await world.run(entries)
  const one = await world.run(entries.slice(0, 1))
  const { repositories } = (await world.index()) as unknown as { repositories: { readings: unknown[] }[] }

  assert.deepEqual(again.refs, { processed: 0, unchanged: 2, empty: 0, failed: 0 })
  assert.equal(again.modules, 2)
  assert.deepEqual(one.refs, { processed: 0, unchanged: 1, empty: 0, failed: 0 })
  assert.equal(repositories[0]?.readings.length, 1, 'options that no repository uses any more are forgotten')
})

test('a summary altered by hand is written again, also where its length and times are as before', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const file = join(world.outputDir, 'a_main.json')
  const text = await readFile(file, 'utf8')
  const { atime, mtime } = await stat(file)

  await writeFile(file, text.replace('"name"', '"mane"'))
  await utimes(file, atime, mtime)
  const altered = await world.run([{ url }])

  assert.deepEqual(altered.refs, { processed: 1, unchanged: 0, empty: 0, failed: 0 })
  assert.equal(await readFile(file, 'utf8'), text)
  assert.deepEqual((await world.run([{ url }])).refs, { processed: 0, unchanged: 1, empty: 0, failed: 0 })
})

test('of two runs into one output directory one works and the other is told so', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])

  const results = await Promise.allSettled([world.run([{ url }]), world.run([{ url }])])

  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const refused = results.find((result) => result.status === 'rejected')
  assert.equal(refused?.reason.code, 'conflict')
  assert.equal(refused?.reason.reason, 'ingest_running')
  await world.run([{ url }])
})

test('a damaged index is reported and nothing is changed', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const path = join(world.outputDir, '.satchel', 'index.json')
  await writeFile(path, '{"format":1')

  await assert.rejects(world.run([{ url }]), { code: 'conflict', reason: 'index_damaged' })

  assert.equal(await readFile(path, 'utf8'), '{"format":1')
})

test('an output directory that cannot be written is reported, and nothing is half done', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  const file = join(world.dir, 'a-file')
  await writeFile(file, 'mine')

  await assert.rejects(world.run([{ url }], { outputDir: join(file, 'out') }), {
    code: 'unavailable',
    reason: 'storage_failed',
  })
  await assert.rejects(world.run([{ url }], { cloneDir: join(file, 'clones') }), { reason: 'storage_failed' })

  assert.equal(await readFile(file, 'utf8'), 'mine')
})

test('a cancelled run says so and keeps the summaries it had', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const abort = new AbortController()
  abort.abort()

  await assert.rejects(world.run([{ url }], { signal: abort.signal }), { code: 'cancelled' })

  assert.equal((await world.index()).records.length, 1)
  assert.deepEqual((await world.run([{ url }])).refs, { processed: 0, unchanged: 1, empty: 0, failed: 0 })
})

/** This machine's disk, and how often it replaced an index. */
function countingDisk(): { readonly disk: Disk; indexes(): number } {
  let count = 0
  const rename: Disk['rename'] = async (from, to) => {
    if (to.endsWith('index.json')) count++
    await realDisk.rename(from, to)
  }
  return { disk: { ...realDisk, rename }, indexes: () => count }
}
