import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './harness/index.ts'

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'satchel.js')
/** Node 22.1 and later. */
const KEEPS_CODE = 'enableCompileCache' in nodeModule

/** Runs a verb with a cache folder of its own and returns what it printed. */
async function printedBy(home: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const own = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache'), ...env }
  const run = promisify(execFile)
  const { stdout, stderr } = await run(process.execPath, [PROGRAM, '--version'], { cwd: home, env: own })
  assert.equal(stderr, '')
  return stdout
}

async function kept(home: string): Promise<readonly string[]> {
  return readdir(join(home, 'cache', 'satchel', 'compiled')).catch(() => [])
}

async function homeWithFolder(t: TestContext, mode: number): Promise<string> {
  const home = await temporaryFolder(t)
  const folder = join(home, 'cache', 'satchel', 'compiled')
  await mkdir(folder, { recursive: true })
  await chmod(folder, mode)
  return home
}

test('compiled code is kept in a folder of this user, where Node can', async (t) => {
  const home = await temporaryFolder(t)
  const first = await printedBy(home)

  assert.equal((await kept(home)).length > 0, KEEPS_CODE)
  assert.equal(await printedBy(home), first)
  if (KEEPS_CODE) {
    const { mode } = await stat(join(home, 'cache', 'satchel', 'compiled'))
    assert.equal(mode & 0o077, 0)
  }
})

test('no code is kept where others may write, or where it is turned off', async (t) => {
  const shared = await homeWithFolder(t, 0o777)
  const off = await temporaryFolder(t)

  await printedBy(shared)
  await printedBy(off, { NODE_DISABLE_COMPILE_CACHE: '1' })

  assert.deepEqual([await kept(shared), await kept(off)], [[], []])
})

test('a cache that cannot be written changes nothing', async (t) => {
  const home = await temporaryFolder(t)

  assert.equal(await printedBy(home, { XDG_CACHE_HOME: '/dev/null/none' }), await printedBy(home))
})
