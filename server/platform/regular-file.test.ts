import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { readFileBounded, readRegularFile } from './regular-file.ts'

test('a file is read whole up to the limit, and not at all beyond it', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
  await writeFile(path, bytes)

  assert.deepEqual(await readFileBounded(path, 200_000), bytes)
  assert.equal(await readFileBounded(path, 199_999), undefined)
  assert.deepEqual(await readRegularFile(path, 199_999), { kind: 'too large' })
})

test('a device that never ends is too large, and no regular file', {
  skip: existsSync('/dev/zero') ? false : 'this system has no /dev/zero',
}, async () => {
  assert.equal(await readFileBounded('/dev/zero', 10_000_000), undefined)
  assert.deepEqual(await readRegularFile('/dev/zero', 10), { kind: 'no file' })
})
