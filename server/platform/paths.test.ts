import assert from 'node:assert/strict'
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { findProjectRoot } from '../project-root.ts'
import { type Disk, realDisk } from './disk.ts'
import { makeDirectoryDurably, writeFileDurably } from './durable-file.ts'
import { confineTo, unconfined } from './paths.ts'

test('a path inside a root is resolved, one outside is refused however it is written', async (t) => {
  const base = await realpath(await temporaryFolder(t))
  const root = join(base, 'root')
  await mkdir(join(root, 'inside'), { recursive: true })
  await mkdir(join(base, 'root-twin'))
  await writeFile(join(base, 'secret'), 'x')
  await symlink(base, join(root, 'way-out'))
  await symlink(join(root, 'inside'), join(root, 'way-in'))
  await symlink(join(base, 'missing'), join(root, 'dangling'))
  const resolvePath = confineTo([root], root)

  assert.equal(await resolvePath('inside/new/file.json'), join(root, 'inside/new/file.json'))
  assert.equal(await resolvePath('.'), root)
  assert.equal(await resolvePath('way-in/x'), join(root, 'inside/x'))
  assert.equal(await resolvePath('..hidden'), join(root, '..hidden'))
  for (const path of [
    '..',
    '../secret',
    'inside/../../secret',
    '/etc/passwd',
    join(base, 'root-twin/x'),
    'way-out/secret',
    'way-out/new/file',
    'dangling',
    'dangling/x',
    'a\0b',
    '',
    'x'.repeat(5000),
  ]) {
    await assert.rejects(resolvePath(path), { code: 'forbidden', reason: 'path_refused' }, path)
  }
})

test('an empty path, one with NUL and one that is too long are refused by their fault', async (t) => {
  const base = await realpath(await temporaryFolder(t))
  for (const resolvePath of [unconfined(base), confineTo(['.'], base)]) {
    for (const path of ['', 'a\0b', 'x'.repeat(5000)])
      await assert.rejects(resolvePath(path), { message: /not empty, has at most 4096 characters/ })
  }
})

test('this user may name any path but NUL', async (t) => {
  const base = await realpath(await temporaryFolder(t))
  const resolvePath = unconfined(base)

  assert.equal(await resolvePath('../x'), join(base, '..', 'x'))
  await assert.rejects(resolvePath('a\0'), { reason: 'path_refused' })
})

test('a durable write replaces the file whole or leaves the old one', async (t) => {
  const { readFile, readdir } = await import('node:fs/promises')
  const folder = join(await temporaryFolder(t), 'a/b')
  await makeDirectoryDurably(folder)
  const file = join(folder, 'x.json')

  await writeFileDurably(file, 'old')
  await writeFileDurably(file, 'new', { mode: 0o600 })
  await assert.rejects(
    writeFileDurably(file, 'never', {
      beforeCommit: async () => {
        throw new Error('lost the lock')
      },
    }),
  )

  assert.equal(await readFile(file, 'utf8'), 'new')
  assert.deepEqual(await readdir(folder), ['x.json'])
})

test('a directory on a file system that refuses every new name with ENOENT is given up', async () => {
  let made = 0
  const noEntry = () => Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
  const disk: Disk = {
    ...realDisk,
    stat: async (path) => (path === '/' ? await realDisk.stat(path) : undefined),
    async mkdir() {
      made++
      throw noEntry()
    },
  }

  await assert.rejects(makeDirectoryDurably('/a/b/c', 0o755, disk), { code: 'ENOENT' })

  assert.ok(made > 1 && made < 20, `${made} attempts`)
})

test('the project root is the flag, then the environment, then the git root, then the folder', async (t) => {
  const base = await temporaryFolder(t)
  const deep = join(base, 'repo/a/b')
  await mkdir(deep, { recursive: true })
  await mkdir(join(base, 'repo/.git'))
  const root = (flag: string | undefined, env: Record<string, string>, cwd = deep) =>
    findProjectRoot({ flag, env, cwd })

  const [x, y, z] = [join(deep, 'x'), join(base, 'y'), join(base, 'z')]
  for (const folder of [x, y, z]) await mkdir(folder)

  assert.equal(await root('x', { SATCHEL_PROJECT: y }), x)
  assert.equal(await root(undefined, { SATCHEL_PROJECT: y, CLAUDE_PROJECT_DIR: z }), y)
  assert.equal(await root(undefined, { CLAUDE_PROJECT_DIR: z }), z)
  await assert.rejects(root('none', {}), { code: 'not_found', reason: 'project_not_found' })
  assert.equal(await root(undefined, {}), join(base, 'repo'))
  assert.equal(await root(undefined, {}, base), base)
})
