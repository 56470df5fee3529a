import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'
import { withinBytes } from './answer-budget.ts'

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
/** What `structured`, `freshness`, the path and what an answer says of itself take together, beside brief and record. */
const RESUME_BYTES = 75_000

const REPEATED = 'a line of an earlier session that says something of its own. '

/** Records of just under 1 MiB, each large in a way of its own. */
const LARGE: Readonly<Record<string, Record<string, unknown>>> = {
  'one long objective': { objective: REPEATED.repeat(16_000) },
  'constraints beyond number': { constraints: Array.from({ length: 4900 }, (_, n) => `${n} ${REPEATED}`) },
  'failed attempts beyond number': {
    failed_attempts: Array.from({ length: 2000 }, (_, n) => ({
      approach: `${n} ${REPEATED}`,
      reason: REPEATED,
      avoid_repeating: true,
    })),
  },
  'artifacts and evidence beyond number': {
    artifacts: Array.from({ length: 1000 }, (_, n) => ({ path: `missing/${n}.ts`, role: 'created' })),
    evidence: Array.from({ length: 3500 }, (_, n) => ({ type: 'file', claim: `${n}`, ref: `none/${n}.ts` })),
  },
  'long open items': {
    open_items: Array.from({ length: 100 }, (_, n) => ({
      description: `${n} ${REPEATED.repeat(80)}`,
      ...(n % 2 === 0 && { suggested_action: REPEATED.repeat(60) }),
    })),
  },
}

for (const [what, fields] of Object.entries(LARGE)) {
  test(`a resume of a record with ${what} stays within its bound, says what it left out, and its next call gives it`, async (t) => {
    const project = await openTestProject(t)
    const { id } = await project.call('handoff_create', { ...SMALL, hash_artifacts: false, ...fields })

    const answer = await project.call('handoff_resume', { id, mark: false })
    const full = await project.call('handoff_resume', { id, mark: false, format: 'full' })

    const { brief, record: _, ...bounded } = answer
    assert.ok(bytes(bounded) <= RESUME_BYTES, `${bytes(bounded)} bytes`)
    assert.ok(bytes(full) <= RESUME_BYTES + 200_000 + bytes(brief))
    assert.equal(answer.truncated.reason, 'over_budget')
    assert.equal(full.record, undefined)
    assert.equal(full.truncated.left_out.record, 1)
    const { tool, args } = answer.truncated.next
    const rest = await project.call(tool, args)
    const { part } = rest
    const given = Object.values(fields)[0] as string | unknown[]
    if (tool === 'handoff_get') assert.equal(part.length, given.length)
  })
}

test('what a resume leaves out and what it shows are together what the record has, and the first of each part is shown', async (t) => {
  const project = await openTestProject(t)
  const many = <T>(make: (n: number) => T, count = 300) => Array.from({ length: count }, (_, n) => make(n))
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    constraints: many((n) => `constraint ${n} ${REPEATED}`),
    failed_attempts: many((n) => ({ approach: `attempt ${n} ${REPEATED}`, avoid_repeating: true })),
    open_items: many((n) => ({
      description: `item ${n}`,
      suggested_action: `do ${n}`,
      priority: n === 250 ? 'high' : 'low',
    })),
    decisions: many((n) => ({ decision: `decision ${n}` })),
    evidence: many((n) => ({ type: 'file', claim: `claim ${n}`, ref: n === 200 ? 'src' : `none-${n}` })),
  })

  const { structured, freshness, truncated } = await project.call('handoff_resume', { id, mark: false })
  const whole = await project.call('handoff_freshness', { id, max_tokens: 1_000_000 })

  for (const name of ['constraints', 'do_not_retry', 'next_actions', 'decisions']) {
    assert.ok(structured[name].length > 0, name)
    assert.equal(structured[name].length + (truncated.left_out[name] ?? 0), 300, name)
  }
  assert.match(structured.next_actions[0].action, /do 250/)
  assert.match(structured.constraints[0], /^constraint 0 /)
  assert.equal(freshness.claims.length + truncated.left_out['freshness.claims'], 300)
  assert.equal(whole.claims.length, 300)
  assert.equal(whole.truncated, undefined)
  const worst = whole.claims.filter(({ verdict }: { verdict: string }) => verdict === 'contradicted')
  const shown = freshness.claims.filter(({ verdict }: { verdict: string }) => verdict === 'contradicted')
  assert.equal(shown.length, Math.min(worst.length, freshness.claims.length))
})

test('a record of ordinary size is resumed whole, and says nothing of a cut', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    constraints: ['one', 'two'],
    decisions: Array.from({ length: 20 }, (_, n) => ({ decision: `decision ${n}`, rationale: REPEATED })),
  })

  const answer = await project.call('handoff_resume', { id, mark: false, format: 'full' })

  assert.equal(answer.truncated, undefined)
  assert.equal(answer.structured.decisions.length, 20)
  assert.equal(answer.record.id, id)
})

const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`

/** Copies of a record in a line: each goes on from the one before. */
async function line(project: TestProject, count: number): Promise<void> {
  const { path } = await project.call('handoff_create', { ...SMALL, title: 'long title '.repeat(20) })
  const record = JSON.parse(project.read(path))
  for (let n = 0; n < count; n++) {
    const lineage = {
      ...record.lineage,
      relation: n === 0 ? 'root' : 'continue',
      parents: n === 0 ? [] : [idOf(n - 1)],
    }
    project.write(`.handoffs/records/${idOf(n)}.json`, JSON.stringify({ ...record, id: idOf(n), lineage }))
  }
}

test('a lineage of hundreds comes in pages: nearest first, each record and each edge once, all of them in the end', async (t) => {
  const project = await openTestProject(t)
  await line(project, 400)
  const start = idOf(200)
  const nodes: string[] = []
  const edges: { from: string; to: string }[] = []
  const leaves: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await project.call('handoff_lineage', {
      id: start,
      depth: 1000,
      ...(cursor !== undefined && { cursor }),
    })
    assert.ok(bytes(page) <= 80_000, `${bytes(page)} bytes`)
    assert.equal(page.total, 400)
    if (pages === 0) {
      const distances = page.nodes.map(({ id }: { id: string }) => Math.abs(200 - Number(id.slice(-12))))
      assert.equal(Math.max(...distances), 25)
    }
    nodes.push(...page.nodes.map(({ id }: { id: string }) => id))
    edges.push(...page.edges)
    leaves.push(...page.leaves)
    cursor = page.next_cursor ?? undefined
    pages++
  } while (cursor !== undefined)

  assert.equal(pages, 8)
  assert.deepEqual(
    nodes.toSorted(),
    Array.from({ length: 400 }, (_, n) => idOf(n)),
  )
  assert.equal(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size, 399)
  assert.equal(edges.length, 399)
  assert.ok(leaves.includes(idOf(399)))
  const { lineage_path, truncated } = await project.call('handoff_resume', { id: idOf(399), mark: false })
  assert.deepEqual([lineage_path.length, lineage_path.at(-1)], [50, idOf(399)])
  assert.equal(truncated.left_out.lineage_path, 350)
  const rest = await project.call(truncated.next.tool, truncated.next.args)
  assert.equal(rest.total, 400)
})

test('a cursor of another graph is refused, and a merge of thousands of parents stays within the bound', async (t) => {
  const project = await openTestProject(t)
  await line(project, 60)
  const { next_cursor } = await project.call('handoff_lineage', { id: idOf(30), limit: 10 })
  await assert.rejects(project.call('handoff_lineage', { id: idOf(31), limit: 10, cursor: next_cursor }), {
    code: 'invalid',
    reason: 'bad_cursor',
  })
  await assert.rejects(project.call('handoff_lineage', { cursor: 'nothing' }), { reason: 'bad_cursor' })

  const record = { ...JSON.parse(project.read(`.handoffs/records/${idOf(1)}.json`)), id: idOf(70) }
  record.lineage.parents = Array.from({ length: 20_000 }, (_, n) => idOf(100_000 + n))
  project.write(`.handoffs/records/${idOf(70)}.json`, JSON.stringify(record))
  const graph = await project.call('handoff_lineage', { id: idOf(70), depth: 1 })
  assert.ok(bytes(graph) <= 80_000, `${bytes(graph)} bytes`)
  assert.equal(graph.missing_parents.length + graph.truncated.left_out.missing_parents, 20_000)
  const { part } = await project.call(graph.truncated.next.tool, graph.truncated.next.args)
  assert.equal(part.length, 20_000)
})

test('lists share a budget: in turns, most important first, in the order they had, and what is missing is counted', () => {
  const lists = {
    long: Array.from({ length: 100 }, (_, n) => n + 100),
    short: ['a', 'b'],
    huge: ['x'.repeat(500)],
  }

  const { lists: kept, leftOut } = withinBytes(lists, 60, { long: (n) => -n })

  assert.deepEqual(kept.short, ['a', 'b'])
  assert.deepEqual(kept.long.at(-1), 199)
  assert.deepEqual(
    kept.long,
    kept.long.toSorted((a, b) => a - b),
  )
  assert.ok(bytes(kept.long) + bytes(kept.short) <= 60 + 4)
  assert.deepEqual(leftOut, { long: 100 - kept.long.length, huge: 1 })
  assert.deepEqual(withinBytes(lists, 10_000).leftOut, {})
})
