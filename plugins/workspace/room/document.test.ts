import assert from 'node:assert/strict'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isSatchelError } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { GOALS, openTestRoom } from '../testing/test-room.ts'
import { changesSince } from './catch-up.ts'
import { diffVersions, readDocument, status } from './views.ts'

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

test('with staleness by section a path that now names two headings matches neither', async (t) => {
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

test('a section that is removed takes its proposals along: no review, commit or rebase brings it back unseen', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const base = { base_version: 1, summary: 's', target: 'section:Plan/Goals' }
  const pending = await room.do(ada, 'propose', { ...base, content: GOALS })
  const ready = await room.do(ada, 'propose', { ...base, content: '## Goals\nfour\n' })
  await room.do(ada, 'review', { proposal_id: ready.proposal_id, approve: true })
  const without = '# Plan\n\n## Steps\nx\n'

  const told = await room.emitted(() => room.write(without))
  const toldOfCommit = await room.emitted(() => room.do(ada, 'commit', { proposal_id: ready.proposal_id }))
  const refusals: string[] = []
  for (const [operation, input] of [
    ['review', { proposal_id: pending.proposal_id, approve: true }],
    ['commit', { proposal_id: pending.proposal_id }],
    ['rebase', { proposal_id: pending.proposal_id }],
    ['rebase', { proposal_id: ready.proposal_id }],
    ['propose', { ...base, content: GOALS }],
    ['propose', { ...base, base_version: 2, content: GOALS }],
    ['checkout', { target: base.target }],
  ] as const)
    refusals.push(await reasonOf(room.do(ada, operation, input)))

  assert.deepEqual(
    [told, toldOfCommit],
    [['change.committed', 'proposal.superseded'], ['proposal.conflicted']],
  )
  assert.deepEqual(refusals, [
    'proposal_conflict',
    'proposal_conflict',
    'invalid_region',
    'invalid_region',
    'stale_version',
    'invalid_region',
    'invalid_region',
  ])
  assert.equal(await room.text(), without)
})

async function reasonOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`
  } catch (thrown) {
    return String((thrown as { reason?: string }).reason)
  }
}

test('edits of the file by other hands become versions; touching it, our own write and what is not text do not', async (t) => {
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
  const read = await room.look(ada, (view) => readDocument(view, {}))
  const digest = await room.look(ada, (view) => changesSince(view, { since_event_id: 0 }))

  assert.deepEqual(
    [inPlace, renamedOver, recreated],
    [['change.committed'], ['change.committed'], ['change.committed']],
  )
  assert.deepEqual([deleted, touched, invalid], [[], [], []])
  assert.deepEqual([missing.substrate, broken.substrate], ['missing', 'invalid'])
  const { substrate, file } = read
  assert.deepEqual([read.content, substrate, digest.substrate], ['three\n', 'invalid', 'invalid'])
  assert.match(String(file), /not UTF-8 text/)
  assert.deepEqual([digest.file, broken.file], [file, file])
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

test('a document of 4 MiB is taken and one byte more is not', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const commit = (content: string) => room.do(ada, 'commit', { base_version: 1, content, summary: 's' })

  await assert.rejects(commit('x'.repeat(LIMITS.documentBytes + 1)), {
    code: 'too_large',
    reason: 'limit_exceeded',
  })
  const { version } = await commit('x'.repeat(LIMITS.documentBytes))

  assert.equal(version, 2)
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
