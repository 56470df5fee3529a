import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { isOutsideRepositories } from './no-repository.ts'
import { gitIn } from './run-git.ts'

test('a folder is outside of repositories only where git says so, too', async (t) => {
  const top = await temporaryFolder(t)
  const init = (...args: string[]) => execFileSync('git', ['init', '-q', ...args], { cwd: top })
  for (const name of ['none/inner', 'tree/inner', 'linked']) mkdirSync(join(top, name), { recursive: true })
  init('tree')
  init('--bare', 'bare')
  symlinkSync(join(top, 'tree/inner'), join(top, 'linked/inner'))
  const places = ['none', 'none/inner', 'tree', 'tree/inner', 'bare', 'bare/refs', 'linked', 'linked/inner']

  for (const place of places) {
    const folder = join(top, place)
    const answer = await gitIn(folder, process.env)('rev-parse', '--git-dir')
    const isNone = answer.kind === 'failed' && answer.reason === 'no_repository'
    assert.equal(isOutsideRepositories(folder), isNone, place)
  }
  rmSync(join(top, 'none'), { recursive: true })
  assert.equal(isOutsideRepositories(join(top, 'none')), false)
})
