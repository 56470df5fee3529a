import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildRemote, deleteRefs } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'

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
    'v1.0 one_v1.0.json', // the ref was removed: it was not read again
    'v2.0 two_v2.0.json',
  ])
  assert.deepEqual(await world.files(), ['one_v1.0.json', 'two_main.json', 'two_v2.0.json'])
  assert.equal((await world.summary('two_main.json'))['name'], 'two')
})

test('two entries of one repository with two names: it is cloned once, and each name has the summaries that it asks for', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN, 'sub/x.tf': MAIN } }])
  const entries = [
    { url, name: 'one', branches: ['main'] },
    { url: path, name: 'two', branches: ['main'], recursive: true },
  ]

  const first = await world.run(entries)
  const files = await world.files()
  const again = await world.run(entries)
  await rm(join(world.outputDir, 'two_main.json'))
  const repaired = await world.run(entries)
  await buildRemote(path, [{ continues: true, files: { 'more.tf': 'variable "more" {}\n' } }])
  const changed = await world.run(entries)

  assert.deepEqual([first.warnings, first.failures], [[], []])
  assert.deepEqual(files, ['one_main.json', 'two_main.json', 'two_main_sub.json'])
  assert.equal((await world.clones()).length, 1)
  assert.deepEqual(
    [first, again, repaired, changed].map(({ written }) => written),
    [3, 0, 2, 3],
  )
  assert.deepEqual(await world.files(), files)
  for (const name of ['one', 'two']) {
    const summary = await world.summary(`${name}_main.json`)
    assert.equal(summary['name'], name)
    assert.match(JSON.stringify(summary['variables']), /"more"/)
  }
  const { records } = await world.index()
  assert.deepEqual(
    records.map(({ summary_file, other_names = [] }) => [
      summary_file,
      ...other_names.map((other) => other.summary_file),
    ]),
    [['one_main.json', 'two_main.json'], ['two_main_sub.json']],
  )
})

test('a name that no entry has any more takes its summaries along, and its repository keeps its record', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  const [one, two] = ['one', 'two'].map((name) => ({ url, name, branches: ['main'] }))
  assert.ok(one && two)
  await world.run([one, two])

  await world.run([two])
  const onlyTwo = await world.files()
  await world.run([one, two])
  await world.run([one])

  assert.deepEqual(onlyTwo, ['two_main.json'])
  assert.deepEqual(await world.files(), ['one_main.json'])
  const { records } = await world.index()
  assert.deepEqual(
    records.map(({ summary_file, other_names }) => [summary_file, other_names]),
    [['one_main.json', undefined]],
  )
})

test('what was read under another spelling of a URL is told, and pruned', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url, branches: ['main'] }])

  const { warnings } = await world.run([{ url: path, branches: ['main'] }])
  const both = await world.index()
  const pruned = await world.run([{ url: path, branches: ['main'] }], { prune: true })

  assert.deepEqual(
    warnings.map(({ code, repository }) => `${code} ${repository}`),
    [`url_respelled ${path}`],
  )
  assert.equal(both.records.length, 2)
  assert.deepEqual(
    pruned.pruned.map(({ repository }) => repository),
    [url],
  )
  assert.deepEqual([(await world.index()).records.length, pruned.warnings], [1, []])
})

test('a file that was to be removed and is a summary again is left where it is', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url, name: 'one', branches: ['main'] }])
  const state = join(world.outputDir, '.satchel', 'index.json')
  await writeFile(join(world.outputDir, 'old.json'), '{}')
  const leftovers = '"leftovers":["one_main.json","old.json"]'
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
