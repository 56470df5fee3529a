import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { createGit } from './command.ts'
import { gitEnvironment } from './environment.ts'
import { listLocal, listRemote } from './remote.ts'

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=Sample Author', '-c', 'user.email=author@example.com']
  execFileSync('git', [...who, ...args], { cwd, env, stdio: 'ignore' })
}

const HISTORY = [
  {
    files: { 'main.tf': 'variable "a" {}\n' },
    tags: ['v1', "it's", 'ünï', '-dash'],
    annotatedTags: ['v1.0.0'],
  },
  { branch: 'feature/x', files: { 'main.tf': '' } },
]

/** Makes a repository at a path of which both ways are asked. */
const REPOSITORIES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'with branches, tags and refs of other kinds': async (path) => {
    await buildRemote(path, HISTORY)
    git(path, 'update-ref', 'refs/pull/1/head', 'refs/heads/main')
    git(path, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
    git(path, 'pack-refs', '--all')
    git(path, 'update-ref', 'refs/tags/loose', 'refs/heads/main')
  },
  'whose HEAD names another branch': async (path) => {
    await buildRemote(path, HISTORY)
    git(path, 'symbolic-ref', 'HEAD', 'refs/heads/feature/x')
  },
  'whose HEAD is not a branch': async (path) => {
    await buildRemote(path, HISTORY)
    git(path, 'update-ref', '--no-deref', 'HEAD', 'refs/tags/v1')
  },
  'whose HEAD leads nowhere': async (path) => {
    await buildRemote(path, HISTORY)
    git(path, 'symbolic-ref', 'HEAD', 'refs/heads/none')
  },
  'that is empty': async (path) => {
    await buildRemote(path, [])
  },
  'with a work tree': async (path) => {
    await buildRemote(`${path}-bare`, HISTORY)
    git(join(path, '..'), 'clone', '-q', `${path}-bare`, path)
  },
  'with ids of 64 digits': async (path) => {
    execFileSync('git', ['init', '-q', '--object-format=sha256', path])
    git(path, 'commit', '-q', '--allow-empty', '-m', 'made')
    git(path, 'tag', '-m', 'made', 'v1')
  },
}

for (const [name, make] of Object.entries(REPOSITORIES)) {
  test(`a local repository ${name} is listed as ls-remote lists it`, async (t) => {
    const dir = await temporaryFolder(t)
    const path = join(dir, 'a')
    await make(path)
    const asking = (protocol?: 'file') =>
      createGit({
        baseDir: dir,
        environment: gitEnvironment(process.env, {
          gitDir: '/dev/null',
          ceiling: dir,
          ...(protocol && { protocol }),
        }),
        signal: new AbortController().signal,
        hidden: [],
      })

    const listing = await listLocal(asking(), path)

    assert.deepEqual(listing, await listRemote(asking('file'), pathToFileURL(path).href))
  })
}
