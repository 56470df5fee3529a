import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { createDurableLines } from './durable-lines.ts'

test('lines are added in order to a new file of this user', async (t) => {
  const path = join(await temporaryFolder(t), 'deep', 'lines')
  const lines = createDurableLines(path)

  await Promise.all(['a', 'b', 'c'].map((line) => lines.add(line)))

  assert.equal(await readFile(path, 'utf8'), 'a\nb\nc\n')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('a line is whole behind one that a full disk cut off', async (t) => {
  const path = join(await temporaryFolder(t), 'lines')
  await writeFile(path, 'whole\ncut o')
  const lines = createDurableLines(path)

  await lines.add('a')
  await lines.add('b')

  assert.equal(await readFile(path, 'utf8'), 'whole\ncut o\na\nb\n')
})
