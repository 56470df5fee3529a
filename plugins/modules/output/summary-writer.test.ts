import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import type { IndexRecord } from './module-index.ts'
import { createSummaryWriter } from './summary-writer.ts'

function recordOf(summary_file: string, ref = 'v1'): IndexRecord {
  return {
    id: summary_file,
    repository: 'https://git.example/a',
    name: 'a',
    ref,
    ref_kind: 'tag',
    path: '.',
    kind: 'root',
    commit: '',
    options_digest: '',
    summary_file,
    summary_sha256: '',
    description: '',
    provider: '',
    providers: [],
    tags: [],
    counts: { variables: 0, required: 0, outputs: 0, resources: 0 },
    last_updated: '',
    embedded: false,
  }
}

test('more summaries than are written concurrently are all there after a flush, and told then', async (t) => {
  const dir = await temporaryFolder(t)
  const told: string[] = []
  const writer = createSummaryWriter(join(dir, 'out'), ({ summary_file }) => told.push(summary_file))
  const names = Array.from({ length: 50 }, (_, at) => `${String(at).padStart(2, '0')}.json`)

  for (const name of names) await writer.write(recordOf(name), [Buffer.from(name), Buffer.from('\n')])
  await Promise.all([writer.flush(), writer.flush()])

  assert.deepEqual((await readdir(join(dir, 'out'))).sort(), names)
  assert.deepEqual(told, names)
  assert.equal(writer.count(), 50)
  assert.equal(await readFile(join(dir, 'out', '49.json'), 'utf8'), '49.json\n')
})

test('of two summaries for one file the later stays, however long the first takes to write', async (t) => {
  const dir = await temporaryFolder(t)
  const told: string[] = []
  const writer = createSummaryWriter(dir, ({ ref }: IndexRecord) => told.push(ref))
  const large = Buffer.alloc(32 * 1024 * 1024, 'x')

  await writer.write(recordOf('a.json', 'first'), [large])
  await writer.write(recordOf('a.json', 'second'), [Buffer.from('small')])
  await writer.flush()

  assert.equal(await readFile(join(dir, 'a.json'), 'utf8'), 'small')
  assert.deepEqual(told, ['first', 'second'])
})

test('a failed write of a summary fails every later call, and no summary counts as written', async (t) => {
  const dir = await temporaryFolder(t)
  await writeFile(join(dir, 'out'), 'in the way')
  const told: string[] = []
  const writer = createSummaryWriter(join(dir, 'out'), ({ summary_file }) => told.push(summary_file))
  const failed = { code: 'unavailable', reason: 'storage_failed' }

  await writer.write(recordOf('a.json'), [Buffer.from('a')])

  await assert.rejects(writer.flush(), failed)
  await assert.rejects(writer.write(recordOf('b.json'), [Buffer.from('b')]), failed)
  await assert.rejects(writer.flush(), failed)
  assert.deepEqual(told, [])
})
