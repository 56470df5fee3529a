import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSatchelError } from '../../../server/plugin.ts'
import { openTestRoom } from '../testing/test-room.ts'
import { answerTask } from './tasks.ts'
import { handoffOfTask, handoffWithRecord } from './views.ts'

test('a handoff and its task go through every state together', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose'])
  const open = () => room.do(ada, 'handoff_create', { title: 'T', objective: 'O', to: bob.participant_id })
  const first = await open()
  const id = { handoff_id: first.handoff_id }

  const told = {
    created: await room.emitted(open),
    accepted: await room.emitted(() => room.do(bob, 'handoff_accept', id)),
    acceptedAgain: await room.emitted(() => room.do(bob, 'handoff_accept', id)),
    result: await room.emitted(() => room.do(bob, 'handoff_result', { ...id, summary: 'done' })),
    approved: await room.emitted(() => room.do(ada, 'handoff_review', { ...id, approve: true })),
    approvedAgain: await room.emitted(() => room.do(ada, 'handoff_review', { ...id, approve: true })),
  }
  const second = await open()
  const cancel = () => room.do(ada, 'handoff_cancel', { handoff_id: second.handoff_id })
  const cancelled = await room.emitted(cancel)
  const third = await open()
  await room.do(bob, 'handoff_accept', { handoff_id: third.handoff_id })
  await room.do(bob, 'handoff_result', { handoff_id: third.handoff_id, summary: 'x' })
  const rejected = await room.emitted(() =>
    room.do(ada, 'handoff_review', { handoff_id: third.handoff_id, approve: false }),
  )

  assert.deepEqual(told, {
    created: ['handoff.created', 'task.created'],
    accepted: ['handoff.accepted', 'task.updated'],
    acceptedAgain: [],
    result: ['handoff.result_ready', 'task.updated'],
    approved: ['handoff.approved', 'task.updated'],
    approvedAgain: [],
  })
  assert.deepEqual(cancelled, ['handoff.cancelled', 'task.updated'])
  assert.deepEqual(await room.emitted(cancel), [])
  assert.deepEqual(rejected, ['handoff.rejected', 'task.updated'])
  await assert.rejects(room.do(bob, 'handoff_accept', { handoff_id: second.handoff_id }), {
    code: 'conflict',
    reason: 'handoff_state',
  })
})

test('an answer to the review of a task that does not fit its form decides nothing', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const handoff = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  await room.do(ada, 'handoff_accept', { handoff_id: handoff.handoff_id })
  await room.do(ada, 'handoff_result', { handoff_id: handoff.handoff_id, summary: 'done' })
  const answer = (content: object) =>
    room.room.change(ada.session_id, 'tasks_update', {}, (change) => {
      const current = handoffOfTask({ rows: change.tx, actor: change.actor }, handoff.task_id)
      return current && answerTask(change, current, { review: { action: 'accept', content } }, [])
    })

  const malformed = [{ approve: true, reason: 5 }, { approve: 'yes' }, { approve: false, reason: ['no'] }]
  const told = await room.emitted(async () => {
    for (const content of malformed) await answer(content)
  })
  await answer({ approve: false, reason: 'Not yet.' })
  const { status, reason } = await room.look(ada, (view) => handoffWithRecord(view, handoff.handoff_id))

  assert.deepEqual(told, [])
  assert.deepEqual([status, reason], ['rejected', 'Not yet.'])
})

test('the objective of a handoff keeps its lines, without what hides in them', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const open = (objective: string) => room.do(ada, 'handoff_create', { title: 'T', objective })

  const { objective } = await open('Check:\r\n  - one\t1 \r\n\r\n  - t\u202ewo 👩\u200d💻\n\n')

  assert.equal(objective, 'Check:\n  - one 1\n\n  - two 👩\u200d💻')
  await assert.rejects(open(' \n\u200b\n '), { code: 'invalid', reason: 'invalid_request' })
  await open('x'.repeat(4000))
  await assert.rejects(open('x'.repeat(4001)), { code: 'invalid', reason: 'limit_exceeded' })
})

test('an invalid handoff record is refused with the place of each mistake, and no event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const latest = await room.latest()

  await assert.rejects(
    room.do(ada, 'handoff_create', { title: 'T', objective: 'O', record: { id: 7 } }),
    (error: unknown) => {
      assert.ok(isSatchelError(error))
      assert.equal(error.reason, 'handoff_record_invalid')
      const errors = error.details?.['errors'] as { pointer: string }[]
      assert.ok(errors.some(({ pointer }) => pointer === '/id'))
      return true
    },
  )
  assert.equal(await room.latest(), latest)
})

test('approving a result with commit lands its proposal first', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose'])
  const { handoff_id } = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  await room.do(bob, 'handoff_accept', { handoff_id })
  const { proposal_id } = await room.do(bob, 'propose', { base_version: 1, summary: 's', content: 'new\n' })
  await room.do(ada, 'review', { proposal_id, approve: true })
  await room.do(bob, 'handoff_result', { handoff_id, summary: 'done', proposal_id })

  const told = await room.emitted(() =>
    room.do(ada, 'handoff_review', { handoff_id, approve: true, commit: true }),
  )

  assert.deepEqual(told, ['change.committed', 'proposal.committed', 'handoff.approved', 'task.updated'])
  assert.equal(await room.text(), 'new\n')
})

test('without a check that holds a requirement is not met, and such a result may be corrected', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose'])
  const { handoff_id } = await room.do(ada, 'handoff_create', {
    title: 'T',
    objective: 'O',
    requires: ['a', 'a', 'b'],
  })
  await room.do(bob, 'handoff_accept', { handoff_id })
  const check = (requirement: string, verdict: 'holds' | 'moved' | 'stale' | 'unverifiable') => ({
    requirement,
    verdict,
    reason: 'so',
  })
  const hand = (checks: readonly ReturnType<typeof check>[]) =>
    room.do(bob, 'handoff_result', { handoff_id, summary: 'done', checks })
  const approve = (checks?: readonly ReturnType<typeof check>[]) =>
    room.do(ada, 'handoff_review', { handoff_id, approve: true, ...(checks && { checks }) })
  const first = await hand([check('a', 'stale'), check('b', 'holds')])
  const latest = await room.latest()

  for (const checks of [
    undefined,
    [],
    [check('a', 'holds')],
    [check('a', 'unverifiable'), check('b', 'holds')],
  ]) {
    await assert.rejects(approve(checks), { code: 'conflict', reason: 'requirements_unmet' })
  }
  assert.equal(await room.latest(), latest)
  const second = await hand([check('a', 'moved'), check('b', 'holds')])
  const approved = await approve([check('a', 'moved'), check('b', 'holds')])

  assert.deepEqual(first.requires, ['a', 'b'])
  assert.deepEqual(
    [second.status, approved.status, approved.decided_version],
    ['result_ready', 'approved', 1],
  )
  assert.equal(approved.event_ids?.length, 5)
})

test('a room above 100 MB takes no result of a handoff either', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { handoff_id } = await room.do(ada, 'handoff_create', { title: 't', objective: 'o' })
  await room.do(ada, 'handoff_accept', { handoff_id })
  const json = JSON.stringify('x'.repeat(7 * 1024 * 1024))
  for (const id of Array.from({ length: 16 }, (_, at) => `filling-${at}`)) {
    await room.room.changeAsSystem(({ tx }) => tx.run('handoff_record_add', { id, json }))
  }

  const result = room.do(ada, 'handoff_result', { handoff_id, summary: 'done', result: 'x'.repeat(1000) })

  await assert.rejects(result, { code: 'too_large', reason: 'limit_exceeded' })
  await room.do(ada, 'handoff_cancel', { handoff_id })
})
