import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { listening } from '../../../test/harness/listening.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'

test('links, submodules and files that are too large are said and never followed', async (t) => {
  const world = await openWorld(t)
  await writeFile(join(world.dir, 'secret'), 'CANARY-outside')
  const url = await buildRemote(join(world.dir, 'a.git'), [
    {
      files: { 'main.tf': MAIN, 'big.tf': `# ${'x'.repeat(2 * 1024 * 1024)}\n` },
      links: {
        'README.md': join(world.dir, 'secret'),
        'vars.tf': '../../secret',
        other: '/etc/passwd',
        'one.tf': 'two.tf',
        'two.tf': 'one.tf',
        around: '.',
      },
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
      'symlink_skipped one.tf',
      'symlink_skipped two.tf',
      'symlink_skipped vars.tf',
    ],
  )
})

test('submodules that an entry asks for are named, also where no module is around them', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': MAIN }, submodules: ['docs/theme', 'modules/db', 'modules/vpc'] },
  ])
  const warned = async (entry: object): Promise<string[]> => {
    const { warnings } = await world.run([{ url, ...entry }])
    return warnings.filter(({ code }) => code === 'submodule_skipped').map(({ message }) => message)
  }

  const all = await warned({ recursive: true, exclude_paths: ['docs'] })
  const inside = await warned({ path: 'modules/vpc/modules/endpoint' })
  const root = await warned({ recursive: false })

  const said = 'is a submodule, which is not read: name its repository as an entry of its own.'
  assert.deepEqual(all, [`modules/db ${said} The same goes for 1 more submodule.`])
  assert.deepEqual(inside, [`modules/vpc ${said}`])
  assert.deepEqual(root, [])
})

test('a link to a file or folder of the repository is read as that', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [
    {
      files: { 'shared/main.tf': MAIN, 'modules/a/other.tf': 'output "b" {\n  value = 1\n}\n' },
      links: { 'modules/a/main.tf': '../../shared/main.tf', 'modules/b': 'a', 'modules/loop': '..' },
    },
  ])

  await world.run([{ url, recursive: true }])

  const summaries = await Promise.all((await world.files()).map((file) => world.summary(file)))
  const found = summaries.map(({ path, outputs }) => [
    path,
    ...(outputs as { name: string }[]).map(({ name }) => name),
  ])
  assert.deepEqual(found.sort(), [
    ['modules/a', 'id', 'b'],
    ['modules/b', 'id', 'b'],
    ['shared', 'id'],
  ])
})

test('cleanup removes the clones of this run and leaves foreign directories alone', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  await writeFile(join(world.cloneDir, 'note.txt'), 'mine')

  await world.run([{ url }], { cleanup: true })

  assert.deepEqual(await world.clones(), ['note.txt'])
})

test('what is in the place of a clone and is not ours is neither written to nor removed', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'a.git'), [{ files: { 'main.tf': MAIN } }])
  await world.run([{ url }])
  const [store = ''] = await world.clones()
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
  const [store = ''] = await world.clones()
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

test('a server that knows neither shallow fetches nor symbolic HEADs is read anyway, with a warning for http', async (t) => {
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
  })
  const { port } = await listening(t, server)

  const report = await world.run([{ url: `http://127.0.0.1:${port}/a.git`, branches: ['main'] }])

  assert.deepEqual(report.failures, [])
  assert.deepEqual(
    report.warnings.map(({ code }) => code),
    ['insecure_transport'],
  )
  assert.deepEqual(await world.files(), ['a_main.json', 'a_v1.0.json'])
})
