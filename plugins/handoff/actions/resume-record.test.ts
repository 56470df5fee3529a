import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { createHandoffs } from '../project.ts'
import { contextOf, openTestProject, SMALL, testHost } from '../testing/fixture.ts'
import { resumeRecord } from './resume-record.ts'

const ITEM = { description: 'Write the fixture', suggested_action: 'Add it', acceptance_check: 'it runs' }

/** The disk, on which every call that changes something fails with a code. */
function refusing(code: string): Disk {
  const refuse = async () => {
    throw Object.assign(new Error(code), { code })
  }
  return { ...realDisk, create: refuse, mkdir: refuse, rename: refuse, link: refuse, unlink: refuse }
}

for (const [code, words] of [
  ['EACCES', /cannot be written/],
  ['EROFS', /cannot be written/],
  ['ENOSPC', /disk is full/],
] as const) {
  test(`where nothing can be written (${code}) the brief is given, with a warning that it was not marked`, async (t) => {
    const project = await openTestProject(t)
    const { id, path } = await project.call('handoff_create', {
      ...SMALL,
      definition_of_done: ['done'],
      open_items: [ITEM],
    })
    await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
    const before = project.read(path)
    const host = testHost(project.root, project.now)
    const handoffs = createHandoffs(host, project.config, { disk: refusing(code) })
    const opened = await handoffs.project(contextOf(project.root), undefined)

    const answer = await resumeRecord(contextOf(project.root), opened, {
      id: 'latest',
      maxTokens: 1200,
      mark: true,
      claim: { by: 'ada' },
      withRecord: false,
    })

    assert.match(answer.brief, /Next action \(O-001/)
    assert.equal(answer.marked, false)
    assert.equal(answer.claim, null)
    assert.match(answer.warnings.join('\n'), words)
    assert.match(answer.warnings.join('\n'), /was not marked as resumed/)
    assert.equal(project.read(path), before)
  })
}

test('a claim of another session is respected where nothing can be written', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    definition_of_done: ['done'],
    open_items: [ITEM],
  })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await project.call('handoff_resume', { id, claim: { by: 'grace' } })
  const host = testHost(project.root, project.now)
  const handoffs = createHandoffs(host, project.config, { disk: refusing('EROFS') })
  const opened = await handoffs.project(contextOf(project.root), undefined)

  const resumed = resumeRecord(contextOf(project.root), opened, {
    id,
    maxTokens: 1200,
    mark: true,
    claim: { by: 'ada' },
    withRecord: false,
  })

  await assert.rejects(resumed, { code: 'conflict', reason: 'claimed' })
})

test('an open item without an action is the next action of lists and answers, and its author is told', async (t) => {
  const project = await openTestProject(t)
  const open_items = [{ description: 'Document it' }, { description: 'Write the fixture', priority: 'high' }]

  const created = await project.call('handoff_create', { ...SMALL, open_items })
  const acting = await project.call('handoff_create', { ...SMALL, parent: 'none', open_items: [ITEM] })
  const { items } = await project.call('handoff_list')
  const { structured } = await project.call('handoff_resume', { id: created.id, mark: false })

  assert.match(created.warnings.join('\n'), /no open item has a suggested_action; the brief shows .*O-002/)
  assert.doesNotMatch(acting.warnings.join('\n'), /suggested_action/)
  const row = items.find(({ id }: { id: string }) => id === created.id)
  assert.equal(row.next_action, 'Write the fixture')
  assert.equal(structured.next_actions[0].action, 'Write the fixture')
  assert.deepEqual(structured.open_questions, ['Document it'])
})
