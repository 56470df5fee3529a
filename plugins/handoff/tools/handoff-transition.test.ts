import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STATUSES, type Status } from '../domain/record.ts'
import { ALLOWED } from '../domain/transition.ts'
import { openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'

/** What a record needs so that every check passes. */
const SOUND = {
  ...SMALL,
  definition_of_done: ['The suite passes'],
  decisions: [{ decision: 'Compare in constant time', rationale: 'Secret-derived value' }],
  open_items: [
    {
      priority: 'high',
      description: 'Add a fixture',
      suggested_action: 'Create it, run the suite',
      acceptance_check: 'Replay is rejected',
    },
  ],
}

async function recordIn(project: TestProject, status: string): Promise<{ id: string; path: string }> {
  const { id, path } = await project.call('handoff_create', { ...SOUND, parent: 'none' })
  if (status === 'draft') return { id, path }
  await project.call('handoff_transition', { id, to: 'validated' })
  if (status === 'validated') return { id, path }
  await project.call('handoff_transition', { id, to: 'ready' })
  if (status !== 'ready')
    project.write(path, project.read(path).replace('"status": "ready"', `"status": "${status}"`))
  return { id, path }
}

for (const from of STATUSES) {
  test(`from ${from}, each step of the table is allowed or refused with what is allowed`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    for (const to of STATUSES) {
      const { id, path } = await recordIn(project, from)
      const before = project.read(path)
      const move = project.call('handoff_transition', { id, to })

      const refusal = refusalOf(from, to)
      if (refusal === undefined) assert.equal((await move).to, to)
      else await assert.rejects(move, refusal, `${from} -> ${to}`)
      if (refusal !== undefined || (from === to && to !== 'validated'))
        assert.equal(project.read(path), before)
    }
  })
}

function refusalOf(from: Status, to: Status): { reason: string } | undefined {
  if (from === to && to === 'draft') return undefined
  if (!ALLOWED[from].includes(to)) return { reason: 'illegal_transition' }
  return to === 'superseded' && from !== to ? { reason: 'no_successor' } : undefined
}

test('a refused step says what is allowed', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await recordIn(project, 'ready')

  await assert.rejects(project.call('handoff_transition', { id, to: 'draft' }), {
    code: 'conflict',
    details: { from: 'ready', to: 'draft', allowed: ALLOWED.ready },
  })
})

test('a call without a status says how the command line is given one', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)

  await assert.rejects(project.call('handoff_transition', { id: 'ready' }), {
    reason: 'invalid_arguments',
    message: /id of a record and a status.*set-status latest ready/,
  })
})

test('a failing check run keeps the status, stores its outcome and flags the record', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await project.call('handoff_create', {
    ...SOUND,
    decisions: [{ decision: 'x', evidence_ids: ['E-404'] }],
  })

  await assert.rejects(project.call('handoff_transition', { id, to: 'ready' }), {
    code: 'invalid',
    reason: 'checks_failed',
  })

  const flagged = JSON.parse(project.read(path))
  assert.equal(flagged.status, 'draft')
  assert.deepEqual(flagged.flags, ['invalid'])
  assert.equal(flagged.validation.status, 'fail')

  const { etag } = await project.call('handoff_update', {
    id,
    if_match: await etagOf(project, id),
    patch: [{ op: 'replace', path: '/decisions/0/evidence_ids', value: [] }],
  })
  assert.ok(etag)
  const answer = await project.call('handoff_transition', { id, to: 'validated' })
  assert.deepEqual(answer.flags, [])
})

async function etagOf(project: TestProject, id: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return `sha256:${createHash('sha256')
    .update(project.read(`.handoffs/records/${id}.json`))
    .digest('hex')}`
}

test('a record with warnings becomes ready only with a reason', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SOUND, definition_of_done: [] })

  await assert.rejects(project.call('handoff_transition', { id, to: 'ready' }), {
    reason: 'needs_acknowledgement',
  })

  const answer = await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a spike' })
  assert.equal(answer.to, 'ready')
})

test('a record without enough to go on from does not become ready', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', {
    ...SOUND,
    open_items: [{ description: 'something' }],
  })

  await assert.rejects(project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'yes' }), {
    reason: 'not_actionable',
  })
})

test('a released record is immutable, and a hand edit is noticed', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await recordIn(project, 'ready')

  await assert.rejects(
    project.call('handoff_update', { id, if_match: await etagOf(project, id), append: { completed: ['x'] } }),
    { code: 'conflict', reason: 'immutable' },
  )
  project.write(path, project.read(path).replace('Add a fixture', 'Add two fixtures'))
  const verdict = await project.call('handoff_validate', { id })

  const integrity = verdict.validation.checks.find((check: { name: string }) => check.name === 'integrity')
  assert.equal(integrity.status, 'warn')
})

test('the same nonce again answers what the first call did', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await recordIn(project, 'draft')
  const first = await project.call('handoff_transition', { id, to: 'validated', nonce: 'n1' })
  const bytes = project.read(path)

  const again = await project.call('handoff_transition', { id, to: 'validated', nonce: 'n1' })

  assert.deepEqual({ ...again, repeated: false }, { ...first, repeated: false })
  assert.equal(again.repeated, true)
  assert.equal(project.read(path), bytes)
})

test('another status than expected and an old etag are refused', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await recordIn(project, 'draft')

  await assert.rejects(project.call('handoff_transition', { id, to: 'validated', from: 'ready' }), {
    reason: 'illegal_transition',
    message: /is draft, not ready/,
  })
  await assert.rejects(project.call('handoff_transition', { id, to: 'validated', if_match: 'sha256:00' }), {
    reason: 'etag_mismatch',
  })
})

test('the ready child of a record supersedes it, and its time and history say so', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const parent = await recordIn(project, 'ready')
  project.advance(60)
  const child = await project.call('handoff_create', { ...SOUND, parent: parent.id })
  assert.equal(JSON.parse(project.read(parent.path)).status, 'ready')

  await project.call('handoff_transition', { id: child.id, to: 'ready' })

  const old = JSON.parse(project.read(parent.path))
  assert.equal(old.status, 'superseded')
  assert.equal(old.x_satchel.history.at(-1).to, 'superseded')
})

test('an edit keeps every byte it does not name', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await recordIn(project, 'draft')
  const odd =
    '  "10": 1.0,\r\n  "2": [12345678901234567890, -0, 1e400],\r\n\t"__proto__": {"x": 1},\r\n  "constructor": "c",\r\n'
  const lines = project.read(path).replaceAll('\n', '\r\n').replace('{\r\n', `{\r\n${odd}`)
  project.write(path, lines)

  await project.call('handoff_update', {
    id,
    if_match: await etagOf(project, id),
    append: { completed: ['one', 'two'] },
  })

  const after = project.read(path)
  assert.ok(after.includes(odd))
  assert.equal(after.includes('\n') && !/[^\r]\n/.test(after), true)
  assert.deepEqual(JSON.parse(after).summary.completed, ['one', 'two'])
  const without = (text: string) =>
    text.replace(/"completed": \[[^\]]*\]/, '').replace(/"updated_at": "[^"]*"/, '')
  assert.equal(without(after), without(lines))
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('a patch follows RFC 6902 and is refused whole when one operation fails', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await recordIn(project, 'draft')
  const before = project.read(path)
  const patch = async (...operations: unknown[]) =>
    project.call('handoff_update', { id, if_match: await etagOf(project, id), patch: operations })

  const refused = [
    [{ op: 'replace', path: '/status', value: 'ready' }, 'protected_pointer'],
    [{ op: 'remove', path: '/id' }, 'protected_pointer'],
    [{ op: 'add', path: '', value: {} }, 'protected_pointer'],
    [{ op: 'move', from: '/lineage/parents', path: '/x' }, 'protected_pointer'],
    [{ op: 'remove', path: '/nothing/here' }, 'patch_failed'],
    [{ op: 'replace', path: '/nothing', value: 1 }, 'patch_failed'],
    [{ op: 'add', path: '/open_items/7', value: {} }, 'patch_failed'],
    [{ op: 'test', path: '/work/title', value: 'another' }, 'patch_failed'],
    [{ op: 'add', path: '/x' }, 'patch_failed'],
    [{ op: 'replace', path: '/work/title', value: '' }, 'schema_invalid'],
    [{ op: 'remove', path: '/work' }, 'schema_invalid'],
  ] as const
  for (const [operation, reason] of refused) {
    await assert.rejects(patch({ op: 'add', path: '/extra', value: 1 }, operation), {
      code: 'invalid',
      reason,
    })
    assert.equal(project.read(path), before)
  }

  await patch(
    { op: 'test', path: '/work/title', value: SOUND.title },
    { op: 'add', path: '/open_items/0', value: { ...SOUND.open_items[0], id: 'O-009', blocked_by: [] } },
    { op: 'copy', from: '/work/title', path: '/work/constraints/-' },
    { op: 'move', from: '/open_items/1/description', path: '/open_items/0/description' },
    { op: 'add', path: '/open_items/1/description', value: 'again' },
    { op: 'add', path: '/own~1key', value: { a: [1] } },
    { op: 'remove', path: '/own~1key/a/0' },
  )

  const record = JSON.parse(project.read(path))
  assert.deepEqual(record['own/key'], { a: [] })
  assert.deepEqual(record.work.constraints, [SOUND.title])
  assert.equal(record.open_items.length, 2)
})

test('items get free ids, and references follow their labels', async (t) => {
  const project = await openTestProject(t)
  const created = await project.call('handoff_create', {
    ...SOUND,
    evidence: [
      { id: 'run', type: 'test', claim: 'passes', result: 'pass' },
      { id: 'E-001', claim: 'seen' },
    ],
    decisions: [{ id: 'why', decision: 'so', evidence_ids: ['run', 'E-001'] }],
    open_items: [
      { id: 'a', description: 'first', blocked_by: ['b'] },
      { id: 'b', description: 'second', blocked_by: ['the release of v2'] },
    ],
  })

  assert.deepEqual(created.assigned_ids, {
    why: 'D-001',
    run: 'E-002',
    'E-001': 'E-001',
    a: 'O-001',
    b: 'O-002',
  })
  const record = JSON.parse(project.read(created.path))
  assert.deepEqual(record.decisions[0].evidence_ids, ['E-002', 'E-001'])
  assert.deepEqual(record.open_items[0].blocked_by, ['O-002'])
  assert.deepEqual(record.open_items[1].blocked_by, ['the release of v2'])
})

test('secrets never reach the store, and commit ids and digests are left alone', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const hash = 'd94f3f016ae679c3008de268209132f2a1b2c3d4'
  const created = await project.call('handoff_create', {
    ...SOUND,
    current_state: `The token ${secret} works; AKIAIOSFODNN7EXAMPLE too`,
    evidence: [{ type: 'commit', claim: `password=Tr0ub4dor&3xyz`, ref: hash, digest: `sha256:${hash}` }],
    extra: { [`key ${secret}`]: 1, login: { password: 'Corr3ct-Horse-Battery' }, note: 'token: budget' },
    artifacts: [{ path: `logs/${secret}.txt` }],
  })

  const text = project
    .files()
    .map((path) => project.read(path))
    .join('\n')
  for (const canary of [secret, 'AKIAIOSFODNN7EXAMPLE', 'Tr0ub4dor&3xyz', 'Corr3ct-Horse-Battery']) {
    assert.ok(!text.includes(canary), canary)
    assert.ok(!JSON.stringify(created).includes(canary), canary)
  }
  assert.ok(text.includes(hash))
  assert.ok(text.includes('token: budget'))
  assert.equal(created.redactions.length >= 5, true)
  assert.ok(text.includes('redacted_key_1'))
})

test('a reason and a nonce have a length, and the reasons of many moves do not outgrow their record', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  const long = 'é'.repeat(2000)
  for (const field of ['reason', 'accept_warnings', 'nonce']) {
    const call = project.call('handoff_transition', { id, to: 'validated', [field]: `${long}x` })
    await assert.rejects(call, { code: 'invalid', reason: 'invalid_arguments' })
  }
  const force = project.call('handoff_redact', { id, apply: true, force_reason: `${long}x` })
  await assert.rejects(force, { code: 'invalid', reason: 'invalid_arguments' })

  for (let n = 0; n < 30; n++) {
    await project.call('handoff_transition', { id, to: 'validated', reason: `${n} ${long}`.slice(0, 2000) })
  }

  const { history } = JSON.parse(project.read(path)).x_satchel
  const last = history.at(-1)
  assert.ok(Buffer.byteLength(JSON.stringify(history)) <= 64 * 1024 + 100)
  assert.equal(last.reason, `29 ${long}`.slice(0, 2000))
  assert.equal(history.length, 15)
})
