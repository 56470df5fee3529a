import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { EVENT_TYPES, PAYLOAD_KEYS } from '../plugins/workspace/domain/event.ts'
import { parseJoinUri } from '../plugins/workspace/domain/invitation.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { createIdleSessions } from '../plugins/workspace/house/idle-sessions.ts'
import { createRate } from '../plugins/workspace/house/rate.ts'
import { REASONS } from '../plugins/workspace/reasons.ts'
import { liveActor } from '../plugins/workspace/room/change.ts'
import { joinLocally, redeem } from '../plugins/workspace/room/members.ts'
import type { PageInput } from '../plugins/workspace/room/page.ts'
import {
  diffVersions,
  eventsAfter,
  handoffsPage,
  handoffWithRecord,
  invitesPage,
  leasesPage,
  participantsPage,
  proposalWithContent,
  readDocument,
  roomView,
  sessionsPage,
  status,
  type View,
} from '../plugins/workspace/room/views.ts'
import type { Capability } from '../server/contract/context.ts'
import { isSatchelError } from '../server/contract/errors.ts'
import { OPERATIONS, type Operation, openTestRoom, type TestRoom } from './workspace-fixture.ts'

const GOALS = '## Goals\nthree\n\n'

async function approved(room: TestRoom, who: Awaited<ReturnType<TestRoom['join']>>, input: object = {}) {
  const { version } = await room.look(who, ({ rows }) => rows.document)
  const proposal = await room.do(who, 'propose', {
    base_version: version,
    summary: 'a change',
    content: `# Plan\n\nchanged at ${version}\n`,
    ...input,
  })
  return room.do(who, 'review', { proposal_id: proposal.proposal_id, approve: true })
}

async function redeemed(room: TestRoom, uri: string, name = 'guest') {
  const secret = parseJoinUri(uri)?.secret ?? uri
  return room.room.changeAsSystem((change) => redeem(change, { secret, name, kind: 'agent' }))
}

test('the first start creates the room once; every start and clean stop is told', async (t) => {
  const room = await openTestRoom(t)
  const second = await room.reopen('clean')
  const third = await second.reopen('killed')

  const events = await third.events()

  assert.deepEqual(
    events.map(({ event_id, event_type, version, payload }) => [
      event_id,
      event_type,
      version,
      payload['status'],
    ]),
    [
      [1, 'workspace.created', 1, undefined],
      [2, 'workspace.started', 1, undefined],
      [3, 'workspace.stopped', undefined, undefined],
      [4, 'workspace.started', 1, undefined],
      [5, 'workspace.started', 1, 'recovered'],
    ],
  )
})

test('joining, leaving and ending tell exactly what happened, and a repeat tells nothing', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  const joined = await room.emitted(() => room.join('bob', ['read', 'checkout']))
  const bob = await room.join('bob2', ['read', 'checkout'])
  await room.do(bob, 'checkout', { target: 'workspace' })
  const left = await room.emitted(() => room.do(ada, 'leave', { participant_id: bob.participant_id }))
  const again = await room.emitted(() => room.do(ada, 'leave', { participant_id: bob.participant_id }))
  const cleo = await room.join('cleo', ['read'])
  const ended = await room.emitted(() => room.do(ada, 'session_end', { session_id: cleo.session_id }))
  const endedAgain = await room.emitted(() => room.do(ada, 'session_end', { session_id: cleo.session_id }))

  assert.deepEqual(joined, ['participant.joined', 'session.created'])
  assert.deepEqual(left, ['lease.released', 'participant.left'])
  assert.deepEqual([again, endedAgain], [[], []])
  assert.deepEqual(ended, ['session.expired'])
  assert.equal((await room.events()).at(-1)?.payload['status'], 'revoked')
  await assert.rejects(room.look(bob, status), { code: 'unauthorized', reason: 'session_expired' })
  await assert.rejects(room.look(cleo, status), { code: 'unauthorized', reason: 'session_expired' })
})

test('a session ends on its own after 8 hours, once, without a request arriving', async (t) => {
  const room = await openTestRoom(t)
  await room.join('ada')

  room.pass(LIMITS.sessionMinutes)
  const first = await room.emitted(() => room.room.expire())
  const second = await room.emitted(() => room.room.expire())

  assert.deepEqual(first, ['session.expired'])
  assert.deepEqual(second, [])
})

test('a session of this machine whose process is gone ends after two minutes, and no other does', async (t) => {
  const room = await openTestRoom(t)
  const start = Date.UTC(2026, 10, 20, 13) * 1000
  let minutes = 0
  const idle = createIdleSessions(room.room, () => start + minutes * 60_000_000)
  const local = (name: string) =>
    room.room.changeAsSystem((change) => {
      const wish = {
        name,
        kind: 'agent',
        capabilities: ['read'],
        audience: 'local',
        transport: 'stdio',
      } as const
      return joinLocally(change, wish)
    })
  const [gone, busy, own] = [await local('gone'), await local('busy'), await local('own')]
  await room.join('elsewhere')
  idle.keep(own.session_id)

  const first = await room.emitted(() => idle.sweep())
  minutes = 1.9
  idle.touch(busy.session_id)
  const early = await room.emitted(() => idle.sweep())
  minutes = 2
  const due = await room.emitted(() => idle.sweep())
  const again = await room.emitted(() => idle.sweep())

  assert.deepEqual([first, early, due, again], [[], [], ['session.expired'], []])
  const ended = (await room.events()).at(-1)
  assert.deepEqual(ended?.payload, { participant_id: gone.participant_id, status: 'expired' })
  assert.equal(await room.look(busy, (view) => status(view).counts.participants), 4)
})

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

test('a proposal is withdrawn while it is pending, once; what a reviewer decided stands', async (t) => {
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

test('a stale base, an unknown section and 256 KiB and one byte are refused without an event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await room.write('# Plan\nedited\n')
  const at = (input: object) => ({ base_version: 2, summary: 's', content: 'c', ...input })

  const latest = await room.latest()
  await assert.rejects(room.do(ada, 'propose', at({ base_version: 1 })), (error: unknown) => {
    assert.ok(isSatchelError(error))
    assert.equal(error.reason, 'stale_version')
    assert.equal(error.details?.['current_version'], 2)
    assert.match(String(error.details?.['diff']), /\+edited/)
    return true
  })
  await assert.rejects(room.do(ada, 'propose', at({ target: 'section:Nope' })), { reason: 'invalid_region' })
  await assert.rejects(room.do(ada, 'propose', at({ content: 'x'.repeat(LIMITS.proposalBytes + 1) })), {
    code: 'too_large',
    reason: 'limit_exceeded',
  })
  assert.equal(await room.latest(), latest)

  await room.do(ada, 'propose', at({ content: 'x'.repeat(LIMITS.proposalBytes) }))
})

test('what moved is not shown to those who may not read', async (t) => {
  const room = await openTestRoom(t)
  const bob = await room.join('bob', ['propose'])
  await room.write('# Plan\nsecret plans\n')

  await assert.rejects(
    room.do(bob, 'propose', { base_version: 1, summary: 's', content: 'c' }),
    (error: unknown) => {
      assert.ok(isSatchelError(error))
      assert.deepEqual(error.details, { base_version: 1, current_version: 2 })
      return true
    },
  )
})

test('what moved is told in at most 20 changes and 16 KiB, and a cut is said', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const lines = (mark: string) =>
    Array.from({ length: 400 }, (_, n) => `${mark} ${n} ${'x'.repeat(40)}\n`).join('')
  const told = async (base_version: number) => {
    const refused = await room
      .do(ada, 'propose', { base_version, summary: 's', content: 'c' })
      .catch((thrown: unknown) => thrown)
    assert.ok(isSatchelError(refused) && refused.reason === 'stale_version')
    return refused.details as { changes: { version: number }[]; diff: string; diff_truncated?: boolean }
  }
  for (let version = 1; version <= LIMITS.staleChanges + 1; version += 1) {
    await room.do(ada, 'commit', { base_version: version, content: lines(`${version}`), summary: 's' })
  }

  const newest = LIMITS.staleChanges + 2
  const [few, many] = [await told(newest - 1), await told(1)]
  await room.write('short\n')
  await room.write('shorter\n')
  const small = await told(newest + 1)

  assert.equal(few.changes.length, 1)
  assert.deepEqual(
    many.changes.map(({ version }) => version),
    Array.from({ length: LIMITS.staleChanges }, (_, n) => newest - n),
  )
  assert.ok(Buffer.byteLength(many.diff) <= LIMITS.diffBytes)
  assert.deepEqual([many.diff_truncated, small.diff_truncated], [true, undefined])
  assert.match(small.diff, /-short\n\+shorter\n/)
})

test('when a participant was last seen is kept with a change of theirs, at most once a minute', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const seen = async () => {
    const { participants } = await room.look(ada, roomView)
    return participants.find(({ name }) => name === 'ada')?.last_seen
  }
  const change = () => room.do(ada, 'invite', {})
  const joined = await seen()

  room.pass(0.99)
  await change()
  const soon = await seen()
  room.pass(0.01)
  await room.look(ada, status)
  const looked = await seen()
  await change()
  const late = await seen()

  assert.deepEqual([soon, looked], [joined, joined])
  assert.ok(joined !== undefined && late !== undefined && late > joined)
})

test('who has left is no member any more, and who does nothing stays one', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  await room.join('idle')
  const members = async (who: typeof ada) =>
    (await room.look(who, roomView)).participants.map(({ name }) => name)

  room.pass(7 * 60)
  await room.room.expire()
  await room.do(bob, 'leave', {})
  const while8Hours = await members(ada)
  room.pass(2 * 60)
  await room.room.expire()
  const cem = await room.join('cem')

  assert.deepEqual(while8Hours, ['ada', 'idle'])
  // A session that ran out ends no membership.
  assert.deepEqual(await members(cem), ['ada', 'idle', 'cem'])
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
  assert.deepEqual(Object.keys((await conflictOf(ada)) ?? {}), ['current_version', 'hunks', 'hunk_count'])
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

test('a commit of a proposal and of a text in one call is refused, whatever of the text is there', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  const latest = await room.latest()

  for (const text of [{ content: 'mine' }, { base_version: 1 }, { summary: 's' }]) {
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

test('with staleness by section an untouched section is spared and spliced into the newer document', async (t) => {
  const room = await openTestRoom(t, { staleness: 'section' })
  const ada = await room.join('ada')
  const base = { base_version: 1, summary: 's' }
  const goals = await room.do(ada, 'propose', { ...base, target: 'section:Plan/Goals', content: GOALS })
  const steps = await room.do(ada, 'propose', {
    ...base,
    target: 'section:Plan/Steps',
    content: '## Steps\nx\n',
  })
  await room.write('# Plan\n\n## Goals\none\n\n## Steps\nby hand\n')

  const rows = await room.look(ada, ({ rows }) => rows.all('proposal_open').length)
  await room.do(ada, 'review', { proposal_id: goals.proposal_id, approve: true })
  await room.do(ada, 'commit', { proposal_id: goals.proposal_id })

  assert.equal(rows, 1)
  assert.equal(await room.text(), '# Plan\n\n## Goals\nthree\n\n## Steps\nby hand\n')
  await assert.rejects(room.do(ada, 'review', { proposal_id: steps.proposal_id, approve: true }), {
    reason: 'proposal_conflict',
  })
})

test('with staleness by section a path that now names two headings stands for neither', async (t) => {
  const room = await openTestRoom(t, { staleness: 'section', text: '# P\n\n## Notes\nopen\n\n## End\nx\n' })
  const ada = await room.join('ada')
  const base = { base_version: 1, summary: 's', target: 'section:P/Notes' }
  const notes = await room.do(ada, 'propose', { ...base, content: '## Notes\nmine\n\n' })
  await room.do(ada, 'review', { proposal_id: notes.proposal_id, approve: true })
  const doubled = '# P\n\n## Notes\nopen\n\n## Mid\ny\n\n## Notes\nopen\n\n## End\nx\n'
  await room.write(doubled)

  const told = await room.emitted(() => room.do(ada, 'commit', { proposal_id: notes.proposal_id }))

  assert.deepEqual(told, ['proposal.conflicted'])
  assert.equal(await room.text(), doubled)
  await assert.rejects(room.do(ada, 'propose', { ...base, content: 'x\n' }), { reason: 'stale_version' })
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

test('edits of the file by other hands become versions; touching it, our own write and what is no text do not', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  const inPlace = await room.emitted(() => room.write('one\n'))
  const renamedOver = await room.emitted(async () => {
    await writeFile(`${room.file}.new`, 'two\n')
    await rename(`${room.file}.new`, room.file)
    await room.room.look()
  })
  const deleted = await room.emitted(async () => {
    await rm(room.file)
    await room.room.look()
  })
  const missing = await room.look(ada, status)
  const recreated = await room.emitted(() => room.write('three\n'))
  const touched = await room.emitted(() => room.write('three\n'))
  const invalid = await room.emitted(async () => {
    await writeFile(room.file, Buffer.from([0xff, 0xfe, 0x41]))
    await room.room.look()
  })
  const broken = await room.look(ada, status)

  assert.deepEqual(
    [inPlace, renamedOver, recreated],
    [['change.committed'], ['change.committed'], ['change.committed']],
  )
  assert.deepEqual([deleted, touched, invalid], [[], [], []])
  assert.deepEqual([missing.substrate, broken.substrate], ['missing', 'invalid'])
  const last = (await room.events()).at(-1)
  assert.deepEqual(
    [last?.payload['status'], last?.payload['summary'], last?.actor_id],
    ['external', 'external edit', undefined],
  )
  await assert.rejects(room.do(ada, 'commit', { base_version: broken.version, content: 'x', summary: 's' }), {
    code: 'conflict',
    reason: 'substrate_invalid',
  })
})

test('a lease is taken, renewed, released once and ends on its own once, also across a restart', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  const taken = await room.emitted(() => room.do(ada, 'checkout', { target: '*' }))
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 20 })
  const renewal = await room.emitted(() => room.do(ada, 'renew', { lease_id: lease.lease_id }))
  const both = await room.emitted(() =>
    Promise.all([
      room.do(ada, 'release', { lease_id: lease.lease_id }),
      room.do(ada, 'release', { lease_id: lease.lease_id }),
    ]),
  )
  const next = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const again = await room.reopen('killed')
  again.pass(LIMITS.leaseMinutes)
  const expired = await again.emitted(() => again.room.expire())
  const twice = await again.emitted(() => again.room.expire())

  assert.deepEqual(taken, ['lease.acquired'])
  assert.deepEqual(renewal, ['lease.acquired'])
  assert.deepEqual(both, ['lease.released'])
  assert.equal(lease.fence, 1)
  assert.equal(next.fence, 2)
  assert.deepEqual([expired, twice], [['lease.expired'], []])
  await assert.rejects(again.do(ada, 'renew', { lease_id: next.lease_id }), { reason: 'lease_not_active' })
})

test('a lease never runs past 120 minutes, and its limits are refused one above', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 120 })

  await assert.rejects(room.do(ada, 'renew', { lease_id: lease.lease_id, minutes: 1 }), {
    code: 'rate_limited',
    reason: 'limit_exceeded',
  })
  await assert.rejects(room.do(ada, 'checkout', { target: 'workspace', minutes: 121 }), { code: 'invalid' })
  await assert.rejects(room.do(ada, 'checkout', { target: 'workspace', minutes: 0 }), { code: 'invalid' })
})

test('renewing a lease never ends it sooner', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 100 })

  const again = await room.do(ada, 'checkout', { target: 'workspace' })
  const renewal = await room.do(ada, 'renew', { lease_id: lease.lease_id, minutes: 1 })

  assert.deepEqual([again.expires_at, renewal.expires_at], [lease.expires_at, lease.expires_at])
})

test('a lease keeps others from leasing and committing what it overlaps, unless an admin forces it', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose', 'checkout', 'commit', 'approve'])
  await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const { proposal_id } = await approved(room, bob, { target: 'section:Plan/Goals', content: GOALS })
  const conflict = { code: 'conflict', reason: 'lease_conflict' }

  await assert.rejects(room.do(bob, 'checkout', { target: 'workspace' }), conflict)
  await assert.rejects(room.do(bob, 'checkout', { target: 'section:Plan' }), conflict)
  await room.do(bob, 'checkout', { target: 'section:Plan/Steps' })
  await assert.rejects(room.do(bob, 'commit', { proposal_id }), conflict)
  await assert.rejects(room.do(bob, 'commit', { proposal_id, force: true }), conflict)
  await assert.rejects(room.do(ada, 'commit', { proposal_id, fence: 99 }), { reason: 'stale_fence' })
  await room.do(ada, 'commit', { proposal_id, fence: 1 })
})

test('an invitation is redeemed as often as it says; unknown, expired, revoked and used secrets do nothing', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const created = await room.emitted(() => room.do(ada, 'invite', {}))
  const { uri } = await room.do(ada, 'invite', { capabilities: ['read'], max_uses: 1 })

  const joined = await room.emitted(() => redeemed(room, uri))
  const used = await room.emitted(() => redeemed(room, uri))
  const late = await room.do(ada, 'invite', { minutes: 1 })
  const revoked = await room.do(ada, 'invite', {})
  const revoke = () => room.do(ada, 'invite_revoke', { invite_id: revoked.invite_id })
  const both = await room.emitted(() => Promise.all([revoke(), revoke()]))
  room.pass(1)

  assert.deepEqual(created, ['invite.created'])
  assert.deepEqual(joined, ['participant.joined', 'session.created'])
  assert.deepEqual(used, [])
  assert.deepEqual(both, ['invite.revoked'])
  const latest = await room.latest()
  await assert.rejects(redeemed(room, uri), { code: 'conflict', reason: 'invitation_redeemed' })
  await assert.rejects(redeemed(room, late.uri), { code: 'forbidden', reason: 'invitation_expired' })
  await assert.rejects(redeemed(room, revoked.uri), { code: 'forbidden', reason: 'invitation_revoked' })
  await assert.rejects(redeemed(room, 'nonsense'), { code: 'unauthorized', reason: 'invitation_unknown' })
  assert.equal(await room.latest(), latest)
})

test('nobody invites to more than the own capabilities', async (t) => {
  const room = await openTestRoom(t)
  const bob = await room.join('bob', ['read', 'invite'])

  const { capabilities } = await room.do(bob, 'invite', {})

  assert.deepEqual(capabilities, ['read'])
  for (const asked of [['admin'], ['*'], ['read', 'approve']]) {
    await assert.rejects(room.do(bob, 'invite', { capabilities: asked }), { code: 'forbidden' })
  }
})

test('revoking an invitation leaves its sessions alone unless asked to end them', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { uri, invite_id } = await room.do(ada, 'invite', { max_uses: 2 })
  const guest = await redeemed(room, uri)

  await room.do(ada, 'invite_revoke', { invite_id })
  const alive = await room.look(guest, status)
  const ended = await room.emitted(() => room.do(ada, 'invite_revoke', { invite_id, end_sessions: true }))

  assert.equal(alive.you.name, 'guest')
  assert.deepEqual(ended, ['session.expired'])
  await assert.rejects(room.look(guest, status), { reason: 'session_expired' })
})

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

// --- rules ---------------------------------------------------------------------------------------------------------

const NEEDS: Readonly<Record<Operation, Capability | 'admin'>> = {
  checkout: 'checkout',
  renew: 'checkout',
  release: 'checkout',
  propose: 'propose',
  review: 'approve',
  withdraw: 'propose',
  rebase: 'propose',
  commit: 'commit',
  invite: 'invite',
  invite_revoke: 'invite',
  leave: 'admin',
  session_end: 'admin',
  handoff_create: 'propose',
  handoff_accept: 'propose',
  handoff_result: 'propose',
  handoff_review: 'approve',
  handoff_cancel: 'admin',
}

test('a call without its capability is denied and leaves no event, for every operation and capability', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const proposal = await approved(room, ada)
  const lease = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const invitation = await room.do(ada, 'invite', {})
  const handoff = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  const inputs: Record<Operation, object> = {
    checkout: { target: 'section:Plan/Steps' },
    renew: { lease_id: lease.lease_id },
    release: { lease_id: lease.lease_id },
    propose: { base_version: 1, summary: 's', content: 'c' },
    review: { proposal_id: proposal.proposal_id, approve: false },
    withdraw: { proposal_id: proposal.proposal_id },
    rebase: { proposal_id: proposal.proposal_id },
    commit: { proposal_id: proposal.proposal_id },
    invite: {},
    invite_revoke: { invite_id: invitation.invite_id },
    leave: { participant_id: ada.participant_id },
    session_end: { session_id: ada.session_id },
    handoff_create: { title: 'T', objective: 'O' },
    handoff_accept: { handoff_id: handoff.handoff_id },
    handoff_result: { handoff_id: handoff.handoff_id, summary: 's' },
    handoff_review: { handoff_id: handoff.handoff_id, approve: true },
    handoff_cancel: { handoff_id: handoff.handoff_id },
  }
  const others: Capability[] = ['read', 'observe', 'propose', 'checkout', 'commit', 'approve', 'invite']
  const sessions = await Promise.all(
    others.map(async (capability) => ({ capability, who: await room.join(capability, [capability]) })),
  )
  const latest = await room.latest()

  for (const operation of Object.keys(OPERATIONS) as Operation[]) {
    for (const { capability, who } of sessions) {
      if (NEEDS[operation] === capability) continue
      await assert.rejects(
        room.do(who, operation, inputs[operation] as never),
        { code: 'forbidden', reason: 'permission_denied' },
        `${operation} with ${capability}`,
      )
    }
  }
  assert.equal(await room.latest(), latest)
})

test('an unknown id is not found, whatever it names', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const cases: [Operation, object, string][] = [
    ['renew', { lease_id: 'lease_0000000000000000' }, 'lease_not_found'],
    ['release', { lease_id: 'x' }, 'lease_not_found'],
    ['review', { proposal_id: 'prop_0', approve: true }, 'proposal_not_found'],
    ['commit', { proposal_id: 'prop_0' }, 'proposal_not_found'],
    ['leave', { participant_id: 'par_0' }, 'participant_not_found'],
    ['session_end', { session_id: 'ssn_0' }, 'session_not_found'],
    ['invite_revoke', { invite_id: 'inv_0' }, 'invite_not_found'],
    ['handoff_accept', { handoff_id: 'ho_0' }, 'handoff_not_found'],
    ['handoff_create', { title: 'T', objective: 'O', to: 'par_0' }, 'participant_not_found'],
  ]
  for (const [operation, input, reason] of cases) {
    await assert.rejects(room.do(ada, operation, input as never), { code: 'not_found', reason }, operation)
  }
})

test('a thousand mutations at once keep events, versions and fences in one order', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      if (index % 2 === 0) return room.do(ada, 'handoff_create', { title: `${index}`, objective: 'O' })
      const { lease_id } = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
      return room.do(ada, 'release', { lease_id })
    }),
  )

  const events = await room.events()
  const ids = events.map(({ event_id }) => event_id)
  assert.deepEqual(
    ids,
    ids.map((_, index) => (ids[0] ?? 0) + index),
  )
  const told = room.news.flatMap((news) => news.events.map(({ event_id }) => event_id))
  assert.deepEqual(
    told,
    [...told].sort((a, b) => a - b),
  )
  const fences = events.flatMap(({ event_type, payload }) =>
    event_type === 'lease.acquired' && payload['renewed'] === undefined ? [Number(payload['fence'])] : [],
  )
  assert.deepEqual(
    fences,
    [...fences].sort((a, b) => a - b),
  )
  for (let index = 1; index < events.length; index += 1) {
    assert.ok((events[index]?.created_at ?? '') >= (events[index - 1]?.created_at ?? ''))
  }
})

test('the newest 2000 events are kept, and ids go on after a restart', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  while ((await room.latest()) < 2500) {
    await Promise.all(
      Array.from({ length: Math.min(100, 2500 - (await room.latest())) }, () => room.do(ada, 'invite', {})),
    )
  }

  const ids = (await room.events()).map(({ event_id }) => event_id)
  const again = await room.reopen('clean')
  const after = (await again.events()).map(({ event_id }) => event_id)

  assert.deepEqual([ids[0], ids.at(-1), ids.length], [501, 2500, 2000])
  assert.deepEqual([after[0], after.at(-1)], [503, 2502])
})

test('an envelope has the keys of the specification in their order, and a payload only those of its event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada\u202e\u{e0041}')
  await room.do(ada, 'propose', { base_version: 1, summary: '\u{1f600}'.repeat(241), content: 'x' })
  const keys = [
    'event_id',
    'event_type',
    'schema_version',
    'workspace_id',
    'created_at',
    'version',
    'actor_id',
    'payload',
  ]

  const events = await room.events()

  for (const event of events) {
    const present = Object.keys(event)
    assert.deepEqual(
      present,
      keys.filter((key) => present.includes(key)),
    )
    assert.equal(event.schema_version, 1)
    assert.match(event.created_at, /\.\d{6}\+00:00$/)
    const allowed = [...PAYLOAD_KEYS[event.event_type], 'status', 'summary']
    assert.deepEqual(
      Object.keys(event.payload).filter((key) => !allowed.includes(key)),
      [],
    )
  }
  assert.equal(events.at(-1)?.payload['summary'], '\u{1f600}'.repeat(240))
  assert.equal(events.find(({ event_type }) => event_type === 'participant.joined')?.payload['name'], 'ada')
  assert.ok(!EVENT_TYPES.some((type) => String(type) === 'workspace.updated'))
})

test('time never goes back, also when the clock does', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  room.setBack(600)
  await room.do(ada, 'invite', {})
  const again = await room.reopen('killed')

  const times = (await again.events()).map(({ created_at }) => created_at)

  assert.deepEqual(times, [...times].sort())
})

test('after a clock was set back between two starts, leases and sessions still end when their time is over', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await room.do(ada, 'checkout', { target: '*' })
  room.setBack(365 * 24 * 60)
  const again = await room.reopen('killed')

  const next = await again.room.expire()
  again.pass(LIMITS.leaseMinutes)
  const after = await again.emitted(() => again.room.expire())
  again.pass(LIMITS.sessionMinutes)
  const later = await again.emitted(() => again.room.expire())
  const times = (await again.events()).map(({ created_at }) => created_at)

  const start = Date.UTC(2025, 10, 20, 13) * 1000
  assert.equal(next, start + LIMITS.leaseMinutes * 60_000_000)
  assert.deepEqual([after, later], [['lease.expired'], ['session.expired']])
  assert.deepEqual(times, [...times].sort())
})

test('the same key does a request once, and is refused for another request', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const input = { base_version: 1, summary: 's', content: 'c', idempotency_key: 'k1' }

  const first = await room.do(ada, 'propose', input)
  const again = await room.emitted(() => room.do(ada, 'propose', input))
  const repeat = await room.do(ada, 'propose', input)
  const others = await room.emitted(() => room.do(bob, 'propose', input))
  const invited = await room.do(ada, 'invite', { idempotency_key: 'k2' })
  const replayed = await room.do(ada, 'invite', { idempotency_key: 'k2' })
  const restarted = await room.reopen('killed')
  const afterRestart = await restarted.do(ada, 'propose', input)

  assert.deepEqual(again, [])
  assert.equal(repeat.proposal_id, first.proposal_id)
  assert.equal(afterRestart.proposal_id, first.proposal_id)
  assert.deepEqual(others, ['proposal.created'])
  await assert.rejects(restarted.do(ada, 'propose', { ...input, content: 'other' }), {
    code: 'conflict',
    reason: 'idempotency_mismatch',
  })
  assert.ok(invited.uri.startsWith('satchel://join/'))
  assert.ok(!('uri' in replayed))
  assert.equal((replayed as { replayed?: boolean }).replayed, true)
})

test('the newest 1000 keys of a participant are kept, whatever others do', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const keyed = (who: typeof ada, key: string) => () =>
    room.do(who, 'checkout', { target: 'section:Plan/Goals', idempotency_key: key })
  await keyed(ada, 'k0')()
  await room.do(bob, 'checkout', { target: 'section:Plan/Steps', idempotency_key: 'other' })
  for (let n = 1; n <= 1000; n += 1) await keyed(ada, `k${n}`)()

  const second = await room.emitted(keyed(ada, 'k1'))
  const oldest = await room.emitted(keyed(ada, 'k0'))
  const others = await room.emitted(() =>
    room.do(bob, 'checkout', { target: 'section:Plan/Steps', idempotency_key: 'other' }),
  )

  assert.deepEqual([second, oldest, others], [[], ['lease.acquired'], []])
})

test('a stored refusal is answered again for the same key, without a second event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  await room.write('moved\n')
  const commit = () => room.do(ada, 'commit', { proposal_id, idempotency_key: 'c1' })

  await assert.rejects(commit(), { reason: 'stale_version' })
  const again = await room.emitted(commit)

  assert.deepEqual(again, [])
  await assert.rejects(commit(), { reason: 'stale_version' })
})

test('limits are met exactly: sessions, pending proposals, names', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('a'.repeat(LIMITS.nameChars))
  await assert.rejects(room.join('a'.repeat(LIMITS.nameChars + 1)), {
    code: 'invalid',
    reason: 'limit_exceeded',
  })
  for (let count = 1; count < LIMITS.liveSessions; count += 1) await room.join(`p${count}`)
  await assert.rejects(room.join('one too many'), { code: 'rate_limited', reason: 'limit_exceeded' })
  const propose = () => room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'c' })

  await Promise.all(Array.from({ length: LIMITS.pendingProposalsPerParticipant }, propose))

  await assert.rejects(propose(), { code: 'rate_limited', reason: 'limit_exceeded' })
})

test('what is asked for is taken at its limit and refused one above', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const base = { base_version: 1, content: 'c' }
  const week = LIMITS.inviteMaxMinutes
  const padded = (bytes: number) => ({ pad: 'x'.repeat(bytes - '{"pad":""}'.length) })
  const handoff = (bytes: number) => ({ title: 'T', objective: 'O', record: padded(bytes) })

  await room.do(ada, 'invite', { minutes: week, max_uses: LIMITS.inviteMaxUses })
  await room.do(ada, 'propose', { ...base, summary: 's'.repeat(LIMITS.storedSummaryChars) })
  await room.do(ada, 'checkout', { target: 'workspace', minutes: LIMITS.leaseMaxMinutes })
  const fits = room.do(ada, 'handoff_create', handoff(LIMITS.handoffRecordBytes))
  await assert.rejects(fits, { reason: 'handoff_record_invalid' }) // it is looked into

  const refused = [
    room.do(ada, 'invite', { minutes: week + 1 }),
    room.do(ada, 'invite', { max_uses: LIMITS.inviteMaxUses + 1 }),
    room.do(ada, 'propose', { ...base, summary: 's'.repeat(LIMITS.storedSummaryChars + 1) }),
    room.do(ada, 'checkout', { target: 'workspace', minutes: LIMITS.leaseMaxMinutes + 1 }),
    room.do(ada, 'handoff_create', handoff(LIMITS.handoffRecordBytes + 1)),
  ]
  for (const call of refused) await assert.rejects(call, { reason: 'limit_exceeded' })
})

test('a key is kept for 24 hours and is free again after them', async (t) => {
  const room = await openTestRoom(t)
  const input = { target: 'workspace', minutes: 1, idempotency_key: 'k' }
  const again = async () => {
    const ada = await room.join('ada')
    return room.emitted(() => room.do(ada, 'checkout', input))
  }
  await again()

  room.pass(24 * 60)
  await room.room.expire()
  const within = await again()
  room.pass(8 * 60 + 1)
  await room.room.expire()
  const after = await again()

  assert.deepEqual([within, after], [[], ['lease.acquired']])
})

test('a document of 4 MiB is taken and one byte more is not', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const commit = (content: string) => room.do(ada, 'commit', { base_version: 1, content, summary: 's' })

  await assert.rejects(commit('x'.repeat(LIMITS.documentBytes + 1)), { code: 'too_large' })
  const { version } = await commit('x'.repeat(LIMITS.documentBytes))

  assert.equal(version, 2)
})

test('no secret stands in any file, event or answer', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { uri } = await room.do(ada, 'invite', { max_uses: 3, idempotency_key: 'inv' })
  const secret = parseJoinUri(uri)?.secret ?? ''
  const guest = await redeemed(room, uri)
  const content = 'a body that belongs into no event 4711'
  await room.do(ada, 'propose', { base_version: 1, summary: 's', content })
  const answers = JSON.stringify([
    await room.look(ada, roomView),
    await room.look(ada, (view) => sessionsPage(view, {})),
    await room.look(ada, (view) => eventsAfter(view, { since_event_id: 0, limit: 200 })),
    room.news,
  ])
  const closed = await room.reopen('clean')

  const sidecar = join(room.file, '..', '.plan.md.satchel')
  const files = (await readdir(sidecar, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  for (const entry of files) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    for (const hidden of [secret, ada.token, guest.token]) assert.ok(!bytes.includes(hidden), entry.name)
  }
  for (const hidden of [secret, ada.token, guest.token]) assert.ok(!answers.includes(hidden))
  const events = JSON.stringify(await closed.events())
  for (const hidden of [secret, ada.token, content, '127.0.0.1']) assert.ok(!events.includes(hidden))
  assert.ok(!events.includes(ada.session_id))
})

test('a name that is taken gets a number, and a participant without a session is taken up again', async (t) => {
  const room = await openTestRoom(t)
  const first = await room.join('agent')
  const second = await room.join('agent')
  await room.do(first, 'session_end', { session_id: first.session_id })
  const third = await room.join('agent')

  const names = await room.look(third, ({ rows, now }) =>
    [second, third].map((who) => liveActor(rows, who.session_id, now).participant.name),
  )

  assert.deepEqual(names, ['agent-2', 'agent'])
  assert.equal(third.participant_id, first.participant_id)
})

test('nobody of this machine is taken for a guest of the same name', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const guest = await redeemed(room, (await room.do(ada, 'invite', {})).uri, 'agent')
  await room.do(guest, 'session_end', { session_id: guest.session_id })

  const local = await room.join('agent')

  assert.notEqual(local.participant_id, guest.participant_id)
  const name = await room.look(local, ({ actor }) => actor.participant.name)
  assert.equal(name, 'agent-2')
})

test('a target can be called with as an event gave it, also where its heading is an emoji of several', async (t) => {
  const room = await openTestRoom(t, { text: '# Plan\n\n## 👩‍💻 Dev\none\n' })
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'section:Plan/👩‍💻 Dev' })

  const told = (await room.events()).find(({ event_type }) => event_type === 'lease.acquired')

  assert.equal(told?.payload['target'], lease.target)
  await room.do(ada, 'checkout', { target: String(told?.payload['target']) })
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

test('the path of the file is shown to admins only', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read'])

  assert.equal((await room.look(ada, status)).path, room.file)
  assert.ok(!JSON.stringify(await room.look(bob, roomView)).includes(room.file))
})

test('every event of a whole story passes the published schema', async (t) => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'schemas', 'event.v1.json'), 'utf8'))
  const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema)
  assert.deepEqual(schema.properties.event_type.enum, EVENT_TYPES)
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  await room.do(ada, 'commit', { proposal_id })
  await room.do(ada, 'checkout', { target: 'workspace' })
  await room.do(ada, 'invite', {})
  await room.do(ada, 'handoff_create', { title: 'T', objective: 'O', target: 'section:Plan' })
  await room.write('by hand\n')
  await room.do(ada, 'leave', {})
  const again = await room.reopen('clean')

  for (const event of await again.events()) {
    assert.ok(validate(event), JSON.stringify([event, validate.errors]))
  }
  assert.ok(!validate({ ...(await again.events())[0], extra: 1 }))
})

test('the text is cut to a budget of one token or more, and a smaller one is refused', async (t) => {
  const room = await openTestRoom(t, { text: 'abcdefgh' })
  const ada = await room.join('ada')
  const read = (max_tokens: number) => room.look(ada, (view) => readDocument(view, { max_tokens }))

  assert.deepEqual([(await read(1)).content, (await read(2)).content], ['abcd', 'abcdefgh'])
  for (const tokens of [0, -1]) await assert.rejects(read(tokens), { reason: 'invalid_request' })
})

test('a list gives at most 200 rows, page by page, without a repeat or a hole', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => room.do(ada, 'handoff_create', { title: `${n}`, objective: 'o' })),
  )
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await room.look(ada, (view) => handoffsPage(view, { limit: 7, cursor }))
    seen.push(...page.handoffs.map(({ title }) => title))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }

  assert.deepEqual(
    seen,
    Array.from({ length: 30 }, (_, n) => `${29 - n}`),
  )
  await room.look(ada, (view) => handoffsPage(view, { limit: 200 }))
  for (const limit of [0, 201]) {
    await assert.rejects(
      room.look(ada, (view) => handoffsPage(view, { limit })),
      { code: 'invalid', reason: 'limit_exceeded' },
    )
  }
  await assert.rejects(
    room.look(ada, (view) => handoffsPage(view, { cursor: 'x' })),
    { reason: 'invalid_request' },
  )
})

test('leases, members and the sessions in use are listed page by page, each once', async (t) => {
  const room = await openTestRoom(t, { text: Array.from({ length: 9 }, (_, n) => `# S${n}\n`).join('') })
  const ada = await room.join('ada')
  for (let n = 0; n < 8; n += 1) await room.join(`p${n}`)
  await room.do(ada, 'checkout', { target: 'section:S8', minutes: 1 })
  room.pass(1) // over, though no timer has ended it
  for (let n = 0; n < 7; n += 1) await room.do(ada, 'checkout', { target: `section:S${n}` })
  const gone = await room.join('gone')
  await room.do(gone, 'leave', {})
  const paged = async <T>(
    look: (view: View, input: PageInput) => { readonly next_cursor?: string },
    key: string,
  ): Promise<T[]> => {
    const seen: T[] = []
    for (let cursor: string | undefined; ; ) {
      const found = await room.look(ada, (view) => look(view, { limit: 3, cursor }))
      const rows = (found as unknown as Record<string, T[]>)[key] ?? []
      assert.ok(rows.length <= 3)
      seen.push(...rows)
      cursor = found.next_cursor
      if (cursor === undefined) return seen
    }
  }

  const leased = await paged<{ target: string }>(leasesPage, 'leases')
  const members = await paged<{ name: string }>(participantsPage, 'participants')
  const used = await paged<{ live: boolean }>(
    (view, input) => sessionsPage(view, { ...input, live: true }),
    'sessions',
  )
  const sessions = await paged<{ live: boolean }>(sessionsPage, 'sessions')

  assert.deepEqual(
    leased.map(({ target }) => target),
    Array.from({ length: 7 }, (_, n) => `section:S${n}`),
  )
  assert.deepEqual(
    members.map(({ name }) => name),
    ['ada', ...Array.from({ length: 8 }, (_, n) => `p${n}`)],
  )
  assert.deepEqual([used.length, sessions.length], [9, 10])
  assert.ok(used.every(({ live }) => live))
})

test('the room says of its lists where they go on', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const one = await room.look(ada, roomView)
  await Promise.all(Array.from({ length: LIMITS.listRows + 1 }, () => room.do(ada, 'invite', {})))

  const full = await room.look(ada, roomView)
  const rest = await room.look(ada, (view) => invitesPage(view, { cursor: full.next_cursors?.invites }))

  assert.equal(one.next_cursors, undefined)
  assert.deepEqual(Object.keys(full.next_cursors ?? {}), ['invites'])
  assert.deepEqual([full.invites?.length, rest.invites.length], [LIMITS.listRows, 1])
})

test('the handoffs of one participant are found behind any number of others, page by page', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const make = (who: typeof ada, count: number, to?: string) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        room.do(who, 'handoff_create', { title: `${n}`, objective: 'o', ...(to && { to }) }),
      ),
    )
  const own = await make(ada, 3)
  await make(bob, 120)
  const addressed = await make(bob, 2, ada.participant_id)
  await make(bob, 2000 - 2 - 120 - 1)
  const mine = (limit: number, cursor?: string) =>
    room.look(ada, (view) => handoffsPage(view, { mine: true, limit, cursor }))

  const seen: string[] = []
  let pages = 0
  for (let cursor: string | undefined; ; pages += 1) {
    const page = await mine(2, cursor)
    seen.push(...page.handoffs.map(({ handoff_id }) => handoff_id))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }
  const all = await mine(200)

  const expected = [...own, ...addressed].map(({ handoff_id }) => handoff_id).reverse()
  assert.deepEqual(seen, expected)
  assert.equal(pages, 2, 'three pages')
  assert.deepEqual(
    all.handoffs.map(({ handoff_id }) => handoff_id),
    expected.slice(0, 3),
  )
  assert.ok(all.next_cursor !== undefined, 'it says that it did not look at all')
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

test('a list of handoffs does not carry their results', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const { handoff_id } = await room.do(ada, 'handoff_create', { title: 't', objective: 'o' })
  await room.do(bob, 'handoff_accept', { handoff_id })
  await room.do(bob, 'handoff_result', { handoff_id, summary: 'short', result: 'a long one' })

  const listed = await room.look(ada, (view) => handoffsPage(view, {}))
  const whole = await room.look(ada, (view) => handoffWithRecord(view, handoff_id))
  const shown = JSON.stringify(await room.look(ada, roomView))

  assert.equal(listed.handoffs[0]?.result_summary, 'short')
  assert.ok(!JSON.stringify(listed).includes('a long one'))
  assert.ok(!shown.includes('a long one'))
  assert.equal(whole.result, 'a long one')
})

test('600 calls a minute are taken from one session and the next is told when to come again', () => {
  let now = 0
  const rate = createRate(LIMITS.callsPerMinute, () => now)
  for (let call = 0; call < LIMITS.callsPerMinute; call += 1) rate.count('ssn_a')

  assert.throws(() => rate.count('ssn_a'), { code: 'rate_limited', reason: 'limit_exceeded' })
  rate.count('ssn_b')
  now = 60_000
  rate.count('ssn_a')
})

test('the texts of the newest 200 versions are kept; an older one says so', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  for (let version = 1; version <= 201; version += 1) {
    await room.do(ada, 'commit', { base_version: version, content: `${version}\n`, summary: 's' })
  }

  await assert.rejects(
    room.look(ada, (view) => diffVersions(view, 2, 202)),
    { code: 'not_found', reason: 'version_pruned' },
  )
  await assert.rejects(
    room.look(ada, (view) => diffVersions(view, 3, 999)),
    { reason: 'version_not_found' },
  )
  const { diff } = await room.look(ada, (view) => diffVersions(view, 3, 202))
  const { to_version: newest } = await room.look(ada, (view) => diffVersions(view, 3))
  assert.equal(newest, await room.look(ada, (view) => view.rows.document.version))
  assert.match(diff, /-2\n\+201/)
  await room.reopen('clean')
  const bodies = await readdir(join(room.file, '..', '.plan.md.satchel', 'versions'))
  assert.equal(bodies.length, 200)
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

/** Reasons that are not the room's own: of the doors, and of the measurements. */
const SHARED: ReadonlySet<string> = new Set([
  'invalid_arguments',
  'origin_not_allowed',
  'media_type',
  'resource_not_found',
  'no_proc',
  'stopping',
])

test('every reason that the room gives is explained with its code, and every reason explained is a reason', async () => {
  const folder = join(import.meta.dirname, '..', 'plugins', 'workspace')
  const sources = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test.') && !name.includes('torture'),
  )
  const texts = sources
    .filter((name) => name !== 'reasons.ts')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const used = new Map<string, string | undefined>()
  for (const text of texts) {
    for (const [, reason = ''] of text.matchAll(/refusal\(\s*'([a-z_]+)'/g)) used.set(reason, undefined)
    for (const [, code, reason = ''] of text.matchAll(/SatchelError\(\s*'([a-z_]+)',\s*'([a-z_]+)'/g)) {
      if (!SHARED.has(reason)) used.set(reason, code)
    }
  }

  for (const [reason, code] of used) {
    assert.ok(reason in REASONS, reason)
    if (code !== undefined && reason !== 'limit_exceeded') assert.equal(REASONS[reason]?.[0], code, reason)
  }
  for (const reason of Object.keys(REASONS))
    assert.ok(
      texts.some((text) => text.includes(`'${reason}'`)),
      reason,
    )
  assert.ok(used.size > 25, `${used.size}`)
})
