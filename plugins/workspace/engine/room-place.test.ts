import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { modelContent } from '../testing/model.ts'
import { openRoom, type Room, type RoomOptions, roomPlace } from './open-room.ts'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')

function plan(t: TestContext): string {
  const file = join(temporaryFolderSync(t), 'plan.md')
  writeFileSync(file, '# Plan\n')
  return file
}

function optionsFor(file: string): RoomOptions {
  return { place: roomPlace(file, {}), content: modelContent, log, rank: 'stdio', wasm }
}

async function own(t: TestContext, options: RoomOptions): Promise<Room> {
  const attempt = await openRoom(options)
  if (attempt.kind !== 'owner') throw new Error('the room is free')
  t.after(() => attempt.room.close())
  return attempt.room
}

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
