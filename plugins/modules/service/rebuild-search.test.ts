import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ingested } from '../testing/search-project.ts'

test('a rebuild replaces a damaged store and one of another lexicon, and refuses one of another strategy', async (t) => {
  const { root, host, search } = await ingested(t)
  const file = join(root, 'vectors/infra_modules/index.json')
  const keyword = join(root, 'out/.satchel/keyword.json')
  const whole = await readFile(file, 'utf8')
  const stored = JSON.parse(whole)
  const byId = (text: string) =>
    new Map(JSON.parse(text).items.map((item: { id: string }) => [item.id, item]))
  const before = (await search(host, { query: 'in memory cache' })).results

  const otherLexicon = JSON.stringify({
    ...stored,
    satchel: { ...stored.satchel, lexicon_version: 'older' },
    items: stored.items.map((item: { vector: number[] }) => ({ ...item, vector: item.vector.toReversed() })),
  })
  for (const [text, reason] of [
    ['{"version":1', 'store_damaged'],
    [otherLexicon, 'embedding_mismatch'],
  ] as const) {
    await writeFile(file, text)
    await writeFile(keyword, '{"source":')
    await assert.rejects(search(host, { query: 'in memory cache' }), { code: 'conflict', reason })

    const rebuilt = await host.call('rebuild_modules')

    assert.equal(rebuilt['vectors'], stored.items.length)
    assert.deepEqual(byId(await readFile(file, 'utf8')), byId(whole))
    assert.deepEqual((await search(host, { query: 'in memory cache' })).results, before)
    assert.equal(typeof JSON.parse(await readFile(keyword, 'utf8')).index, 'object')
  }

  const other = JSON.stringify({
    ...stored,
    satchel: { ...stored.satchel, strategy: 'hosted-a', model: 'm' },
  })
  await writeFile(file, other)
  await assert.rejects(host.call('rebuild_modules'), { code: 'conflict', reason: 'embedding_mismatch' })
  assert.equal(await readFile(file, 'utf8'), other)
})

test('a rebuild of another folder of summaries leaves the configured store alone', async (t) => {
  const { root, host } = await ingested(t)
  const file = join(root, 'vectors/infra_modules/index.json')
  const before = await readFile(file)
  await mkdir(join(root, 'elsewhere'))

  const rebuilt = await host.call('rebuild_modules', { output_dir: join(root, 'elsewhere') })

  assert.deepEqual([rebuilt['modules'], rebuilt['vectors']], [0, 0])
  assert.deepEqual(await readFile(file), before)
})
