import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { realDisk } from './disk.ts'
import { IGNORE_FILE, ignoreFolder } from './git-ignored.ts'

test('git does not see a folder that ignores itself, and what such a file said before stays', async (t) => {
  const repository = temporaryFolderSync(t)
  execFileSync('git', ['init', '-q', repository])
  const folder = join(repository, 'own')
  mkdirSync(folder)
  writeFileSync(join(folder, 'state'), 'x')
  const seen = () => execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' })
  assert.equal(seen(), '?? own/\n')

  await ignoreFolder(folder, { disk: realDisk, mode: 0o600 })

  assert.equal(seen(), '')
  assert.equal(statSync(join(folder, IGNORE_FILE)).mode & 0o777, 0o600)
  writeFileSync(join(folder, IGNORE_FILE), '')
  await ignoreFolder(folder, { disk: realDisk, mode: 0o600 })
  assert.equal(seen(), '?? own/\n')
})
