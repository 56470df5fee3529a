import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { optionsFor, own, plan } from '../testing/opened-room.ts'
import { openRoom, roomPlace } from './open-room.ts'

test('git sees nothing of a room, also of one that an older release made', async (t) => {
  const file = plan(t)
  const repository = dirname(file)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
  git('init', '-q')
  const room = await own(t, optionsFor(file))

  assert.equal(git('status', '--porcelain', '--untracked-files=all'), '?? plan.md\n')
  await room.close()
  rmSync(join(room.place.sidecar, '.gitignore'))
  await own(t, optionsFor(file))
  assert.equal(git('status', '--porcelain', '--untracked-files=all'), '?? plan.md\n')
})

test('a symbolic link to a file that is missing is the room of that file, and the refusal names it', async (t) => {
  const file = plan(t)
  const link = join(temporaryFolderSync(t), 'link.md')
  symlinkSync(file, link)
  const before = roomPlace(link, {})
  unlinkSync(file)

  assert.deepEqual(roomPlace(link, {}), before)
  await assert.rejects(openRoom(optionsFor(link)), (thrown: Error) =>
    /There is no file plan\.md /.test(thrown.message),
  )
})
