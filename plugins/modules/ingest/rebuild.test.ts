import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStage } from '../testing/network-project.ts'

test('a lost index is rebuilt from the summaries, and other files are left alone', async (t) => {
  const { opened, root } = await openStage(t, { mcp: { auto_ingest: false } })
  await opened.call('ingest_modules', {})
  const before = await opened.call('search_modules', { limit: 50 })
  await writeFile(join(root, 'output', 'other.json'), '{"a":1}')
  await writeFile(join(root, 'output', '.satchel', 'index.json'), 'torn')
  await assert.rejects(opened.call('search_modules', { query: 'nat' }), { reason: 'index_damaged' })

  const rebuilt = await opened.call('rebuild_modules', {})
  await rm(join(root, 'output', '.satchel'), { recursive: true })
  const again = await opened.call('rebuild_modules', {})

  assert.deepEqual([rebuilt['modules'], rebuilt['skipped']], [5, 1])
  assert.deepEqual([again['modules'], again['skipped']], [5, 1])
  assert.deepEqual(await opened.call('search_modules', { limit: 50 }), before)
})

test('a file in place of the output directory is refused, and kept', async (t) => {
  const { opened, root } = await openStage(t, { mcp: { auto_ingest: false } })
  await writeFile(join(root, 'a-file'), 'kept')

  await assert.rejects(opened.call('rebuild_modules', { output_dir: 'a-file' }), {
    code: 'unavailable',
    reason: 'storage_failed',
  })
  assert.equal(await readFile(join(root, 'a-file'), 'utf8'), 'kept')
})

test('a folder in the place of the index is told by a search and by a rebuild, and kept', async (t) => {
  const { opened, root } = await openStage(t, { mcp: { auto_ingest: false } })
  const folder = join(root, 'output', '.satchel', 'index.json')
  await mkdir(folder, { recursive: true })

  await assert.rejects(opened.call('search_modules', { query: 'nat' }), { reason: 'index_damaged' })
  await assert.rejects(opened.call('rebuild_modules', {}), { reason: 'storage_failed', message: /folder/ })

  await rm(folder, { recursive: true })
  assert.equal((await opened.call('rebuild_modules', {}))['modules'], 0)
})
