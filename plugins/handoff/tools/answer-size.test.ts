import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCli } from '../../../server/cli/testing/run-cli.ts'
import type { Handoff } from '../domain/record.ts'
import { contextOf, openTestProject, SMALL } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'

const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer))

/** A record whose lists hold `count` texts of 200 characters each, none of them in another's. */
function large(n: number, count: number): Handoff {
  const texts = (name: string) =>
    Array.from({ length: count }, (_, at) => `${name} ${n}.${at} `.padEnd(200, 'é'))
  return {
    ...VALID,
    id: idOf(n),
    work: { ...VALID.work, constraints: texts('constraint') },
    summary: { ...VALID.summary, completed: texts('done') },
  }
}

test('the examination of a store comes in pages that give each problem once', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  for (let n = 0; n < 120; n++) project.write(`.handoffs/records/${idOf(n)}.json`, '')

  const seen: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await project.call('handoff_doctor', cursor === undefined ? {} : { cursor })
    assert.equal(page.total, 120)
    assert.ok(page.problems.length <= 50)
    seen.push(...page.problems.map(({ path }: { path: string }) => path))
    cursor = page.next_cursor ?? undefined
    pages++
  } while (cursor !== undefined)

  assert.deepEqual([pages, seen.length, new Set(seen).size], [3, 120, 120])
  await assert.rejects(project.call('handoff_doctor', { cursor: 'x' }), { reason: 'bad_cursor' })
})

test('a cycle of many records is one problem with a few names', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  for (let n = 0; n < 60; n++) {
    const lineage = { ...VALID.lineage, relation: 'continue', parents: [idOf((n + 1) % 60)] }
    project.write(`.handoffs/records/${idOf(n)}.json`, JSON.stringify({ ...VALID, id: idOf(n), lineage }))
  }

  const { problems } = await project.call('handoff_doctor')

  const cycle = problems.find(({ kind }: { kind: string }) => kind === 'lineage_cycle')
  assert.match(cycle.detail, /and 50 more; handoff_lineage shows all$/)
})

test('a list and the index name a few damaged files and count the others', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  for (let n = 0; n < 120; n++) project.write(`.handoffs/records/${idOf(n)}.json`, '')
  const index = project.host.registry.resources.find(({ resource }) => resource.uri === 'handoff://index')

  const { problems, truncated } = await project.call('handoff_list')
  const shown = await index?.resource.read(contextOf(project.root), 'handoff://index', {})

  assert.equal(problems.length, 20)
  assert.deepEqual(truncated.left_out, { problems: 100 })
  assert.equal((await project.call(truncated.next.tool, truncated.next.args)).total, 120)
  assert.equal(JSON.parse(shown?.text ?? '').problems.length, 100)
  assert.equal(shown?.truncated, true)
})

test('a list by title reads on after a title of any length', async (t) => {
  const project = await openTestProject(t)
  for (const word of ['a', 'b', 'c']) {
    await project.call('handoff_create', { ...SMALL, title: word.repeat(5000), parent: 'none' })
  }

  const first = await project.call('handoff_list', { sort: 'title', limit: 2 })
  const second = await project.call('handoff_list', { sort: 'title', limit: 2, cursor: first.next_cursor })

  assert.deepEqual(
    [first, second].map(({ items }) => items.length),
    [2, 1],
  )
  assert.ok(first.next_cursor.length < 1000)
})

test('a comparison of large records stays small, counts what it leaves out and says how to read on', async (t) => {
  const project = await openTestProject(t)
  const [a, b] = [large(1, 400), large(2, 400)]
  for (const record of [a, b]) project.write(`.handoffs/records/${record.id}.json`, JSON.stringify(record))

  const diff = await project.call('handoff_diff', { a: a.id, b: b.id })
  const all = await project.call(diff.truncated.next.tool, diff.truncated.next.args)

  assert.ok(bytesOf(diff) < 40_000, `${bytesOf(diff)} bytes`)
  assert.ok(diff.added.length > 10 && diff.removed.length > 10)
  assert.equal(diff.added.length + diff.truncated.left_out.added, 800)
  assert.equal(diff.summary, all.summary)
  assert.deepEqual([all.added.length, all.removed.length, all.truncated], [800, 800, undefined])
})

test('a difference longer than any answer is read from the record', async (t) => {
  const project = await openTestProject(t)
  const a = large(1, 0)
  const b = { ...a, id: idOf(2), x_long: 'x'.repeat(20_000) }
  for (const record of [a, b]) project.write(`.handoffs/records/${record.id}.json`, JSON.stringify(record))

  const given = await project.call('handoff_diff', {
    a,
    b: { ...b, x_long: 'x'.repeat(1_300_000) },
    max_tokens: 300_000,
  })
  const diff = await project.call('handoff_diff', { a: a.id, b: b.id, max_tokens: 1000 })
  const wider = await project.call(diff.truncated.next.tool, diff.truncated.next.args)

  assert.deepEqual(diff.truncated.left_out, { added: 1 })
  assert.equal(wider.added[0].value.length, 20_000)
  assert.deepEqual(given.truncated.left_out, { added: 1 })
  assert.match(given.warnings[0], /give the record again/)
  assert.ok(bytesOf(given) < 2000)
})

test('a long export comes in parts that joined are the text, also between the bytes of a character', async (t) => {
  const project = await openTestProject(t)
  const text = JSON.stringify(large(1, 400))
  project.write(`.handoffs/records/${idOf(1)}.json`, text)
  const whole = await project.call('handoff_export', { id: idOf(1), format: 'json', max_tokens: 0 })

  const parts: string[] = []
  let call: { tool: string; args: Record<string, unknown> } | undefined = {
    tool: 'handoff_export',
    args: { id: idOf(1), format: 'json', max_tokens: 2501 },
  }
  while (call) {
    const answer: { content: string; sha256: string; bytes: number; truncated?: { next: typeof call } } =
      await project.call(call.tool, call.args)
    assert.deepEqual([answer.sha256, answer.bytes], [whole.sha256, Buffer.byteLength(text)])
    assert.ok(Buffer.byteLength(answer.content) <= 2501 * 4)
    parts.push(answer.content)
    call = answer.truncated?.next
  }

  assert.equal(whole.content, text)
  assert.equal(parts.length, Math.ceil(Buffer.byteLength(text) / 10_004))
  assert.equal(parts.join(''), text)
  const inside = { id: idOf(1), format: 'json', offset: Buffer.from(text).indexOf(Buffer.from('é')) + 1 }
  await assert.rejects(project.call('handoff_export', inside), { reason: 'invalid_arguments' })
  await assert.rejects(project.call('handoff_export', { ...inside, offset: 10_000_000 }), {
    reason: 'invalid_arguments',
  })
})

test('an export of 200 KB is the bound of one answer, and at the command line a file is whole', async (t) => {
  const project = await openTestProject(t)
  const text = JSON.stringify(large(1, 1000))
  project.write(`.handoffs/records/${idOf(1)}.json`, text)

  const { content, bytes, truncated } = await project.call('handoff_export', { id: idOf(1), format: 'json' })
  const argv = ['handoff', 'export', idOf(1), '--format', 'json', '--project', project.root, '-o', 'out.json']
  const ran = await startCli(argv, { cwd: project.root }).done

  assert.equal(bytes, Buffer.byteLength(text))
  assert.ok(bytes > 400_000 && Buffer.byteLength(content) <= 200_000)
  assert.equal(truncated.left_out.bytes, bytes - Buffer.byteLength(content))
  assert.deepEqual([ran.code, readFileSync(join(project.root, 'out.json'), 'utf8') === text], [0, true])
})

test('the latest record is listed as a resource once there is one', async (t) => {
  const project = await openTestProject(t)
  const latest = project.host.registry.resources.find(({ resource }) => resource.uri === 'handoff://latest')
  const isListed = () => latest?.resource.exists?.(contextOf(project.root))

  const before = await isListed()
  await project.call('handoff_create', SMALL)

  assert.deepEqual([before, await isListed()], [false, true])
})
