import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStage } from './testing/network-project.ts'

test('doctor looks at git and at the index, and changes nothing', async (t) => {
  const { opened, root } = await openStage(t)
  const { instance } = opened.host.registry.instances[0] ?? {}

  const before = await instance?.doctor?.(opened.host.signal)
  const names = await readdir(root)
  await opened.call('ingest_modules', {})
  await writeFile(join(root, 'output', '.satchel', 'index.json'), 'torn')
  const after = await instance?.doctor?.(opened.host.signal)

  assert.deepEqual(
    before?.map(({ level, subject }) => `${subject} ${level}`),
    ['git ok', 'module index ok'],
  )
  assert.ok(!names.includes('output'))
  assert.deepEqual(
    after?.map(({ level, subject }) => `${subject} ${level}`),
    ['git ok', 'module index problem'],
  )
})
