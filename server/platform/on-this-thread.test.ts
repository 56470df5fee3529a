import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { realDisk } from './disk.ts'
import { isForThisThread } from './on-this-thread.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('at most 64 operations of one turn of the event loop are for this thread', async () => {
  const taken = (): number => Array.from({ length: 200 }, isForThisThread).filter(Boolean).length

  await nextTurn()
  assert.equal(taken(), 64)
  assert.equal(taken(), 0)
  await nextTurn()
  assert.equal(taken(), 64)
})

test('a caller that looks at many files one after another lets other work run', async (t) => {
  const folder = temporaryFolderSync(t)
  const file = join(folder, 'file')
  writeFileSync(file, 'text')
  let others = 0
  const other = setInterval(() => others++, 0)
  t.after(() => clearInterval(other))

  await nextTurn()
  for (let n = 0; n < 1000; n++) {
    assert.equal((await realDisk.stat(file))?.size, 4)
    assert.equal((await realDisk.readFile(file)).toString(), 'text')
  }

  assert.ok(others > 0)
})

test('a name below a file is missing on either thread', async (t) => {
  const folder = temporaryFolderSync(t)
  const file = join(folder, 'file')
  writeFileSync(file, 'text')

  const found = await Promise.all(Array.from({ length: 100 }, () => realDisk.stat(join(file, 'name'))))
  const stamps = await Promise.all(Array.from({ length: 100 }, () => realDisk.stamp(join(file, 'name'))))

  assert.deepEqual(new Set([...found, ...stamps]), new Set([undefined]))
})
