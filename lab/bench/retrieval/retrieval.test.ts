import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JudgedQuery } from '../../../plugins/modules/testing/evaluation.ts'
import { writeManyRecords } from '../../../plugins/modules/testing/many-records.ts'
import { startCli } from '../../../server/cli/testing/run-cli.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { runSatchel, withoutSockets } from '../../../test/satchel-process.ts'
import { readJudgedQueries } from './judged-file.ts'

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
  for (const { queries: count, interval, ndcg10 } of Object.values<KindRow>(hybrid.kinds)) {
    assert.ok(count > 0 && interval.low <= ndcg10 && ndcg10 <= interval.high)
  }
  assert.match(
    shown.out,
    /hybrid +nDCG@10 0\.\d{3} {2}hit@1 0\.\d{3} {2}MRR 0\.\d{3} {2}R5 [01]\.\d{3} .*beside keyword/,
  )
  assert.match(shown.out, / {2}paraphrase \(\d+\) +nDCG@10 0\.\d{3} .* \[0\.\d{3}, [01]\.\d{3}\]/)
  assert.equal(half.code, 3)
})

interface KindRow {
  readonly queries: number
  readonly ndcg10: number
  readonly interval: { readonly low: number; readonly high: number }
}

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

test('judged modules that were never ingested are counted, and refused when none was ingested', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 3, 1)
  const judged = async (...ids: readonly string[]) => {
    const grades = Object.fromEntries(ids.map((id) => [id, 2]))
    await writeFile(join(root, 'cases.json'), JSON.stringify([{ query: 'network', kind: 'lexical', grades }]))
    return bench(root, '--cases', 'cases.json', '--output-dir', 'out', '--json')
  }

  const some = await judged('acme/terraform-sample-0//.', 'acme/elsewhere//.')
  const none = await judged('acme/elsewhere//.')

  assert.equal(some.code, 0)
  assert.equal(JSON.parse(some.out).missing, 1)
  assert.equal(none.code, 3)
  assert.match(none.err + none.out, /None of the 1 judged modules was ingested/)
  assert.doesNotMatch(none.out, /0\.000/)
})

test('a query of which no judged module was ingested is left out and counted, so that no kind is 0 because of it', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 3, 1)
  const cases = [
    { query: 'private network', kind: 'lexical', relevant: ['acme/terraform-sample-0//.'] },
    {
      query: 'a cache',
      kind: 'paraphrase',
      grades: { 'acme/elsewhere//.': 2, 'acme/terraform-sample-0//.': 0 },
    },
    { query: 'pizza recipe', kind: 'negative', grades: { 'acme/terraform-sample-0//.': 0 } },
  ]
  await writeFile(join(root, 'cases.json'), JSON.stringify(cases))

  const { out } = await bench(root, '--cases', 'cases.json', '--output-dir', 'out', '--json')
  const shown = await bench(root, '--cases', 'cases.json', '--output-dir', 'out')

  const { arms, ...counts } = JSON.parse(out)
  assert.deepEqual(counts, { modules: 3, queries: 1, missing: 1, left_out: 1 })
  for (const { kinds, nothing } of arms) {
    assert.deepEqual(Object.keys(kinds), ['lexical'])
    assert.equal(nothing.negatives, 1)
  }
  assert.match(shown.out, /1 queries are left out: none of their modules was ingested/)
})

test('queries that nothing fits are counted, and how many were told so', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 5, 1)
  const cases = [
    { query: 'private network', kind: 'lexical', relevant: ['acme/terraform-sample-0//.'] },
    { query: 'pizza recipe', kind: 'negative' },
  ]
  await writeFile(join(root, 'cases.json'), JSON.stringify(cases))

  const { out } = await bench(root, '--cases', 'cases.json', '--output-dir', 'out')

  assert.match(out, /1 judged queries over 5 modules/)
  assert.match(out, /"nothing fits" +1 of 1 that nothing fits, 0 of 1 others/)
})

test('queries that nothing fits are measured alone, without figures of a ranking', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 3, 1)
  const cases = ['pizza recipe', 'tuba lessons'].map((query) => ({ query, kind: 'negative' }))
  await writeFile(join(root, 'cases.json'), JSON.stringify(cases))

  const shown = await bench(root, '--cases', 'cases.json', '--output-dir', 'out')

  assert.equal(shown.code, 0, shown.err)
  assert.match(shown.out, /0 judged queries over 3 modules/)
  assert.match(shown.out, /^hybrid *\n {2}"nothing fits" +2 of 2 that nothing fits, 0 of 0 others/m)
  assert.doesNotMatch(shown.out, /nDCG/)
})

test('the judged queries of the project cover every kind in both halves, and no query is in both', async () => {
  const folder = join(import.meta.dirname, 'judged')
  const [tuning, heldOut] = await Promise.all(
    ['tuning.json', 'held-out.json'].map((file) => readJudgedQueries(join(folder, file))),
  )
  assert.ok(tuning && heldOut)
  const kinds = (queries: readonly JudgedQuery[]) => [...new Set(queries.map(({ kind }) => kind))].sort()
  const repositories = new Set(
    [...tuning, ...heldOut].flatMap(({ grades }) => Object.keys(grades).map((id) => id.split('//')[0])),
  )

  assert.equal(kinds(tuning).length, 11)
  assert.deepEqual(kinds(tuning), kinds(heldOut))
  assert.ok(tuning.length + heldOut.length >= 200 && repositories.size >= 80)
  assert.deepEqual(
    tuning.filter(({ query }) => heldOut.some((other) => other.query === query)),
    [],
  )
})

test('a third set covers every kind in both halves, and shares no query with the others', async () => {
  const folder = join(import.meta.dirname, 'judged')
  const [tuning = [], heldOut = [], ...others] = await Promise.all(
    ['third-tuning.json', 'third-held-out.json', 'tuning.json', 'held-out.json'].map((file) =>
      readJudgedQueries(join(folder, file)),
    ),
  )
  const kinds = (queries: readonly JudgedQuery[]) => [...new Set(queries.map(({ kind }) => kind))].sort()
  const all = [...tuning, ...heldOut, ...others.flat()]

  assert.equal(kinds(tuning).length, 11)
  assert.deepEqual(kinds(tuning), kinds(heldOut))
  assert.ok(tuning.length + heldOut.length >= 130)
  assert.equal(new Set(all.map(({ query }) => query)).size, all.length)
})

test('more queries that nothing fits are in two halves of their own', async () => {
  const folder = join(import.meta.dirname, 'judged')
  const [tuning = [], heldOut = []] = await Promise.all(
    ['nothing-tuning.json', 'nothing-held-out.json'].map((file) => readJudgedQueries(join(folder, file))),
  )

  const all = [...tuning, ...heldOut]
  assert.ok(tuning.length >= 70 && heldOut.length >= 70)
  assert.ok(all.every(({ kind, grades }) => kind === 'negative' && Object.keys(grades).length === 0))
  assert.equal(new Set(all.map(({ query }) => query)).size, all.length)
})
