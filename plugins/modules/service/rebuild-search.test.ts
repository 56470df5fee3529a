import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ingested } from '../testing/search-project.ts'
import { storedItems, writeStore } from '../testing/store-items.ts'

test('a rebuild replaces a damaged store and one of another lexicon, and refuses one of another strategy', async (t) => {
  const { root, host, search } = await ingested(t)
  const folder = join(root, 'vectors/infra_modules')
  const index = join(root, 'out/.satchel/search/current')
  const { header, items } = storedItems(folder)
  const whole = await readFile(index)
  const before = (await search(host, { query: 'in memory cache' })).results
  const reversed = items.map((item) => ({ ...item, vector: item.vector.toReversed() }))
  const damages = {
    store_damaged: () => writeFile(join(folder, 'current'), 'satchel'),
    embedding_mismatch: () => writeStore(folder, { ...header, lexicon_version: 'older' }, reversed),
  }
  for (const [reason, damage] of Object.entries(damages)) {
    await damage()
    await writeFile(index, whole.subarray(0, 99))
    await assert.rejects(search(host, { query: 'in memory cache' }), { code: 'conflict', reason })

    const rebuilt = await host.call('rebuild_modules')

    assert.equal(rebuilt['vectors'], items.length)
    assert.deepEqual(storedItems(folder), { header, items })
    assert.deepEqual((await search(host, { query: 'in memory cache' })).results, before)
    assert.deepEqual(await readFile(index), whole)
  }

  await writeStore(folder, { ...header, strategy: 'hosted-a', model: 'm' }, items)
  const other = await readFile(join(folder, 'current'))
  await assert.rejects(host.call('rebuild_modules'), { code: 'conflict', reason: 'embedding_mismatch' })
  assert.deepEqual(await readFile(join(folder, 'current')), other)
})

test('a rebuild of another folder of summaries leaves the configured store alone', async (t) => {
  const { root, host } = await ingested(t)
  const file = join(root, 'vectors/infra_modules/current')
  const before = await readFile(file)
  await mkdir(join(root, 'elsewhere'))

  const rebuilt = await host.call('rebuild_modules', { output_dir: join(root, 'elsewhere') })

  assert.deepEqual([rebuilt['modules'], rebuilt['vectors']], [0, 0])
  assert.deepEqual(await readFile(file), before)
})
