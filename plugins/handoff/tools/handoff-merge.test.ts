import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handoff } from '../domain/record.ts'
import { leastMs, openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'

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

const read = (project: TestProject, id: string): Handoff =>
  JSON.parse(project.read(`.handoffs/records/${id}.json`))

test('continue, fork and amend keep every item with its extras; only closes removes', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FULL)
  for (const relation of ['continue', 'fork', 'amend']) {
    const child = await project.call('handoff_branch', { id, relation, branch_label: 'another way' })

    const [parent, record] = [read(project, id), read(project, child.id)]
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
  const closing = await project.call('handoff_branch', {
    id,
    relation: 'fork',
    branch_label: 'x',
    overrides: { closes: ['O-001', 'O-777'] },
  })
  const record = read(project, closing.id)
  assert.deepEqual(record.summary.completed, ['Add a fixture'])
  assert.deepEqual(
    record.open_items.map((item) => [item.id, item.blocked_by]),
    [['O-002', []]],
  )
  assert.equal(closing.warnings.length, 1)
})

test('a branch that cannot be is refused and writes nothing', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FULL)
  const before = project.files()
  const refused = [
    [{ id, relation: 'merge' }, 'use_merge'],
    [{ id, relation: 'fork' }, 'invalid_arguments'],
    [{ id: '0198c0de-0000-7000-8000-000000000000', relation: 'continue' }, 'parent_not_found'],
    [{ id: 'dead', relation: 'continue' }, 'parent_not_found'],
    [{ id, relation: 'continue', overrides: { titel: 'x' } }, 'invalid_arguments'],
  ] as const
  for (const [input, reason] of refused)
    await assert.rejects(project.call('handoff_branch', input), { reason })
  assert.deepEqual(project.files(), before)
})

test('a child of a record with the legacy schema id carries the current one', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await project.call('handoff_create', FULL)
  project.write(path, project.read(path).replace('https://baton.dev/', 'https://threadline.dev/'))

  const child = await project.call('handoff_branch', { id, relation: 'continue' })
  await project.call('handoff_transition', { id, to: 'archived' })

  assert.match(read(project, id).$schema, /threadline/)
  assert.match(read(project, child.id).$schema, /baton/)
})

test('a merge joins what two children did, asks about what both changed, and becomes ready once decided', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FULL)
  const fork = async (label: string, overrides: Record<string, unknown>) =>
    (await project.call('handoff_branch', { id, relation: 'fork', branch_label: label, overrides })).id
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

  const report = await project.call('handoff_merge', { ids: [left, right] })
  const files = project.files()
  const draft = await project.call('handoff_merge', { ids: [right, left], strategy: 'draft' })

  assert.equal(report.child_id, undefined)
  assert.deepEqual(report.conflicts, draft.conflicts)
  assert.deepEqual(report.conflicts.map(({ kind }: { kind: string }) => kind).sort(), [
    'same_subject',
    'scalar',
  ])
  assert.equal(
    project.files().length,
    files.length +
      1 +
      project.files().filter((path) => /\.locks|\.cache/.test(path)).length -
      files.filter((path) => /\.locks|\.cache/.test(path)).length,
  )
  const child = read(project, draft.child_id)
  assert.equal(child.lineage.relation, 'merge')
  assert.deepEqual(child.lineage.parents, [left, right].sort())
  assert.deepEqual(child.lineage.merge_basis, [id])
  assert.deepEqual(child.flags, ['conflicted'])
  assert.deepEqual(
    child.open_items.map((item) => [item.id, item.blocked_by]),
    [['O-002', []]],
  )
  await assert.rejects(
    project.call('handoff_transition', { id: draft.child_id, to: 'ready', accept_warnings: 'x' }),
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
  const resolved = await project.call('handoff_merge', { child: draft.child_id, resolutions })
  assert.equal(resolved.unresolved, 0)
  const final = read(project, draft.child_id)
  assert.deepEqual(final.flags, [])
  assert.equal(final.summary.current_state, 'joined state')
  const said = final.decisions.map(({ decision }) => decision)
  assert.ok(said.includes('Storage: Postgres') && !said.includes('Storage: SQLite'))
  assert.equal(final.decisions.filter(({ decision }) => decision.startsWith('Merge, ')).length, 2)
  await project.call('handoff_transition', { id: draft.child_id, to: 'ready', accept_warnings: 'a test' })
  for (const parent of [left, right]) assert.equal(read(project, parent).status, 'superseded')
})

test('merging one record with itself, an unknown one or an unknown conflict is refused', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const a = (await project.call('handoff_create', FULL)).id
  const b = (await project.call('handoff_create', { ...FULL, parent: 'none', title: 'Another' })).id

  await assert.rejects(project.call('handoff_merge', { ids: [a, a.toUpperCase()] }), {
    reason: 'too_few_parents',
  })
  await assert.rejects(project.call('handoff_merge', { ids: [a] }), { reason: 'too_few_parents' })
  await assert.rejects(project.call('handoff_merge', { ids: [a, 'ffff'] }), { reason: 'record_not_found' })
  const resolutions = [{ conflict_id: 'C-099', choose: a, rationale: 'x' }]
  await assert.rejects(project.call('handoff_merge', { ids: [a, b], resolutions }), {
    reason: 'invalid_arguments',
  })
})

test('lineage shows branches, missing parents and cycles of any length, in less than a second', async (t) => {
  const project = await openTestProject(t)
  const id = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
  const put = (n: number, parents: number[]) =>
    project.write(
      `.handoffs/records/${id(n)}.json`,
      JSON.stringify({
        ...VALID,
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

  const graph = await project.call('handoff_lineage')
  const around = await project.call('handoff_lineage', { id: id(2), direction: 'ancestors' })
  const { problems } = await project.call('handoff_doctor')

  assert.deepEqual(graph.cycles, [[id(4)], [id(5), id(6)], [id(7), id(8), id(9)]])
  assert.deepEqual(graph.missing_parents, [id(99)])
  assert.deepEqual(
    around.nodes.map((node: { id: string }) => node.id),
    [id(1), id(2)],
  )
  for (const n of [5, 7, 4]) {
    const verdict = await project.call('handoff_validate', { id: id(n) })
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
    const ms = await leastMs(() => project.call(tool, input))
    assert.ok(ms < 1000, `${tool}: ${ms} ms`)
  }
})

test('a resolution that makes the record too large is refused and changes nothing', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', FULL)
  const fork = async (label: string) => {
    const overrides = { current_state: `${label} state` }
    return (await project.call('handoff_branch', { id, relation: 'fork', branch_label: label, overrides })).id
  }
  const ids = [await fork('left'), await fork('right')]
  const { child_id: child, conflicts } = await project.call('handoff_merge', { ids, strategy: 'draft' })
  const before = project.read(`.handoffs/records/${child}.json`)

  const text = 'x'.repeat(1024 * 1024)
  const resolutions = [{ conflict_id: conflicts[0].id, choose: 'text', text, rationale: 'a test' }]
  await assert.rejects(project.call('handoff_merge', { child, resolutions }), {
    code: 'too_large',
    reason: 'record_too_large',
  })

  assert.equal(project.read(`.handoffs/records/${child}.json`), before)
})
