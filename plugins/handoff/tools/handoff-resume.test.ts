import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'

const RESUMABLE = {
  ...SMALL,
  scope: ['src/**'],
  constraints: ['Keep the public URL'],
  definition_of_done: ['The suite passes'],
  artifacts: [{ path: 'src/callback.ts' }],
  failed_attempts: [{ approach: 'Store state in a cookie', reason: 'third-party cookies are blocked' }],
  open_items: [
    {
      priority: 'high',
      description: 'Add a fixture',
      suggested_action: 'Create it',
      acceptance_check: 'green',
    },
  ],
}

async function ready(project: TestProject, extra: Record<string, unknown> = {}): Promise<string> {
  const { id } = await project.call('handoff_create', { ...RESUMABLE, ...extra, parent: 'none' })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  return id
}

test('a second session resumes the record of the first and learns what changed', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'first' } })
  const id = await ready(project)
  project.write('src/callback.ts', 'export const callback = 2\n')
  project.git('commit', '-q', '-am', 'second')

  const before = JSON.parse(project.read(`.handoffs/records/${id}.json`))
  const resumed = await project.call('handoff_resume')

  assert.equal(resumed.id, id)
  assert.equal(resumed.freshness.state, 'ahead')
  assert.equal(resumed.freshness.commits_ahead, 1)
  assert.deepEqual(resumed.freshness.changed_in_scope, ['src/callback.ts'])
  assert.equal(resumed.freshness.gate, 'care')
  assert.equal(resumed.structured.do_not_retry[0].approach, 'Store state in a cookie')
  assert.match(resumed.brief, /Do not retry \(F-001\): Store state in a cookie/)
  assert.match(resumed.brief, /Next action \(O-001, high\): Create it/)
  assert.equal(resumed.claim.by.startsWith('s-'), true)
  const record = JSON.parse(project.read(`.handoffs/records/${id}.json`))
  assert.deepEqual(record, { ...before, status: 'resumed', updated_at: record.updated_at })
})

test('one session claims a record, the other is told who and until when, and gets it after the time', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const id = await ready(project)
  const first = await project.call('handoff_resume', { id, claim: { by: 'ada', ttl_s: 60 } })

  await assert.rejects(project.call('handoff_resume', { id, claim: { by: 'bob' } }), {
    code: 'conflict',
    reason: 'claimed',
    details: { by: 'ada', expires_at: first.claim.expires_at },
    next: { tool: 'handoff_get', args: { id, format: 'brief' } },
  })
  project.advance(61)
  const second = await project.call('handoff_resume', { id, claim: { by: 'bob' } })

  assert.equal(second.claim.by, 'bob')
})

test('renewing a claim leaves the time of the record, and releasing it makes it ready', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const id = await ready(project)
  await project.call('handoff_resume', { id, claim: { by: 'ada' } })
  const before = project.read(`.handoffs/records/${id}.json`)
  const claimFile = `.handoffs/.local/claims/${id}.json`
  const { expires_at } = JSON.parse(project.read(claimFile))
  project.advance(100)

  const renewed = await project.call('handoff_resume', { id, claim: { by: 'ada' } })
  assert.equal(project.read(`.handoffs/records/${id}.json`), before)
  assert.notEqual(renewed.claim.expires_at, expires_at)
  await project.call('handoff_transition', { id, to: 'ready' })

  const released = JSON.parse(project.read(`.handoffs/records/${id}.json`))
  assert.equal(released.status, 'ready')
  assert.ok(!project.files().includes(claimFile))
})

test('git sees one change of a record after a resume, and nothing of a claim', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const id = await ready(project)
  // The ignore file of a store of release 0.1.0 does not name the local folder.
  project.write('.handoffs/.gitignore', '.cache/\n.locks/\n.tmp/\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'handoff')

  project.advance(60)
  await project.call('handoff_resume', { id })
  await project.call('handoff_resume', { id })

  assert.equal(project.git('status', '--porcelain'), `M .handoffs/records/${id}.json`)
  assert.equal(project.git('diff', '--numstat'), `2\t2\t.handoffs/records/${id}.json`)
})

test('the claim of a process that ended is free, and one that an earlier release wrote counts', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const id = await ready(project)
  await project.call('handoff_resume', { id, claim: { by: 'ada' } })
  const claimFile = `.handoffs/.local/claims/${id}.json`
  const held = JSON.parse(project.read(claimFile))
  const ended = held.processes.map((one: object) => ({ ...one, pid: 2 ** 22 - 1 }))
  project.write(claimFile, JSON.stringify({ ...held, processes: ended }))

  assert.equal((await project.call('handoff_resume', { id, claim: { by: 'bob' } })).claim.by, 'bob')
  project.write(claimFile, 'garbage')
  assert.equal((await project.call('handoff_resume', { id, claim: { by: 'eve' } })).claim.by, 'eve')

  const older = await ready(project)
  const path = `.handoffs/records/${older}.json`
  const record = JSON.parse(project.read(path))
  const claim = { by: 'ada', expires_at: new Date(project.now().getTime() + 60_000).toISOString() }
  project.write(path, JSON.stringify({ ...record, x_satchel: { ...record.x_satchel, claim } }))
  await assert.rejects(project.call('handoff_resume', { id: older, claim: { by: 'bob' } }), {
    reason: 'claimed',
  })
})

test('a record from the future is reported and never latest; a damaged store is named', async (t) => {
  const project = await openTestProject(t)
  await assert.rejects(project.call('handoff_resume'), { reason: 'record_not_found' })
  const id = await ready(project)
  project.advance(-24 * 3600)

  await assert.rejects(project.call('handoff_resume'), {
    reason: 'record_not_found',
    message: new RegExp(`${id} is dated ahead of the clock`),
    next: { tool: 'handoff_resume', args: { id } },
  })
  const { problems } = await project.call('handoff_doctor')
  assert.deepEqual(
    problems.map(({ kind, path }: { kind: string; path: string }) => [kind, path]),
    [['future_time', `.handoffs/records/${id}.json`]],
  )
  assert.equal((await project.call('handoff_resume', { id })).id, id)
  project.write(`.handoffs/records/${id}.json`, '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n')
  await assert.rejects(project.call('handoff_resume'), { reason: 'bad_json' })
})

test('a new record of a session goes on from what the session has claimed', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const parent = await ready(project)
  await project.call('handoff_resume', { id: parent })

  const child = await project.call('handoff_create', { ...SMALL, closes: ['O-001'] })

  const record = JSON.parse(project.read(child.path))
  assert.deepEqual(record.lineage.parents, [parent])
  assert.deepEqual(record.summary.completed, ['Add a fixture'])
  assert.deepEqual(record.open_items, [])
  assert.equal(record.failed_attempts[0].approach, 'Store state in a cookie')
})

test('looking without marking, and drafts, change nothing', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await project.call('handoff_create', RESUMABLE)
  const before = project.read(path)

  const draft = await project.call('handoff_resume', { id })
  const brief = await project.call('handoff_get', { id, format: 'brief', max_tokens: 1200 })

  assert.equal(draft.marked, false)
  assert.equal(draft.warnings.length, 1)
  assert.equal(brief.text, draft.brief)
  assert.equal(project.read(path), before)
})

test('a change under the record moves exactly the verdicts it should', async (t) => {
  const project = await openTestProject(t, { repository: true })
  project.write('log.txt', 'all green\n')
  project.write('other.ts', 'x\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'evidence')
  const head = project.git('rev-parse', 'HEAD')
  const { createHash } = await import('node:crypto')
  const digest = `sha256:${createHash('sha256').update('all green\n').digest('hex')}`
  const id = await ready(project, {
    artifacts: [{ path: 'src/callback.ts' }, { path: 'log.txt', role: 'generated' }],
    evidence: [
      { id: 'E-001', type: 'commit', claim: 'landed', ref: head },
      { id: 'E-002', type: 'file', claim: 'log', ref: 'log.txt', digest },
      { id: 'E-003', type: 'test', claim: 'green', ref: 'npm test', result: 'pass', digest },
      { id: 'E-004', type: 'url', claim: 'doc', ref: 'https://example.org' },
      { id: 'E-005', type: 'command', claim: 'ran', ref: 'make', result: 'ok' },
    ],
    decisions: [{ id: 'D-001', decision: 'so', rationale: 'why', evidence_ids: ['E-001', 'E-002'] }],
  })
  const verdicts = async () => {
    const answer = await project.call('handoff_freshness', { id })
    return [answer.state, answer.gate, ...answer.claims.map((claim: { verdict: string }) => claim.verdict)]
  }

  assert.deepEqual(await verdicts(), [
    'fresh',
    'go',
    'holds',
    'holds',
    'holds',
    'unverifiable',
    'unverifiable',
  ])

  project.write('src/callback.ts', 'changed\n')
  assert.deepEqual(await verdicts(), ['dirty', 'care', 'holds', 'holds', 'stale', 'unverifiable', 'stale'])

  project.git('checkout', '-q', 'src/callback.ts')
  project.write('other.ts', 'out of scope\n')
  project.git('commit', '-q', '-am', 'more')
  assert.deepEqual(await verdicts(), [
    'ahead',
    'go',
    'holds',
    'holds',
    'holds',
    'unverifiable',
    'unverifiable',
  ])

  project.git('reset', '-q', '--hard', head)
  project.git('commit', '-q', '--amend', '-m', 'amended away')
  assert.deepEqual(await verdicts(), [
    'diverged',
    'go',
    'moved',
    'holds',
    'holds',
    'unverifiable',
    'unverifiable',
  ])

  project.git('reset', '-q', '--hard', head)
  project.git('rm', '-q', 'log.txt')
  const missing = await verdicts()
  assert.deepEqual(missing.slice(1, 4), ['stop', 'holds', 'contradicted'])

  project.git('reset', '-q', '--hard', head)
  project.git('checkout', '-q', 'HEAD~1')
  assert.deepEqual((await verdicts()).slice(0, 3), ['behind', 'stop', 'stale'])
})

test('a project without git, and a repository without commits, are unknown and never an error', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', SMALL)
  assert.equal((await project.call('handoff_freshness', { id })).state, 'unknown')

  project.git('init', '-q')
  const answer = await project.call('handoff_freshness', { id })

  assert.equal(answer.state, 'unknown')
  assert.equal(answer.freshness.stale, false)
})

test('an artifact outside the project fails the check and is never read', async (t) => {
  const project = await openTestProject(t, { repository: true })
  symlinkSync('/etc/hostname', `${project.root}/link`)
  symlinkSync('/etc', `${project.root}/folder`)
  for (const path of ['../x', '/etc/hostname', 'a\0b', 'link', 'folder/hostname', 'src/../../x']) {
    const created = await project.call('handoff_create', { ...SMALL, parent: 'none', artifacts: [{ path }] })

    const verdict = await project.call('handoff_validate', { id: created.id })

    const check = verdict.validation.checks.find(({ name }: { name: string }) => name === 'paths')
    assert.equal(check.status, 'fail', path)
    assert.equal(JSON.parse(project.read(created.path)).artifacts[0].content_hash, null)
  }
  const fine = await project.call('handoff_create', {
    ...SMALL,
    parent: 'none',
    artifacts: [{ path: 'foo..bar', role: 'generated' }],
  })
  const verdict = await project.call('handoff_validate', { id: fine.id })
  assert.equal(
    verdict.validation.checks.find(({ name }: { name: string }) => name === 'paths').status,
    'pass',
  )
})

test('a plan is compared with the whole lineage, and only with what should not be repeated', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const first = await ready(project)
  const child = await project.call('handoff_create', { ...SMALL, parent: first })
  const check = (plan: string) => project.call('handoff_check_plan', { id: child.id, plan })

  const repeated = await check('Save the state in a cookie')
  const other = await check('Store the state on the server instead of in a cookie')

  assert.equal(repeated.verdict, 'repeat')
  assert.equal(repeated.matches[0].reason, 'third-party cookies are blocked')
  assert.notEqual(other.verdict, 'repeat')
  assert.equal((await check('Water the plants')).verdict, 'clear')
})

test('an attempt that every record of a lineage repeats is counted once', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const failed_attempts = ['Store the state in a cookie', 'Wait longer'].map((approach) => ({ approach }))
  let parent = (await project.call('handoff_create', { ...SMALL, failed_attempts })).id
  for (let n = 0; n < 3; n++) {
    await project.call('handoff_create', {
      ...SMALL,
      parent,
      failed_attempts: [{ approach: 'wait  LONGER' }],
    })
    parent = (await project.call('handoff_branch', { id: parent, relation: 'continue' })).id
  }

  const checked = await project.call('handoff_check_plan', {
    id: parent,
    plan: 'Store the state in a cookie',
  })

  assert.deepEqual([checked.compared, checked.matches.length], [2, 1])
})

test('an id is a uuid, latest, or digits from either end; two hits name both', async (t) => {
  const project = await openTestProject(t)
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push((await project.call('handoff_create', { ...SMALL, parent: 'none' })).id)
  const [first = '', second = ''] = ids

  assert.equal((await project.call('handoff_get', { id: first.slice(-8) })).id, first)
  assert.equal((await project.call('handoff_get', { id: second.toUpperCase() })).id, second)
  await assert.rejects(
    project.call('handoff_get', { id: first.slice(0, 8) }),
    (error: { reason: string; details: { candidates: string[] } }) => {
      assert.equal(error.reason, 'ambiguous_id')
      assert.deepEqual(error.details.candidates, ids.sort())
      return true
    },
  )
  await assert.rejects(project.call('handoff_get', { id: 'ffff' }), {
    code: 'not_found',
    reason: 'record_not_found',
  })
})

test('a refusal of an unknown id names the ids that differ by few digits', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', SMALL)
  const other = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')
  const calls = [other(id), other(id.slice(-8))].flatMap((mistyped) => [
    project.call('handoff_get', { id: mistyped }),
    project.call('handoff_resume', { id: mistyped }),
    project.call('handoff_validate', { id: mistyped }),
    project.call('handoff_update', { id: mistyped, if_match: 'any', append: { completed: ['x'] } }),
    project.call('handoff_branch', { id: mistyped, relation: 'continue' }),
  ])

  for (const result of await Promise.allSettled(calls)) {
    assert.equal(result.status, 'rejected')
    assert.deepEqual(result.reason.details.near, [id], result.reason.reason)
  }
})

test('over the budget an outline comes, and its next call reads on', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    completed: Array(500).fill('did something'),
  })

  const outline = await project.call('handoff_get', { id, max_tokens: 500 })
  const { next } = outline.truncated
  const more = await project.call(next.tool, next.args)

  assert.equal(outline.record, undefined)
  assert.equal(typeof outline.part.summary, 'string')
  assert.equal(more.part.title, SMALL.title)
})

test('max_tokens counts bytes, not characters', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', { ...SMALL, completed: ['é'.repeat(4000)] })
  const { record } = await project.call('handoff_get', { id, max_tokens: 300_000 })
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(record)) / 4)

  const whole = await project.call('handoff_get', { id, max_tokens: tokens })
  const cut = await project.call('handoff_get', { id, max_tokens: tokens - 1 })
  const part = await project.call('handoff_get', { id, pointer: '/summary/completed', max_tokens: 1500 })

  assert.deepEqual([whole.truncated, whole.record.id], [undefined, id])
  assert.deepEqual([cut.truncated.reason, cut.record], ['over_budget', undefined])
  assert.equal(part.truncated.reason, 'over_budget')
})

test('where every record is dated ahead, one that goes on is named and none that is over', async (t) => {
  const project = await openTestProject(t)
  const open = await project.call('handoff_create', { ...SMALL, parent: 'none' })
  project.advance(60)
  const over = await project.call('handoff_create', { ...SMALL, parent: 'none' })
  await project.call('handoff_transition', { id: over.id, to: 'archived' })
  project.advance(-400 * 24 * 3600)

  await assert.rejects(project.call('handoff_resume'), {
    reason: 'record_not_found',
    details: { id: open.id },
  })
})
