import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, openTestProject, SMALL } from './testing/fixture.ts'

const SESSION = { env: { SATCHEL_SESSION: 'one' } }
const GHP = `ghp_${'a1B2'.repeat(9)}`

test('notes share one draft of the session, and each becomes an item of its kind', async (t) => {
  const project = await openTestProject(t, { repository: true, ...SESSION })
  const note = (kind: string, text: string, why?: string) =>
    project.call('handoff_note', { kind, text, ...(why && { why }) })

  const first = await note('decision', 'Compare in constant time', 'timing tells the prefix')
  const others = [
    await note('failed', 'Kept the state in a cookie', 'browsers drop it'),
    await note('next', 'Write the fixture'),
    await note('done', 'Wrote the helper'),
    await note('next', 'Run the suite instead'),
  ]
  const { record } = await project.call('handoff_get', { id: first.id })
  const { brief } = await project.call('handoff_resume')

  assert.deepEqual(
    [first.created, ...others.map(({ created }) => created)],
    [true, false, false, false, false],
  )
  assert.equal(new Set([first.id, ...others.map(({ id }) => id)]).size, 1)
  assert.deepEqual(
    [first.item, ...others.map(({ item }) => item)],
    ['D-001', 'F-001', 'O-001', undefined, 'O-002'],
  )
  assert.equal(record.decisions[0].rationale, 'timing tells the prefix')
  assert.deepEqual(
    [record.failed_attempts[0].avoid_repeating, record.summary.completed],
    [true, ['Wrote the helper']],
  )
  assert.match(brief, /Next action \(O-002, high\): Run the suite instead$/m)
  assert.match(brief, /Do not retry \(F-001\): Kept the state in a cookie/)
})

test('the draft of a note continues what the session resumed, and keeps everything of it', async (t) => {
  const project = await openTestProject(t, { repository: true, ...SESSION })
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    constraints: ['Keep the address'],
    open_items: [{ priority: 'high', description: 'x', suggested_action: 'the earlier step' }],
  })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await project.call('handoff_resume', { id })

  const noted = await project.call('handoff_note', { kind: 'failed', text: 'A longer timeout' })
  const { record } = await project.call('handoff_get', { id: noted.id })

  assert.deepEqual(record.lineage.parents, [id])
  assert.deepEqual([record.work.objective, record.work.constraints], [SMALL.objective, ['Keep the address']])
  assert.equal(record.open_items[0].suggested_action, 'the earlier step')
})

test('the next action that a session named leads in every record that continues its own, until one names another', async (t) => {
  const project = await openTestProject(t, { repository: true, ...SESSION })
  const note = (of: typeof project, kind: string, text: string) => of.call('handoff_note', { kind, text })
  const { id } = await note(project, 'next', 'the older step')
  await note(project, 'next', 'the newer step')
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const other = await openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: 'two' } })
  await other.call('handoff_resume')
  const nextOf = async () =>
    (await other.call('handoff_resume', { mark: false })).brief.match(/: the .* step$/m)[0]

  await note(other, 'decision', 'Compare in constant time')
  const noted = await nextOf()
  await other.call('handoff_create', SMALL)
  const continued = await nextOf()
  const { id: branch } = await other.call('handoff_branch', {
    id,
    relation: 'fork',
    branch_label: 'another way',
  })
  const forked = await other.call('handoff_get', { id: branch })
  await note(other, 'next', 'the last step')

  assert.deepEqual(
    [noted, continued, await nextOf()],
    [': the newer step', ': the newer step', ': the last step'],
  )
  assert.equal(forked.record.x_satchel.next, 'O-002')
})

test('a note never changes what is released or what another session wrote, and holds no secret', async (t) => {
  const project = await openTestProject(t, { repository: true, ...SESSION })
  const { id, path } = await project.call('handoff_create', {
    ...SMALL,
    open_items: [{ description: 'x', suggested_action: 'y' }],
  })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const before = project.read(path)
  const other = await openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: 'two' } })

  const noted = await other.call('handoff_note', { kind: 'done', text: `used ${GHP}` })
  const second = await other.call('handoff_note', { kind: 'done', text: `used ${GHP} too` })
  const again = await project.call('handoff_note', { kind: 'done', text: 'more' })

  assert.notEqual(noted.id, again.id)
  assert.deepEqual([noted.warnings, second.warnings], Array(2).fill(['1 secret was redacted.']))
  assert.equal(project.read(path), before)
  assert.ok(project.files().every((file) => !project.read(file).includes(GHP)))
})

test('notes of two calls at the same moment are in one draft', async (t) => {
  const project = await openTestProject(t, { repository: true, ...SESSION })

  const made = await Promise.all(
    ['a', 'b', 'c', 'd'].map((text) => project.call('handoff_note', { kind: 'done', text })),
  )
  const { record } = await project.call('handoff_get', { id: made[0]?.id })

  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  assert.deepEqual([...record.summary.completed].sort(), ['a', 'b', 'c', 'd'])
})

for (const input of [
  { kind: 'rumour', text: 'x' },
  { kind: 'done', text: '' },
  { kind: 'next', text: ' \n\t' },
  { kind: 'done', text: 'x'.repeat(4001) },
]) {
  test(`a note is refused: ${JSON.stringify(input).slice(0, 40)}`, async (t) => {
    const project = await openTestProject(t, SESSION)

    await assert.rejects(project.call('handoff_note', input), { code: 'invalid' })
    assert.deepEqual(project.files(), [])
  })
}

test('a reason without words is no reason', async (t) => {
  const project = await openTestProject(t, SESSION)

  const { id } = await project.call('handoff_note', { kind: 'next', text: 'Run the suite', why: ' ' })
  await project.call('handoff_note', { kind: 'next', text: 'Read the log', why: '' })
  await project.call('handoff_note', { kind: 'done', text: 'Wrote it', why: '' })

  const { record } = await project.call('handoff_get', { id })
  assert.deepEqual(record.open_items.map(({ description }: Answer) => description).toSorted(), [
    'Read the log',
    'Run the suite',
  ])
  assert.deepEqual(record.summary.completed, ['Wrote it'])
})
