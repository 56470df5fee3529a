import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'

const PLAIN = 'something that an earlier session found out and wrote down. '
const evidence = (count: number, chars: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'observation',
    claim: `${n} ${PLAIN.repeat(Math.ceil(chars / PLAIN.length))}`.slice(0, chars),
  }))
/** Just under what a record may have. */
const NEARLY_FULL = {
  ...SMALL,
  completed: ['x'],
  hash_artifacts: false,
  capture_git: false,
  evidence: evidence(102, 10_000),
}

async function refusal(project: TestProject, tool: string, input: Record<string, unknown>): Promise<Answer> {
  const before = project.files()
  const thrown = await project.call(tool, input).then(
    () => assert.fail('it was stored'),
    (error: Answer) => error,
  )
  assert.equal(thrown.code, 'too_large')
  assert.deepEqual(
    project.files().filter((path) => path.includes('/records/')),
    before.filter((path) => path.includes('/records/')),
  )
  return thrown
}

test('a child that inherits too much from a draft is told to shorten the draft, and then it can go on from it', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', NEARLY_FULL)
  const overrides = { current_state: 'y'.repeat(30_000) }

  const refused = await refusal(project, 'handoff_branch', { id, relation: 'continue', overrides })

  assert.equal(refused.reason, 'record_too_large')
  assert.match(refused.message, /evidence 10[0-9]+ bytes.*handoff_update/)
  assert.doesNotMatch(refused.message, /Shorten it/)
  assert.ok(refused.details.inherited_bytes.evidence > 1_000_000)
  const outline = await project.call(refused.next.tool, refused.next.args)
  assert.match(outline.part.evidence, /102 items, 1[0-9]+ bytes/)
  await project.call('handoff_update', {
    id,
    if_match: outline.etag,
    patch: [0, 1, 2, 3].map(() => ({ op: 'remove', path: '/evidence/0' })),
  })
  const child = await project.call('handoff_branch', { id, relation: 'continue', overrides })
  assert.equal(JSON.parse(project.read(child.path)).lineage.parents[0], id)
})

test('a child that inherits too much from a released record is told to start a new record, and that record can be written', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', NEARLY_FULL)
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const input = { id, relation: 'continue', overrides: { current_state: 'y'.repeat(30_000) } }

  const refused = await refusal(project, 'handoff_branch', input)
  const created = await refusal(project, 'handoff_create', {
    ...SMALL,
    parent: id,
    completed: ['z'.repeat(30_000)],
  })

  assert.match(refused.message, /closes.*handoff_create and parent: none/)
  assert.match(refused.message, new RegExp(id))
  assert.equal(created.message.replace(/[0-9]+ bytes; /, ''), refused.message.replace(/[0-9]+ bytes; /, ''))
  const { text } = await project.call(refused.next.tool, refused.next.args)
  const fresh = await project.call('handoff_create', {
    ...SMALL,
    parent: 'none',
    current_state: `Goes on from ${id}. ${text.slice(0, 5000)}`,
  })
  assert.equal(JSON.parse(project.read(fresh.path)).lineage.relation, 'root')
})

test('a child whose own part is too long is told how much room there is, and what fits into it is stored', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', { ...NEARLY_FULL, evidence: evidence(60, 10_000) })
  const branch = (count: number) => ({
    id,
    relation: 'fork',
    branch_label: 'other',
    overrides: { evidence: evidence(count, 10_000).map((item) => ({ ...item, ref: 'its own' })) },
  })

  const refused = await refusal(project, 'handoff_branch', branch(60))

  const { room_bytes: room } = refused.details
  assert.match(refused.message, new RegExp(`room for ${room} bytes`))
  assert.ok(room > 400_000 && room < 450_000)
  await project.call('handoff_branch', branch(Math.floor(room / 10_300)))
})

test('a merge of more than a record can hold is told to go on from one parent, which can be done', async (t) => {
  const project = await openTestProject(t)
  const { id: left } = await project.call('handoff_create', {
    ...NEARLY_FULL,
    evidence: evidence(60, 10_000),
  })
  const { id: right } = await project.call('handoff_create', {
    ...NEARLY_FULL,
    evidence: evidence(70, 9_000),
  })

  const refused = await refusal(project, 'handoff_merge', { ids: [left, right], strategy: 'draft' })

  assert.match(refused.message, /handoff_branch/)
  await project.call(refused.next.tool, refused.next.args)
  await project.call('handoff_branch', {
    id: left,
    relation: 'continue',
    overrides: { discoveries: [`What ${right} found: ${PLAIN}`] },
  })
})

test('a child of a record with all the items there may be is told so, and too many of its own are told how many fit', async (t) => {
  const project = await openTestProject(t)
  const risks = (count: number, whose = '') =>
    Array.from({ length: count }, (_, n) => ({ description: `${whose}${n}` }))
  const { id } = await project.call('handoff_create', { ...NEARLY_FULL, evidence: [], risks: risks(4_000) })

  const refused = await refusal(project, 'handoff_branch', {
    id,
    relation: 'continue',
    overrides: { risks: risks(1_500, 'own ') },
  })

  assert.equal(refused.reason, 'too_many_items')
  assert.match(refused.message, /and 1000 items: shorten what is given/)
})
