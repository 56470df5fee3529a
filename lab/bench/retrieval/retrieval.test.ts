import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeManyRecords } from '../../../plugins/modules/testing/many-records.ts'
import { startCli } from '../../../server/cli/testing/run-cli.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { runSatchel, withoutSockets } from '../../../test/satchel-process.ts'

const bench = (cwd: string, ...args: readonly string[]) =>
  startCli(['bench', 'retrieval', ...args], { cwd }).done

test('the search is measured on judged queries with the ladder, by kind and with its interval', async (t) => {
  const root = await temporaryFolder(t)

  const { code, out } = await bench(root, '--json')
  const shown = await bench(root)
  const half = await bench(root, '--cases', 'x.json')

  assert.equal(code, 0)
  const { arms, queries, modules } = JSON.parse(out)
  assert.deepEqual([queries, modules], [40, 42])
  assert.deepEqual(
    arms.map(({ arm }: { arm: string }) => arm),
    ['keyword', 'keyword + concepts', 'vector', 'hybrid', 'hybrid without lexicon'],
  )
  const hybrid = arms[3]
  assert.deepEqual(Object.keys(hybrid.kinds), ['cross-cloud', 'lexical', 'paraphrase', 'variable'])
  assert.ok(hybrid.difference.low > 0 && hybrid.difference.low <= hybrid.difference.mean)
  assert.match(shown.out, /hybrid +nDCG@10 0\.\d{3} {2}MRR 0\.\d{3} {2}R5 0\.\d{3} .*beside keyword/)
  assert.equal(half.code, 3)
})

test('judged queries of a file are measured on what was ingested, and no socket is opened', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 5, 1)
  const cases = [{ query: 'private network', kind: 'lexical', relevant: ['acme/terraform-sample-0//.'] }]
  await writeFile(join(root, 'cases.json'), JSON.stringify(cases))
  await writeFile(join(root, 'sockets'), '')

  const measured = await runSatchel(
    root,
    ['bench', 'retrieval', '--cases', 'cases.json', '--output-dir', 'out', '--json'],
    withoutSockets(join(root, 'sockets')),
  )

  assert.equal(measured.code, 0, measured.err)
  assert.equal(JSON.parse(measured.out).modules, 5)
  assert.equal(await readFile(join(root, 'sockets'), 'utf8'), '')
})
