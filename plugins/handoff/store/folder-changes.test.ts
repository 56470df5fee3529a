import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { createChangeReader, explains } from './folder-changes.ts'
import { layoutOf } from './layout.ts'

const noteOf = (n: number): string =>
  `${JSON.stringify({ name: `${String(n).padStart(36, '0')}.json`, before: n, after: n + 1 })}\n`

test('notes are read once: only what was added is read, half a line later, and a replaced file from its start', async (t) => {
  const root = temporaryFolderSync(t)
  const layout = layoutOf(root, join(root, '.handoffs'))
  mkdirSync(layout.cache, { recursive: true })
  const file = join(layout.cache, 'changes')
  const reads: number[] = []
  const disk: Disk = {
    ...realDisk,
    readPart: (path, position, length) => {
      reads.push(length)
      return realDisk.readPart(path, position, length)
    },
  }
  const changes = createChangeReader(disk, layout)
  const noted = async (): Promise<readonly number[]> => (await changes()).map(({ before }) => before)

  assert.deepEqual(await noted(), [])
  writeFileSync(file, noteOf(1) + noteOf(2))
  assert.deepEqual(await noted(), [1, 2])
  assert.deepEqual(await noted(), [1, 2])
  assert.deepEqual(reads, [2 * noteOf(1).length])

  appendFileSync(file, noteOf(3) + noteOf(4).slice(0, 20))
  assert.deepEqual(await noted(), [1, 2, 3])
  appendFileSync(file, noteOf(4).slice(20))
  assert.deepEqual(await noted(), [1, 2, 3, 4])
  assert.deepEqual(reads.slice(1), [noteOf(3).length + 20, noteOf(4).length])

  writeFileSync(`${file}.new`, noteOf(4) + noteOf(5))
  renameSync(`${file}.new`, file)
  assert.deepEqual(await noted(), [4, 5])
  writeFileSync(file, noteOf(6))
  assert.deepEqual(await noted(), [6])
})

test('notes explain a time of the folder, also where later ones follow, and a gap between them does not', () => {
  const [first, second, third] = [1, 2, 3].map((n) => ({ name: 'a.json', before: n, after: n + 1 }))
  assert.ok(first && second && third)

  assert.equal(explains([first, second], 1, 3), true)
  assert.equal(explains([third, second, first], 1, 3), true)
  assert.equal(explains([first, third], 1, 4), false)
  assert.equal(explains([second, third], 1, 3), false)
  assert.equal(explains([{ ...second, after: 4 }], 2, 3), false)
})
