import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Log } from '../../../server/plugin.ts'
import { type RepositoryEntry, repositoryEntry } from '../config.ts'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { ingest } from './ingest.ts'
import { openModuleReader } from './module-reader.ts'
import type { IngestReport } from './report.ts'
import type { RunRequest } from './run.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

interface World {
  readonly dir: string
  readonly outputDir: string
  readonly cloneDir: string
  run(entries: readonly Partial<RepositoryEntry>[], more?: Partial<RunRequest>): Promise<IngestReport>
  files(): Promise<string[]>
  summary(file: string): Promise<Record<string, unknown>>
  index(): Promise<{ records: { id: string; summary_file: string; last_updated: string; ref: string }[] }>
}

async function openWorld(t: TestContext): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-ingest-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const reader = await openModuleReader()
  t.after(() => reader.close())
  const outputDir = join(dir, 'out')
  const cloneDir = join(dir, 'clones')
  let clock = 1_800_000_000_000
  const tick = (): Date => {
    clock += 1000
    return new Date(clock)
  }
  return {
    dir,
    outputDir,
    cloneDir,
    async run(entries, more = {}) {
      const { report } = await ingest({
        entries: entries.map((entry) => repositoryEntry.parse(entry)),
        outputDir,
        cloneDir,
        trust: { kind: 'operator' },
        workingDirectory: dir,
        env: process.env,
        now: tick,
        signal: new AbortController().signal,
        log: silent,
        reader,
        retryDelaysMs: [],
        progress: () => undefined,
        ...more,
      })
      return report
    },
    files: async () => (await readdir(outputDir)).filter((name) => name.endsWith('.json')).sort(),
    summary: async (file) => JSON.parse(await readFile(join(outputDir, file), 'utf8')),
    index: async () => JSON.parse(await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8')),
  }
}

const MAIN = 'variable "name" {\n  type = string\n}\n\noutput "id" {\n  value = var.name\n}\n'

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
  const [store = ''] = await readdir(world.cloneDir)
  const [ref = ''] = await readdir(join(world.cloneDir, store, 'refs/satchel'))
  const left = ['shallow.lock', `refs/satchel/${ref}.lock`, 'objects/pack/tmp_pack_Ab12Cd']

  for (const [at, name] of left.entries()) {
    await buildRemote(path, [{ continues: true, files: { 'new.tf': `variable "added_${at}" {}\n` } }])
    await writeFile(join(world.cloneDir, store, name), '')
    const report = await world.run([{ url, branches: ['main'] }])

    assert.deepEqual(report.failures, [], name)
    assert.match(JSON.stringify(await world.summary('a_main.json')), new RegExp(`added_${at}`))
    assert.deepEqual(await readdir(world.cloneDir), [store])
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
      'path_refused',
      'ref_not_found',
      'ref_refused',
      'repository_not_found',
      'url_refused',
    ].sort(),
  )
  assert.match(report.failures.find(({ reason }) => reason === 'ref_not_found')?.message ?? '', /"main"/)
  assert.deepEqual(await world.files(), ['good_main.json', 'good_v1.0.json'])
  const { diagnostics, variables } = await world.summary('good_main.json')
  assert.equal(
    (variables as { name: string }[]).some(({ name }) => name === 'name'),
    true,
  )
  assert.ok((diagnostics as { file: string }[]).some(({ file }) => file === 'bad.tf'))
})

test('links, submodules and files that are too large are said and never followed', async (t) => {
  const world = await openWorld(t)
  await writeFile(join(world.dir, 'secret'), 'CANARY-outside')
  const url = await buildRemote(join(world.dir, 'a.git'), [
    {
      files: { 'main.tf': MAIN, 'big.tf': `# ${'x'.repeat(1024 * 1024)}\n` },
      links: { 'README.md': join(world.dir, 'secret'), 'vars.tf': '../../secret', other: '/etc/passwd' },
      submodules: ['vendor'],
    },
  ])

  await world.run([{ url }])

  const text = await readFile(join(world.outputDir, 'a_main.json'), 'utf8')
  const { diagnostics, readme_content } = JSON.parse(text)
  assert.doesNotMatch(text, /CANARY/)
  assert.equal(readme_content, '')
  assert.deepEqual(
    diagnostics.map(({ code, file }: { code: string; file: string }) => `${code} ${file}`).sort(),
    [
      'file_too_large big.tf',
      'submodule_skipped vendor',
      'symlink_skipped README.md',
      'symlink_skipped vars.tf',
    ],
  )
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

test('files made to choke a reader cost a diagnostic each, and the module is read all the same', async (t) => {
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

test('names that would collide have files and records of their own', async (t) => {
  const world = await openWorld(t)
  const one = await buildRemote(join(world.dir, 'one/terraform-aws-vpc.git'), [
    { branch: 'feature/x', files: { 'main.tf': 'variable "a" {}\n' } },
    { branch: 'feature_x', files: { 'main.tf': 'variable "b" {}\n' } },
    { branch: 'A', files: { 'main.tf': 'variable "c" {}\n' } },
    { branch: 'a', files: { 'main.tf': 'variable "d" {}\n' } },
  ])
  const two = await buildRemote(join(world.dir, 'two/terraform-aws-vpc.git'), [
    { branch: 'A', files: { 'main.tf': 'variable "e" {}\n' } },
  ])
  const entries = [
    { url: one, branches: ['feature/x', 'feature_x', 'A', 'a'] },
    { url: two, branches: ['A'] },
  ]

  await world.run(entries)

  const { records } = await world.index()
  const files = await world.files()
  assert.equal(records.length, 5)
  assert.deepEqual([...new Set(records.map(({ summary_file }) => summary_file.toLowerCase()))].length, 5)
  assert.deepEqual(records.map(({ summary_file }) => summary_file).sort(), files)
  assert.ok(files.includes('terraform-aws-vpc_feature_x.json') && files.includes('terraform-aws-vpc_A.json'))
})

test('a ref called like the file of another one never gets that file', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = pathToFileURL(path).href
  const digits = createHash('sha256').update(`${url}:feature/x:.`).digest('hex').slice(0, 8)
  const twin = `feature_x-${digits}`
  await buildRemote(path, [
    { branch: twin, files: { 'main.tf': 'variable "twin" {}\n' } },
    { branch: 'feature/x', files: { 'main.tf': 'variable "own" {}\n' } },
  ])

  await world.run([{ url, branches: [twin, 'feature/x'] }])

  const { records } = await world.index()
  const files = new Map(records.map(({ ref, summary_file }) => [ref, summary_file]))
  assert.deepEqual([...files.values()].sort(), await world.files())
  assert.match(JSON.stringify(await world.summary(files.get(twin) ?? '')), /"twin"/)
  assert.match(JSON.stringify(await world.summary(files.get('feature/x') ?? '')), /"own"/)
})

test('a repository that is given another name has its summaries under that name, and none under the one before', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [
    { files: { 'main.tf': MAIN }, tags: ['v1.0'] },
    { files: { 'z.tf': MAIN }, tags: ['v2.0'] },
  ])
  await world.run([{ url, name: 'one', branches: ['main'], max_tags: 0 }])
  await deleteRefs(path, ['refs/tags/v1.0'])

  const report = await world.run([{ url, name: 'two', branches: ['main'], max_tags: 0 }])

  assert.equal(report.written, 2)
  const { records } = await world.index()
  assert.deepEqual(records.map(({ ref, summary_file }) => `${ref} ${summary_file}`).sort(), [
    'main two_main.json',
    'v1.0 one_v1.0.json', // the ref is gone: it was not read again
    'v2.0 two_v2.0.json',
  ])
  assert.deepEqual(await world.files(), ['one_v1.0.json', 'two_main.json', 'two_v2.0.json'])
  assert.equal((await world.summary('two_main.json'))['name'], 'two')
})

test('two entries of one URL with two names: the first name has what both read, and the other is warned of', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN } }])
  const entries = [
    { url, name: 'one', branches: ['main'] },
    { url, name: 'two', branches: ['main'], recursive: true },
  ]

  const { warnings } = await world.run(entries)
  const files = await world.files()
  const again = await world.run(entries)

  assert.deepEqual(files, ['one_main.json', 'two_main_sub.json'])
  assert.deepEqual(await world.files(), files)
  assert.equal((await world.summary('one_main.json'))['name'], 'one')
  for (const said of [warnings, again.warnings]) {
    assert.deepEqual(
      said.map(({ code, message }) => `${code} ${/name (\w+) is not/.exec(message)?.[1]}`),
      ['name_taken two'],
    )
  }
})

test('a file that was to be removed and is a summary again is left where it is', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url, name: 'one', branches: ['main'] }])
  const state = join(world.outputDir, '.satchel', 'index.json')
  await writeFile(join(world.outputDir, 'gone.json'), '{}')
  const leftovers = '"leftovers":["one_main.json","gone.json"]'
  await writeFile(state, (await readFile(state, 'utf8')).replace('"leftovers":[]', leftovers))

  await world.run([{ url, name: 'one', branches: ['main'] }])

  assert.deepEqual(await world.files(), ['one_main.json'])
  assert.match(await readFile(state, 'utf8'), /"leftovers":\[\]/)
})

test('a tag and a branch of one name: the tag is read, the full name gets the branch', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': 'variable "tagged" {}\n' }, tags: ['same'] },
    { branch: 'same', files: { 'main.tf': 'variable "branched" {}\n' } },
  ])

  const report = await world.run([{ url, branches: ['same', 'refs/heads/same'], include_tags: false }])

  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['ref_ambiguous'],
  )
  const { records } = await world.index()
  const byRef = new Map(records.map((record) => [record.ref, record.summary_file]))
  assert.match(JSON.stringify(await world.summary(byRef.get('same') ?? '')), /"tagged"/)
  assert.match(JSON.stringify(await world.summary(byRef.get('refs/heads/same') ?? '')), /"branched"/)
})

test('records of refs that are gone stay, and pruning removes them and nothing else', async (t) => {
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

test('a dry run with pruning names what is known to be gone, and removes nothing', async (t) => {
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

test('pruning in a narrower run removes only what the ref no longer has', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN, 'gone/x.tf': MAIN } }])
  await world.run([{ url, recursive: true }])
  await buildRemote(path, [{ continues: true, removes: ['gone/x.tf'], files: { 'new.tf': MAIN } }])

  const { pruned } = await world.run([{ url, recursive: false }], { prune: true })

  assert.deepEqual(
    pruned.map(({ path: directory }) => directory),
    ['gone'],
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
  assert.equal(repositories[0]?.readings.length, 1, 'options nobody asks for any more are forgotten')
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

test('cleanup removes the clones of this run and leaves foreign directories alone', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  await writeFile(join(world.cloneDir, 'note.txt'), 'mine')

  await world.run([{ url }], { cleanup: true })

  assert.deepEqual((await readdir(world.cloneDir)).sort(), ['note.txt'])
})

test('what stands in the place of a clone and is none of ours is neither written to nor removed', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const [store = ''] = await readdir(world.cloneDir)
  const place = join(world.cloneDir, store)
  const mine = join(world.dir, 'mine')
  await rename(place, mine) // with our marker in it
  const before = (await readdir(mine, { recursive: true })).sort()

  await symlink(mine, place)
  const linked = await world.run([{ url, path: '.', recursive: true }], { cleanup: true })
  await rm(place)
  await mkdir(place)
  await writeFile(join(place, 'thesis.txt'), 'mine')
  const foreign = await world.run([{ url, path: '.', recursive: true }], { cleanup: true })

  for (const { failures } of [linked, foreign]) {
    assert.deepEqual(
      failures.map(({ reason }) => reason),
      ['store_foreign'],
    )
  }
  assert.deepEqual((await readdir(mine, { recursive: true })).sort(), before)
  assert.deepEqual(await readdir(place), ['thesis.txt'])
})

test("the user's EDITOR, PAGER and GIT_DIR change nothing", async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  const env = {
    ...process.env,
    EDITOR: 'vim',
    PAGER: 'less',
    VISUAL: 'vim',
    GIT_DIR: '/x',
    GIT_EXEC_PATH: '/x',
    PREFIX: '/y',
  }

  const report = await world.run([{ url }], { env })

  assert.deepEqual(report.failures, [])
  assert.equal(report.written, 1)
})

test('a planted configuration, hook or filter of a clone never acts', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const attributes = { '.gitattributes': '* filter=evil diff=evil merge=evil\n*.tf filter=lfs\n' }
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, ...attributes } }])
  await world.run([{ url }])
  const [store = ''] = await readdir(world.cloneDir)
  const canary = join(world.dir, 'canary')
  const evil = `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = "touch ${canary}"\n\tsshCommand = "touch ${canary}"\n[remote "x"]\n\tuploadpack = "touch ${canary}"\n[url "ext::touch ${canary} "]\n\tinsteadOf = file://\n${['evil', 'lfs'].map((name) => `[filter "${name}"]\n\tsmudge = "touch ${canary}"\n\tprocess = "touch ${canary}"\n\trequired = true\n`).join('')}`
  const place = join(world.cloneDir, store)
  await writeFile(join(place, 'config'), evil)
  await writeFile(join(place, 'config.worktree'), evil)
  const other = join(world.dir, 'other')
  await mkdir(other)
  await writeFile(join(other, 'config'), evil)
  await writeFile(join(place, 'commondir'), other)
  // Of all hooks these are the ones that a fetch would run.
  for (const hook of ['reference-transaction', 'post-index-change', 'pre-auto-gc']) {
    await mkdir(join(place, 'hooks'), { recursive: true })
    await writeFile(join(place, 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 })
  }
  await buildRemote(path, [{ continues: true, files: { 'b.tf': MAIN } }])

  const report = await world.run([{ url }])

  assert.deepEqual(report.failures, [])
  assert.equal(report.refs.processed, 1)
  assert.doesNotMatch(await readFile(join(world.cloneDir, store, 'config'), 'utf8'), /touch/)
  assert.ok(!(await readdir(world.dir)).includes('canary'))
})

test('an output directory that cannot be written is said, and nothing is half done', async (t) => {
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

test('a local partial copy is read where it lies, and what it lacks is said', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'lost.tf': 'variable "lost" {}\n' } }])
  await removeObject(path, 'variable "lost" {}\n')

  const report = await world.run([{ url }])

  assert.deepEqual(report.failures, [])
  const { variables, diagnostics } = await world.summary('a_main.json')
  assert.deepEqual(
    (variables as { name: string }[]).map(({ name }) => name),
    ['name'],
  )
  assert.deepEqual(
    (diagnostics as { code: string; file: string }[]).map(({ code, file }) => `${code} ${file}`),
    ['blob_missing lost.tf'],
  )
})

/** Makes the blob of this content disappear from a repository, as partial copies lack it. */
async function removeObject(path: string, content: string): Promise<void> {
  const pack = join(path, 'objects', 'pack')
  const [packed = ''] = (await readdir(pack).catch(() => [])).filter((name) => name.endsWith('.pack'))
  // A small import is written as loose objects.
  if (packed !== '') {
    const aside = join(path, packed)
    await rename(join(pack, packed), aside)
    await rm(pack, { recursive: true })
    const unpack = spawnSync('git', ['unpack-objects', '-q'], { cwd: path, input: await readFile(aside) })
    assert.equal(unpack.status, 0, String(unpack.stderr))
  }
  const oid = createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')
  await rm(join(path, 'objects', oid.slice(0, 2), oid.slice(2)))
}

test('a server that knows neither shallow fetches nor symbolic HEADs is read all the same, with a warning for http', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  await buildRemote(path, [
    { files: { 'main.tf': MAIN } },
    { files: { 'b.tf': MAIN }, annotatedTags: ['v1.0'] },
  ])
  assert.equal(spawnSync('git', ['update-server-info'], { cwd: path }).status, 0)
  const server = createServer(async (request, response) => {
    const file = join(world.dir, decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname))
    const bytes = await readFile(file).catch(() => undefined)
    response.writeHead(bytes ? 200 : 404).end(bytes)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }

  const report = await world.run([{ url: `http://127.0.0.1:${port}/a.git`, branches: ['main'] }])

  assert.deepEqual(report.failures, [])
  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['insecure_transport'],
  )
  assert.deepEqual(await world.files(), ['a_main.json', 'a_v1.0.json'])
})
