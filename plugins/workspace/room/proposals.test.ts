import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSatchelError } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { approved, GOALS, openTestRoom } from '../testing/test-room.ts'
import { proposalWithContent } from './views.ts'

test('a proposal goes through review and commit, each step told once', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const base = { base_version: 1, summary: 'new goals', target: 'section:Plan/Goals', content: GOALS }
  const proposal = await room.do(ada, 'propose', base)
  const rival = await room.do(ada, 'propose', { base_version: 1, summary: 'rival', content: 'x' })
  const id = { proposal_id: proposal.proposal_id }

  const reviews = [
    await room.emitted(() => room.do(ada, 'review', { ...id, approve: true })),
    await room.emitted(() => room.do(ada, 'review', { ...id, approve: true })),
    await room.emitted(() => room.do(ada, 'review', { ...id, approve: false })),
  ]
  const committed = await room.emitted(() => room.do(ada, 'commit', id))
  const repeat = await room.do(ada, 'commit', id)
  const events = await room.events()

  assert.deepEqual(reviews, [['proposal.approved'], [], []])
  await assert.rejects(room.do(ada, 'review', { ...id, approve: false }), {
    code: 'conflict',
    reason: 'proposal_conflict',
  })
  assert.deepEqual(committed, ['change.committed', 'proposal.superseded', 'proposal.committed'])
  assert.equal(events.at(-2)?.payload['proposal_id'], rival.proposal_id)
  assert.equal(repeat.version, 2)
  assert.equal(await room.text(), '# Plan\n\n## Goals\nthree\n\n## Steps\ntwo\n')
})

test('a proposal is withdrawn while it is pending, once; what a reviewer decided remains', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const propose = () => room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'c' })
  const withdraw = ({ proposal_id }: { proposal_id: string }) => room.do(ada, 'withdraw', { proposal_id })
  const taken = await propose()
  const accepted = await approved(room, ada)
  const { proposal_id } = await propose()
  const refused = await room.do(ada, 'review', { proposal_id, approve: false, reason: 'withdrawn' })

  const first = await room.emitted(() => withdraw(taken))
  const again = await room.emitted(() => withdraw(taken))

  assert.deepEqual([first, again], [['proposal.rejected'], []])
  assert.equal((await room.events()).at(-1)?.payload['status'], 'withdrawn')
  for (const decided of [accepted, refused]) {
    await assert.rejects(withdraw(decided), { code: 'conflict', reason: 'proposal_conflict' })
  }
})

test('a rebase does not show the text to those who may not read it', async (t) => {
  const room = await openTestRoom(t, { text: 'one\n' })
  const ada = await room.join('ada')
  const blind = await room.join('blind', ['propose'])
  const { proposal_id } = await room.do(blind, 'propose', { base_version: 1, summary: 's', content: 'x\n' })
  await room.write('two\n')

  const conflictOf = (who: typeof ada) =>
    room.do(who, 'rebase', { proposal_id }).then(
      () => assert.fail('both sides changed the line'),
      (thrown: unknown) => (isSatchelError(thrown) ? thrown.details : {}),
    )

  assert.deepEqual(await conflictOf(blind), { current_version: 2, hunk_count: 1 })
  const { hunks, ...details } = (await conflictOf(ada)) ?? {}
  assert.ok(hunks)
  assert.deepEqual(details, { target: 'workspace', base_version: 1, current_version: 2, hunk_count: 1 })
})

test('a rebase makes a new proposal, or says which lines were changed on both sides', async (t) => {
  const room = await openTestRoom(t, { text: 'a\nb\nc\nd\ne\n' })
  const ada = await room.join('ada')
  const clean = await room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'A\nb\nc\nd\ne\n' })
  const clash = await room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'a\nb\nc\nd\nE1\n' })
  await room.write('a\nb\nc\nd\nE2\n')

  const told = await room.emitted(() => room.do(ada, 'rebase', { proposal_id: clean.proposal_id }))
  const refused = await room.emitted(() => room.do(ada, 'rebase', { proposal_id: clash.proposal_id }))
  const open = await room.look(ada, ({ rows }) =>
    rows.all('proposal_open').map((row) => JSON.parse(String(row['json']))),
  )
  const content = await room.look(ada, (view) => proposalWithContent(view, open[0].proposal_id))

  assert.deepEqual([told, refused], [['proposal.created'], []])
  assert.equal(open[0].rebased_from, clean.proposal_id)
  assert.equal('content' in content && content.content, 'A\nb\nc\nd\nE2\n')
  await assert.rejects(room.do(ada, 'rebase', { proposal_id: clash.proposal_id }), {
    reason: 'merge_conflict',
  })
})

test('a blank reason of a review is none, and one that is too long is refused instead of cut', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const review = async (reason: string) => {
    const change = { base_version: 1, summary: 's', content: 'c' }
    const { proposal_id } = await room.do(ada, 'propose', change)
    return room.do(ada, 'review', { proposal_id, approve: false, reason })
  }
  const reviewResult = async (reason: string) => {
    const { handoff_id } = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
    await room.do(ada, 'handoff_accept', { handoff_id })
    await room.do(ada, 'handoff_result', { handoff_id, summary: 's' })
    return room.do(ada, 'handoff_review', { handoff_id, approve: false, reason })
  }

  for (const call of [review, reviewResult]) {
    assert.ok(!('reason' in (await call(' \u200b\n'))))
    assert.equal((await call('too\nlate')).reason, 'too late')
    await call('r'.repeat(LIMITS.reasonChars))
    await assert.rejects(call('r'.repeat(LIMITS.reasonChars + 1)), {
      code: 'invalid',
      reason: 'limit_exceeded',
    })
  }
})

test('the changes of a proposal are told in at most 16 KiB, and a cut is said beside the whole text', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const shown = async (content: string) => {
    const { proposal_id } = await room.do(ada, 'propose', { base_version: 1, summary: 's', content })
    return room.look(ada, (view) => proposalWithContent(view, proposal_id)) as Promise<{
      diff: string
      diff_truncated?: boolean
      content: string
    }>
  }
  const long = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('')

  const [small, large] = [await shown('one line\n'), await shown(long)]

  assert.equal(small.diff_truncated, undefined)
  assert.deepEqual([large.diff_truncated, large.content], [true, long])
  assert.ok(Buffer.byteLength(large.diff) <= LIMITS.diffBytes)
})

test('the texts of the newest 200 settled proposals are kept; an older one is given up unless another names it', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const made: string[] = []
  for (let count = 0; count < 203; count += 1) {
    const content = count === 202 ? '0' : `${count}`
    const draft = { base_version: 1, summary: 's', content }
    const { proposal_id } = await room.do(ada, 'propose', draft)
    await room.do(ada, 'withdraw', { proposal_id })
    made.push(proposal_id)
  }

  const contentOf = async (at: number) => {
    const shown = await room.look(ada, (view) => proposalWithContent(view, made[at] ?? ''))
    return 'content' in shown ? shown.content : undefined
  }
  assert.deepEqual(
    [await contentOf(0), await contentOf(1), await contentOf(2), await contentOf(3), await contentOf(201)],
    ['0', undefined, undefined, '3', '201'],
  )
  await assert.rejects(room.do(ada, 'rebase', { proposal_id: made[1] ?? '' }), {
    code: 'not_found',
    reason: 'version_pruned',
  })
  const pending = await room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'p' })
  await room.do(ada, 'commit', { base_version: 1, summary: 's', content: 'overtakes it' })
  assert.equal(
    await room.look(ada, (view) => proposalWithContent(view, pending.proposal_id).status),
    'superseded',
  )
})
