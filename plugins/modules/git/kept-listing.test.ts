import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { keptListing, refsState } from './kept-listing.ts'

const HISTORY = [{ files: { 'main.tf': 'variable "a" {}\n' }, tags: ['v1'], annotatedTags: ['v2'] }]

async function openPlace(t: TestContext) {
  const dir = await temporaryFolder(t)
  const path = join(dir, 'remote.git')
  await buildRemote(path, HISTORY)
  const file = join(dir, 'state', 'refs', 'remote.txt')
  let asked = 0
  return {
    dir,
    path,
    file,
    asked: () => asked,
    /** `laterMs`: how long after the present it seems to be. */
    list: (laterMs = 60_000) =>
      keptListing({ path, file, now: Date.now() + laterMs }, async () => {
        asked += 1
        return git(path, 'for-each-ref', '--format=%(objectname) %(refname)')
      }),
  }
}

function git(path: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: path, GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: path }
  const who = ['-c', 'user.name=Sample Author', '-c', 'user.email=author@example.com']
  return execFileSync('git', [...who, ...args], { cwd: path, env, encoding: 'utf8' })
}

test('git is asked once for refs that do not change', async (t) => {
  const { list, asked } = await openPlace(t)
  const first = await list()
  assert.match(first, /refs\/tags\/v2/)
  assert.equal(await list(), first)
  assert.equal(asked(), 1)
})

/** Everything that changes what git would say; each has to make it be asked again. */
const CHANGES: Readonly<Record<string, (path: string) => unknown>> = {
  'a new tag': (path) => git(path, 'update-ref', 'refs/tags/v3', 'refs/heads/main'),
  'a moved tag': (path) => {
    git(path, 'update-ref', 'refs/tags/v1', git(path, 'commit-tree', '-m', 'other', 'main^{tree}').trim())
  },
  'a removed tag': (path) => git(path, 'update-ref', '-d', 'refs/tags/v1'),
  'refs that are packed': (path) => git(path, 'pack-refs', '--all'),
  'another default branch': (path) => git(path, 'symbolic-ref', 'HEAD', 'refs/heads/other'),
  'a branch in a folder': (path) => git(path, 'update-ref', 'refs/heads/a/b', 'refs/heads/main'),
  'a ref that is written in place': async (path) => {
    const ref = join(path, 'refs', 'heads', 'main')
    await writeFile(ref, await readFile(ref))
  },
  'other configuration': (path) => git(path, 'config', 'uploadpack.hideRefs', 'refs/tags'),
  'another repository in its place': async (path) => {
    await rename(path, `${path}.old`)
    await buildRemote(path, HISTORY)
  },
}

for (const [name, change] of Object.entries(CHANGES)) {
  test(`git is asked again after ${name}`, async (t) => {
    const { list, asked, path } = await openPlace(t)
    await list()
    await change(path)
    await list()
    assert.equal(asked(), 2)
    await list()
    assert.equal(asked(), 2)
  })
}

test('refs that changed a moment ago are not kept: they may change again within the same tick', async (t) => {
  const { list, asked } = await openPlace(t)
  await list(0)
  await list(0)
  assert.equal(asked(), 2)
})

test('objects, locks and logs that come and go do not matter', async (t) => {
  const { list, asked, path } = await openPlace(t)
  await list()
  await mkdir(join(path, 'objects', 'zz'))
  await writeFile(join(path, 'gc.log'), 'nothing\n')
  await list()
  assert.equal(asked(), 1)
})

/** Places of which only git can tell the refs. */
const OTHERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a folder without a repository': async (path) => {
    await rm(path, { recursive: true })
    await mkdir(path)
  },
  'a work tree of another repository': async (path) => {
    await rm(path, { recursive: true })
    await mkdir(path)
    await writeFile(join(path, '.git'), 'gitdir: /elsewhere\n')
  },
  'refs behind a link': async (path) => {
    await rename(join(path, 'refs', 'tags'), `${path}.tags`)
    await symlink(`${path}.tags`, join(path, 'refs', 'tags'))
  },
  'a HEAD that is a link': async (path) => {
    await rm(join(path, 'HEAD'))
    await symlink('refs/heads/main', join(path, 'HEAD'))
  },
  'refs in tables': (path) => mkdir(join(path, 'reftable')),
  'refs of a common folder': (path) => writeFile(join(path, 'commondir'), '../other\n'),
}

for (const [name, make] of Object.entries(OTHERS)) {
  test(`nothing is kept of ${name}`, async (t) => {
    const { path, file } = await openPlace(t)
    await make(path)
    assert.equal(await refsState(path), undefined)
    for (const said of ['first', 'second'])
      assert.equal(await keptListing({ path, file, now: Date.now() + 60_000 }, async () => said), said)
  })
}

test('a work tree of its own is looked at below .git, as git does', async (t) => {
  const { dir, path } = await openPlace(t)
  const tree = join(dir, 'tree')
  git(path, 'clone', '--quiet', path, tree)
  const before = await refsState(tree)
  assert.ok(before)
  git(join(tree, '.git'), 'update-ref', 'refs/tags/new', 'HEAD')
  assert.notEqual((await refsState(tree))?.mark, before.mark)
})

test('what was kept is not used when it is damaged, and a failure of git is not kept', async (t) => {
  const { list, asked, file, path } = await openPlace(t)
  const refuses = async (): Promise<string> => {
    throw new Error('refused')
  }
  await assert.rejects(keptListing({ path, file, now: Date.now() + 60_000 }, refuses), /refused/)
  await list()
  await writeFile(file, 'not ours')
  assert.match(await list(), /refs\/tags\/v1/)
  assert.equal(asked(), 2)
  await rm(file)
  await mkdir(file)
  await appendFile(join(file, 'taken'), '')
  assert.match(await list(), /refs\/tags\/v1/) // cannot be kept
})
