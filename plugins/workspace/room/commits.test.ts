import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, openTestRoom } from '../testing/test-room.ts'

test('a repeated commit answers what the first did, also the proposals it superseded and after a restart', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const change = { base_version: 1, summary: 's' }
  const rival = await room.do(ada, 'propose', { ...change, content: 'rival' })
  const { proposal_id } = await room.do(ada, 'propose', { ...change, content: 'wins' })
  await room.do(ada, 'review', { proposal_id, approve: true })

  const first = await room.do(ada, 'commit', { proposal_id })
  const repeat = await room.do(ada, 'commit', { proposal_id })
  const keyed = await room.do(ada, 'commit', { proposal_id, idempotency_key: 'k' })
  const reopened = await room.reopen('killed')
  const later = await reopened.do(ada, 'commit', { proposal_id })

  assert.deepEqual(first.superseded, [rival.proposal_id])
  assert.deepEqual([repeat, keyed, later], [first, first, first])
})

test('an approved proposal whose base moved turns conflicted at commit, and the file stays as it is', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  await room.write('# Plan\nby hand\n')

  const told = await room.emitted(() => room.do(ada, 'commit', { proposal_id }))
  const again = await room.emitted(() => room.do(ada, 'commit', { proposal_id }))

  assert.deepEqual(told, ['proposal.conflicted'])
  assert.deepEqual(again, [])
  await assert.rejects(room.do(ada, 'commit', { proposal_id }), { reason: 'proposal_conflict' })
  assert.equal(await room.text(), '# Plan\nby hand\n')
})

test('a commit of a proposal and of a text in one call is refused, with any field of the text', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  const latest = await room.latest()

  for (const text of [{ content: 'mine' }, { patch: 'mine' }, { base_version: 1 }, { summary: 's' }]) {
    await assert.rejects(room.do(ada, 'commit', { proposal_id, ...text }), {
      code: 'invalid',
      reason: 'invalid_request',
    })
  }

  assert.equal(await room.latest(), latest)
})

test('every way of a new version supersedes pending proposals with an older base', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const pending = async () => {
    const { version } = await room.look(ada, ({ rows }) => rows.document)
    await room.do(ada, 'propose', { base_version: version, summary: 'waits', content: `${version}` })
    return version
  }

  await pending()
  const external = await room.emitted(() => room.write('# Plan\nedit\n'))
  const version = await pending()
  const raw = await room.emitted(() =>
    room.do(ada, 'commit', { base_version: version, content: '# raw\n', summary: 'raw' }),
  )
  const { proposal_id } = await approved(room, ada)
  await pending()
  const byProposal = await room.emitted(() => room.do(ada, 'commit', { proposal_id }))

  assert.deepEqual(external, ['change.committed', 'proposal.superseded'])
  assert.deepEqual(raw, ['change.committed', 'proposal.superseded'])
  assert.deepEqual(byProposal, ['change.committed', 'proposal.superseded', 'proposal.committed'])
})

const PATCH = '--- a\n+++ b\n@@ -1,2 +1,2 @@\n # Plan\n-one\n+two\n'

test('an administrator commits a patch of the newest version, also in a text that is larger than a request', async (t) => {
  const filler = 'a line of a long text\n'.repeat(80_000)
  const room = await openTestRoom(t, { text: `# Plan\none\n${filler}` })
  const ada = await room.join('ada')

  const told = await room.emitted(() =>
    room.do(ada, 'commit', { base_version: 1, summary: 's', patch: PATCH }),
  )

  assert.deepEqual(told, ['change.committed'])
  assert.equal(await room.text(), `# Plan\ntwo\n${filler}`)
})

test('a patch that does not fit, has an old base, or comes beside a content commits nothing', async (t) => {
  const room = await openTestRoom(t, { text: '# Plan\none\n' })
  const ada = await room.join('ada')
  const latest = await room.latest()
  const commit = (more: object) => room.do(ada, 'commit', { base_version: 1, summary: 's', ...more })

  await assert.rejects(commit({ patch: PATCH.replace('-one', '-1') }), { reason: 'edit_failed' })
  await assert.rejects(commit({ patch: PATCH, base_version: 2 }), { reason: 'stale_version' })
  await assert.rejects(commit({ patch: PATCH, content: 'x' }), { reason: 'invalid_request' })
  await assert.rejects(commit({}), { reason: 'invalid_request' })

  assert.equal(await room.latest(), latest)
  assert.equal(await room.text(), '# Plan\none\n')
})
