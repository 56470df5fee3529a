import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { type Merge, mergeRecords } from '../plugins/handoff/domain/merge.ts'
import { failedAttempts, type Handoff, ITEM_COLLECTIONS } from '../plugins/handoff/domain/record.ts'
import { diffRecords } from '../plugins/handoff/domain/record-diff.ts'
import { type Bench, leastMs, openBench, SMALL } from './handoff-fixture.ts'

const CASES = fileURLToPath(new URL('../plugins/handoff/testdata/handoff-cases.json', import.meta.url))
const BASE: Handoff = JSON.parse(readFileSync(CASES, 'utf8'))[0].record
const FULL = {
  ...SMALL,
  definition_of_done: ['done'],
  decisions: [
    { id: 'D-001', decision: 'Compare in constant time', rationale: 'secret', evidence_ids: ['E-001'] },
  ],
  evidence: [{ id: 'E-001', type: 'test', claim: 'passes', result: 'pass' }],
  artifacts: [{ path: 'src/callback.ts', note: 'kept' }],
  risks: [{ description: 'unrelated changes' }],
  constraints: ['Keep the URL'],
  open_items: [
    {
      id: 'O-001',
      priority: 'high',
      description: 'Add a fixture',
      suggested_action: 'Create it',
      acceptance_check: 'x',
      own: 1,
    },
    { id: 'O-002', description: 'Document it', suggested_action: 'Write', blocked_by: ['O-001'] },
  ],
}

const read = (bench: Bench, id: string): Handoff => JSON.parse(bench.read(`.handoffs/records/${id}.json`))

test('continue, fork and amend keep every item with its extras; only closes removes', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', FULL)
  for (const relation of ['continue', 'fork', 'amend']) {
    const child = await bench.call('handoff_branch', { id, relation, branch_label: 'another way' })

    const [parent, record] = [read(bench, id), read(bench, child.id)]
    for (const name of [
      'decisions',
      'evidence',
      'failed_attempts',
      'open_items',
      'risks',
      'artifacts',
    ] as const) {
      assert.deepEqual(record[name], parent[name], `${relation} ${name}`)
    }
    assert.deepEqual(record.lineage, {
      parents: [id],
      relation,
      branch_label: 'another way',
      merge_basis: [],
    })
    assert.deepEqual(record.summary.completed, [])
  }
  const closing = await bench.call('handoff_branch', {
    id,
    relation: 'fork',
    branch_label: 'x',
    overrides: { closes: ['O-001', 'O-777'] },
  })
  const record = read(bench, closing.id)
  assert.deepEqual(record.summary.completed, ['Add a fixture'])
  assert.deepEqual(
    record.open_items.map((item) => [item.id, item.blocked_by]),
    [['O-002', []]],
  )
  assert.equal(closing.warnings.length, 1)
})

test('a branch that cannot be is refused and writes nothing', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', FULL)
  const before = bench.files()
  const refused = [
    [{ id, relation: 'merge' }, 'use_merge'],
    [{ id, relation: 'fork' }, 'invalid_arguments'],
    [{ id: '0198c0de-0000-7000-8000-000000000000', relation: 'continue' }, 'parent_not_found'],
    [{ id: 'dead', relation: 'continue' }, 'parent_not_found'],
    [{ id, relation: 'continue', overrides: { titel: 'x' } }, 'invalid_arguments'],
  ] as const
  for (const [input, reason] of refused) await assert.rejects(bench.call('handoff_branch', input), { reason })
  assert.deepEqual(bench.files(), before)
})

test('of two children that go on from one record at once exactly one is conflicted', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', FULL)

  const children = await Promise.all(
    [1, 2].map(() => bench.call('handoff_branch', { id, relation: 'continue' })),
  )

  const flags = children.map((child) => read(bench, child.id).flags)
  assert.deepEqual(flags.flat(), ['conflicted'])
})

test('a child of a record with the legacy schema id carries the current one', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id, path } = await bench.call('handoff_create', FULL)
  bench.write(path, bench.read(path).replace('https://baton.dev/', 'https://threadline.dev/'))

  const child = await bench.call('handoff_branch', { id, relation: 'continue' })
  await bench.call('handoff_transition', { id, to: 'archived' })

  assert.match(read(bench, id).$schema, /threadline/)
  assert.match(read(bench, child.id).$schema, /baton/)
})

test('a merge joins what two children did, asks about what both changed, and becomes ready once decided', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', FULL)
  const fork = async (label: string, overrides: Record<string, unknown>) =>
    (await bench.call('handoff_branch', { id, relation: 'fork', branch_label: label, overrides })).id
  const left = await fork('left', {
    current_state: 'left state',
    decisions: [{ decision: 'Storage: Postgres', evidence_ids: ['mine'] }],
    evidence: [{ id: 'mine', claim: 'left claim' }],
    closes: ['O-001'],
  })
  const right = await fork('right', {
    current_state: 'right state',
    decisions: [{ decision: 'Storage: SQLite', evidence_ids: ['mine'] }],
    evidence: [{ id: 'mine', claim: 'right claim' }],
    failed_attempts: [{ approach: 'Use a global mutex around the writer' }],
  })

  const report = await bench.call('handoff_merge', { ids: [left, right] })
  const files = bench.files()
  const draft = await bench.call('handoff_merge', { ids: [right, left], strategy: 'draft' })

  assert.equal(report.child_id, undefined)
  assert.deepEqual(report.conflicts, draft.conflicts)
  assert.deepEqual(report.conflicts.map(({ kind }: { kind: string }) => kind).sort(), [
    'same_subject',
    'scalar',
  ])
  assert.equal(
    bench.files().length,
    files.length +
      1 +
      bench.files().filter((path) => path.includes('.locks')).length -
      files.filter((path) => path.includes('.locks')).length,
  )
  const child = read(bench, draft.child_id)
  assert.equal(child.lineage.relation, 'merge')
  assert.deepEqual(child.lineage.parents, [left, right].sort())
  assert.deepEqual(child.lineage.merge_basis, [id])
  assert.deepEqual(child.flags, ['conflicted'])
  assert.deepEqual(
    child.open_items.map((item) => [item.id, item.blocked_by]),
    [['O-002', []]],
  )
  await assert.rejects(
    bench.call('handoff_transition', { id: draft.child_id, to: 'ready', accept_warnings: 'x' }),
    {
      reason: 'conflicts_unresolved',
    },
  )

  const resolutions = report.conflicts.map(({ id: conflict_id, kind }: { id: string; kind: string }) => ({
    conflict_id,
    choose: kind === 'scalar' ? 'text' : left,
    text: 'joined state',
    rationale: 'agreed',
  }))
  const resolved = await bench.call('handoff_merge', { child: draft.child_id, resolutions })
  assert.equal(resolved.unresolved, 0)
  const final = read(bench, draft.child_id)
  assert.deepEqual(final.flags, [])
  assert.equal(final.summary.current_state, 'joined state')
  const said = final.decisions.map(({ decision }) => decision)
  assert.ok(said.includes('Storage: Postgres') && !said.includes('Storage: SQLite'))
  assert.equal(final.decisions.filter(({ decision }) => decision.startsWith('Merge, ')).length, 2)
  await bench.call('handoff_transition', { id: draft.child_id, to: 'ready', accept_warnings: 'a test' })
  for (const parent of [left, right]) assert.equal(read(bench, parent).status, 'superseded')
})

test('merging one record with itself, an unknown one or an unknown conflict is refused', async (t) => {
  const bench = await openBench(t, { repository: true })
  const a = (await bench.call('handoff_create', FULL)).id
  const b = (await bench.call('handoff_create', { ...FULL, parent: 'none', title: 'Another' })).id

  await assert.rejects(bench.call('handoff_merge', { ids: [a, a.toUpperCase()] }), {
    reason: 'too_few_parents',
  })
  await assert.rejects(bench.call('handoff_merge', { ids: [a] }), { reason: 'too_few_parents' })
  await assert.rejects(bench.call('handoff_merge', { ids: [a, 'ffff'] }), { reason: 'record_not_found' })
  const resolutions = [{ conflict_id: 'C-099', choose: a, rationale: 'x' }]
  await assert.rejects(bench.call('handoff_merge', { ids: [a, b], resolutions }), {
    reason: 'invalid_arguments',
  })
})

/** Short words from a small set, so that collisions happen. */
const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta')
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const edits = fc.record({
  title: fc.option(phrase, { nil: undefined }),
  drop: fc.array(fc.nat(3), { maxLength: 2 }),
  change: fc.array(fc.tuple(fc.nat(3), phrase), { maxLength: 2 }),
  decisions: fc.array(phrase, { maxLength: 3 }),
  evidence: fc.array(phrase, { maxLength: 3 }),
  open: fc.array(fc.tuple(phrase, fc.boolean()), { maxLength: 3 }),
  completed: fc.array(phrase, { maxLength: 3 }),
  redacted: fc.boolean(),
})

const START: Handoff = {
  ...BASE,
  decisions: [0, 1].map((n) => ({ ...first(BASE.decisions), id: `D-00${n + 1}`, decision: `base ${n}` })),
  open_items: [0, 1, 2].map((n) => ({
    ...first(BASE.open_items),
    id: `O-00${n + 1}`,
    description: `base ${n}`,
  })),
}

function first<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined) throw new Error('empty')
  return one
}

/** A child as a session leaves it: some items gone, some edited, new ones with the next ids. */
function childOf(
  base: Handoff,
  n: number,
  edit: typeof edits extends fc.Arbitrary<infer T> ? T : never,
): Handoff {
  const number = (start: number, index: number) => String(start + index).padStart(3, '0')
  const evidence = edit.evidence.map((claim, i) => ({
    ...first(base.evidence),
    id: `E-${number(2, i)}`,
    claim,
  }))
  const cited = evidence.map(({ id }) => id)
  const open = base.open_items
    .filter((_, i) => !edit.drop.includes(i))
    .map((item) => {
      const changed = edit.change.find(([index]) => item.id === `O-00${index + 1}`)
      return changed ? { ...item, description: changed[1] } : item
    })
  const fresh = edit.open.map(([description, isBlocked], i) => ({
    ...first(base.open_items),
    id: `O-${number(4, i)}`,
    description,
    blocked_by: isBlocked && i > 0 ? [`O-${number(4, i - 1)}`] : [],
  }))
  return {
    ...base,
    id: `0198c0de-7a3b-7c11-9a2e-00000000000${n}`,
    work: { ...base.work, title: edit.title ?? base.work.title },
    summary: { ...base.summary, completed: edit.completed },
    decisions: [
      ...base.decisions,
      ...edit.decisions.map((decision, i) => ({
        ...first(base.decisions),
        id: `D-${number(3, i)}`,
        decision,
        evidence_ids: cited,
      })),
    ],
    evidence: [...base.evidence, ...evidence],
    open_items: [...open, ...fresh],
  }
}

const SEED = Number(process.env['SEED'] ?? 20261121)

test(`merging loses nothing, depends on no order and leaves no dangling reference (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.array(edits, { minLength: 2, maxLength: 5 }), (all) => {
      const parents = all.map((edit, n) => childOf(START, n, edit))
      const merge = mergeRecords(START, parents)

      assertIdsAndReferences(merge.content)
      for (const parent of parents) assertNothingLost(parent, merge)
      assert.deepEqual(mergeRecords(START, [...parents].reverse()), merge)
    }),
    { seed: SEED, numRuns: 400 },
  )
})

function assertIdsAndReferences(content: Merge['content']): void {
  for (const name of ITEM_COLLECTIONS) {
    const items: readonly { id: string }[] = content[name]
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length, `${name}: ids`)
  }
  const known = new Set([...content.evidence, ...content.open_items].map(({ id }) => id))
  const cited = [...content.decisions, ...content.failed_attempts].flatMap(({ evidence_ids }) => evidence_ids)
  const waited = content.open_items
    .flatMap(({ blocked_by }) => blocked_by)
    .filter((id) => /^[A-Z]-\d{3}$/.test(id))
  for (const id of [...cited, ...waited]) assert.ok(known.has(id), `dangling ${id}`)
}

function assertNothingLost(parent: Handoff, { content, conflicts }: Merge): void {
  const claimsOf = (record: Pick<Handoff, 'evidence'>, ids: readonly string[]) =>
    JSON.stringify(ids.map((id) => record.evidence.find((item) => item.id === id)?.claim))
  for (const { decision, evidence_ids } of parent.decisions) {
    const kept = content.decisions.filter((item) => item.decision === decision)
    const wanted = claimsOf(parent, evidence_ids)
    assert.ok(
      kept.some((item) => claimsOf(content, item.evidence_ids) === wanted),
      `other evidence: ${decision}`,
    )
  }
  const claims = new Set(content.evidence.map(({ claim }) => claim))
  for (const { claim } of parent.evidence) assert.ok(claims.has(claim), claim)
  for (const text of parent.summary.completed) assert.ok(content.summary.completed.includes(text), text)
  const all = JSON.stringify([content.open_items, conflicts])
  const untouched = new Set(START.open_items.map(({ id, description }) => `${id} ${description}`))
  for (const { id, description } of parent.open_items) {
    if (!untouched.has(`${id} ${description}`))
      assert.ok(all.includes(JSON.stringify(description)), description)
  }
}

test(`merging a record with a copy of itself gives the record (seed ${SEED})`, () => {
  fc.assert(
    fc.property(edits, (edit) => {
      const one = childOf(START, 1, edit)
      const copy = { ...one, id: '0198c0de-7a3b-7c11-9a2e-000000000002' }

      const { content, conflicts } = mergeRecords(START, [one, copy])

      assert.deepEqual(conflicts, [])
      for (const name of ITEM_COLLECTIONS) {
        const texts = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).sort()
        assert.deepEqual(
          texts(content[name]),
          texts(name === 'failed_attempts' ? failedAttempts(one) : one[name]),
        )
      }
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test(`a difference is empty only between equals, and turns around with its sides (seed ${SEED})`, () => {
  fc.assert(
    fc.property(edits, edits, (left, right) => {
      const [a, b] = [childOf(START, 1, left), childOf(START, 1, right)]
      const [there, back] = [diffRecords(a, b), diffRecords(b, a)]

      assert.equal(diffRecords(a, structuredClone(a)).summary, 'no difference')
      assert.equal(there.added.length, back.removed.length)
      assert.equal(there.changed.length, back.changed.length)
    }),
    { seed: SEED, numRuns: 200 },
  )
})

test('lineage shows branches, missing parents and cycles of any length, in less than a second', async (t) => {
  const bench = await openBench(t)
  const id = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
  const put = (n: number, parents: number[]) =>
    bench.write(
      `.handoffs/records/${id(n)}.json`,
      JSON.stringify({
        ...BASE,
        id: id(n),
        lineage: {
          parents: parents.map(id),
          relation: parents.length ? 'continue' : 'root',
          branch_label: null,
          merge_basis: [],
        },
      }),
    )
  put(1, [])
  put(2, [1])
  put(3, [1])
  put(4, [4])
  put(5, [6])
  put(6, [5])
  put(7, [8])
  put(8, [9])
  put(9, [7])
  put(10, [99])
  put(11, [7])

  const graph = await bench.call('handoff_lineage')
  const around = await bench.call('handoff_lineage', { id: id(2), direction: 'ancestors' })
  const { problems } = await bench.call('handoff_doctor')

  assert.deepEqual(graph.cycles, [[id(4)], [id(5), id(6)], [id(7), id(8), id(9)]])
  assert.deepEqual(graph.missing_parents, [id(99)])
  assert.deepEqual(
    around.nodes.map((node: { id: string }) => node.id),
    [id(1), id(2)],
  )
  for (const n of [5, 7, 4]) {
    const verdict = await bench.call('handoff_validate', { id: id(n) })
    const failed = verdict.validation.checks.filter(({ status }: { status: string }) => status === 'fail')
    assert.ok(
      failed.some(({ name }: { name: string }) => name.startsWith('lineage')),
      String(n),
    )
  }
  const named = problems.filter(({ kind }: { kind: string }) => kind === 'lineage_cycle')
  assert.equal(named.length, 3)
  for (const [tool, input] of [
    ['handoff_lineage', {}],
    ['handoff_doctor', {}],
    ['handoff_validate', { id: id(7) }],
  ] as const) {
    const ms = await leastMs(() => bench.call(tool, input))
    assert.ok(ms < 1000, `${tool}: ${ms} ms`)
  }
})

test('a difference names items by id, not by place', async (t) => {
  const bench = await openBench(t)
  const [one, two] = [
    first(BASE.open_items),
    { ...first(BASE.open_items), id: 'O-002', description: 'second' },
  ]
  const a = { ...BASE, open_items: [one, two] }
  const b = { ...BASE, open_items: [{ ...two, priority: 'low' }, one] }

  const diff = await bench.call('handoff_diff', { a, b: JSON.stringify(b) })

  assert.deepEqual(diff.changed, [{ pointer: '/open_items/0/priority', before: 'high', after: 'low' }])
  assert.deepEqual([diff.added, diff.removed], [[], []])
})
