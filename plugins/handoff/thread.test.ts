import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

const OPEN = {
  constraints: ['Keep the address'],
  in_progress: ['Half of the callers are renamed'],
  completed: ['Wrote the helper'],
  open_items: [{ priority: 'high', description: 'x', suggested_action: 'the earlier step' }],
}

/** Sessions of one project: each with a clock of its own, which starts at the same time. */
async function sessions(t: TestContext) {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'first' } })
  const { id } = await project.call('handoff_create', { ...SMALL, ...OPEN })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const session = (name: string) => openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: name } })
  return { project, id, session }
}

const recordOf = async (project: TestProject, id: string) =>
  (await project.call('handoff_get', { id })).record

async function start(project: TestProject, source: string) {
  const { stdout, notes } = await runHook(project, 'session-start', { cwd: project.root, source })
  const text = stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
  return { text, notes }
}

const LEAN = { title: 'End of the day', objective: 'The same', current_state: 'Nearly done' }

test('a record takes up the notes of its own session, which end with it, and is not in conflict', async (t) => {
  const { id, session } = await sessions(t)
  const own = await session('second')
  await own.call('handoff_resume')
  const note = await own.call('handoff_note', { kind: 'failed', text: 'A longer timeout', why: 'slow' })
  await own.call('handoff_note', { kind: 'next', text: 'the noted step' })
  await own.call('handoff_note', { kind: 'done', text: 'the noted work' })
  own.advance(60)

  const made = await own.call('handoff_create', { ...LEAN, completed: ['the last work'] })
  const ready = await own.call('handoff_transition', { id: made.id, to: 'ready', accept_warnings: 'a test' })
  const record = await recordOf(own, made.id)

  assert.deepEqual([ready.to, ready.flags, record.lineage.parents], ['ready', [], [id]])
  assert.deepEqual(
    record.failed_attempts.map((one: { approach: string }) => one.approach),
    ['A longer timeout'],
  )
  assert.deepEqual(record.summary.completed, ['the noted work', 'the last work'])
  assert.deepEqual([record.summary.in_progress, record.work.constraints], [[], OPEN.constraints])
  assert.match((await start(own, 'compact')).text, /Next action \(O-002, high\): the noted step/)
  assert.equal((await recordOf(own, note.id)).status, 'archived')
  assert.equal((await recordOf(own, id)).status, 'superseded')
})

test('a note keeps work in progress and finished work of the record that it is about', async (t) => {
  const { session } = await sessions(t)
  const own = await session('second')
  await own.call('handoff_resume')

  await own.call('handoff_note', { kind: 'failed', text: 'A longer timeout' })

  const { text } = await start(own, 'compact')
  for (const said of [...OPEN.in_progress, ...OPEN.completed, 'A longer timeout'])
    assert.ok(text.includes(said))
})

test('records of one session are not in conflict, and one of another session is', async (t) => {
  const { id, session } = await sessions(t)
  const own = await session('second')
  const other = await session('third')
  const continued = (project: TestProject) => project.call('handoff_branch', { id, relation: 'continue' })

  const first = await continued(own)
  const second = await continued(own)
  const third = await continued(other)

  const flags = await Promise.all(
    [first, second, third].map(async ({ id }) => (await recordOf(own, id)).flags),
  )
  assert.deepEqual(flags, [[], [], ['conflicted']])
  assert.match(second.warnings.join(), new RegExp(`${first.id} of this session continues the same record`))
})

test('what a session released after it wrote a draft is what it continues from, unless the draft goes on from it', async (t) => {
  const { project } = await sessions(t)
  const draft = await project.call('handoff_create', { ...SMALL, title: 'A draft', parent: 'none' })
  project.advance(60)
  const later = await project.call('handoff_create', { ...SMALL, ...OPEN, title: 'Later', parent: 'none' })
  await project.call('handoff_transition', { id: later.id, to: 'ready', accept_warnings: 'a test' })
  assert.equal((await project.call('handoff_get', { id: 'latest' })).id, later.id)

  const note = await project.call('handoff_note', { kind: 'done', text: 'more' })
  project.advance(60)
  const other = await openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: 'other' } })
  other.advance(600)
  await other.call('handoff_resume', { id: later.id })

  assert.notEqual(note.id, draft.id)
  assert.deepEqual((await recordOf(project, note.id)).lineage.parents, [later.id])
  assert.equal((await project.call('handoff_get', { id: 'latest' })).id, note.id)
})

for (const [what, made] of [
  ['note', (own: TestProject) => own.call('handoff_note', { kind: 'failed', text: 'A longer timeout' })],
  ['record', (own: TestProject) => own.call('handoff_create', LEAN)],
] as const) {
  test(`a ${what} goes on from the brief that a hook gave, which changes no record`, async (t) => {
    const { project, id, session } = await sessions(t)
    const own = await session('second')
    const before = project.read(`.handoffs/records/${id}.json`)
    await start(own, 'resume')

    const { id: child } = await made(own)

    const { lineage, work } = await recordOf(own, child)
    assert.deepEqual([lineage.parents, work.constraints], [[id], OPEN.constraints])
    assert.equal(project.read(`.handoffs/records/${id}.json`), before)
  })
}

test('a session is told that another one was given the same record and has not ended', async (t) => {
  const { session } = await sessions(t)
  const shown = await session('second')
  await start(shown, 'resume')
  const other = await session('third')

  const during = await other.call('handoff_resume', { mark: false })
  await runHook(shown, 'session-end', { cwd: shown.root })
  const after = await other.call('handoff_resume', { mark: false })

  assert.match(during.warnings.join(), /Session s-[0-9a-f]{16} was given this record, too/)
  assert.deepEqual(after.warnings, [])
})

test('notes of an ended session are what the next one is told of, resumes and checks plans against', async (t) => {
  const { id, session } = await sessions(t)
  const ended = await session('second')
  await ended.call('handoff_resume')
  const note = await ended.call('handoff_note', { kind: 'failed', text: 'Store the state in a cookie' })
  const next = await session('third')
  const whileLive = await next.call('handoff_get', { id: 'latest' })
  const checked = await next.call('handoff_check_plan', { id, plan: 'Store the state in a cookie' })
  await runHook(ended, 'session-end', { cwd: ended.root })

  const { text } = await start(next, 'startup')
  const resumed = await next.call('handoff_resume')
  const again = await next.call('handoff_note', { kind: 'done', text: 'more' })

  assert.deepEqual([whileLive.id, checked.verdict], [id, 'repeat'])
  assert.match(text, /^1 note of an ended session on a handoff, "Validate .*; resume with handoff_resume$/)
  assert.deepEqual([resumed.id, resumed.marked, resumed.claim?.by.length], [note.id, true, 18])
  assert.match(resumed.brief, /Store the state in a cookie/)
  const record = await recordOf(next, again.id)
  assert.deepEqual([record.lineage.parents, record.failed_attempts.length], [[id], 1])
  assert.equal((await recordOf(next, note.id)).status, 'archived')
  const late = await session('fourth')
  await assert.rejects(late.call('handoff_resume', { id }), { reason: 'claimed' })
})

test('a described draft of an ended session is named with the call that goes on with it', async (t) => {
  const { id, session } = await sessions(t)
  const ended = await session('second')
  await ended.call('handoff_resume')
  const draft = await ended.call('handoff_create', LEAN)
  await runHook(ended, 'session-end', { cwd: ended.root })
  const next = await session('third')

  const line = await start(next, 'startup')
  const resumed = await next.call('handoff_resume')
  await runHook(next, 'session-end', { cwd: next.root })
  const last = await session('fourth')
  await last.call('handoff_resume', { id: draft.id })
  const note = await last.call('handoff_note', { kind: 'done', text: 'more' })

  const named = `A draft of an ended session continues this and is not in it: ${draft.id}, a record of its own; handoff_resume {"id":"${draft.id}"} goes on with it.`
  assert.match(line.text, /^1 handoff resumed and not finished: "Validate/)
  assert.ok(line.text.includes(named), line.text)
  assert.equal(resumed.id, id)
  assert.ok(resumed.warnings.includes(named), resumed.warnings.join())
  assert.deepEqual((await recordOf(last, note.id)).lineage.parents, [draft.id])
})

test('a described draft of an ended session is told at startup, beside what is ready, and a resume says how to go on with it', async (t) => {
  const { project, id, session } = await sessions(t)
  project.git('switch', '-q', '-c', 'work')
  const author = await session('second')
  author.advance(60)
  const draft = await author.call('handoff_create', {
    ...SMALL,
    ...OPEN,
    title: 'Half a day',
    parent: 'none',
  })
  const next = await session('third')
  const whileLive = await start(next, 'startup')
  await runHook(author, 'session-end', { cwd: author.root })

  const { text } = await start(next, 'startup')
  const resumed = await next.call('handoff_resume')
  const note = await next.call('handoff_note', { kind: 'done', text: 'more' })

  const ready = `1 handoff ready: "${SMALL.title}", 0 min old; resume with handoff_resume {"id":"${id}"}`
  assert.equal(whileLive.text, ready)
  assert.equal(
    text,
    `1 draft of an ended session, not released: "Half a day", 0 min old; resume with handoff_resume. ${ready}`,
  )
  const warning = `The record is draft: it was not marked as resumed. handoff_create and the command satchel handoff note go on with it, handoff_transition {"id":"${draft.id}","to":"ready"} releases it.`
  assert.deepEqual([resumed.id, resumed.warnings], [draft.id, [warning]])
  assert.deepEqual((await recordOf(next, note.id)).lineage.parents, [draft.id])
})

test('a resume of notes on a draft says that of the draft', async (t) => {
  const { session } = await sessions(t)
  const author = await session('second')
  const draft = await author.call('handoff_create', { ...SMALL, ...OPEN, parent: 'none' })
  const other = await session('third')
  await other.call('handoff_resume', { id: draft.id })
  const note = await other.call('handoff_note', { kind: 'done', text: 'more' })
  await other.call('handoff_transition', { id: note.id, to: 'validated', accept_warnings: 'a test' })

  const { brief, warnings } = await (await session('fourth')).call('handoff_resume', { id: note.id })

  assert.match(brief, /^Handoff \S+: validated/)
  assert.ok(
    warnings[0].startsWith(`The record that these notes are about, ${draft.id}, is draft: it was not marked`),
    warnings[0],
  )
})

test('notes before a resume are taken up by the first note after it', async (t) => {
  const { id, session } = await sessions(t)
  const own = await session('second')
  const loose = await own.call('handoff_note', { kind: 'failed', text: 'A longer timeout' })
  own.advance(60)
  await own.call('handoff_resume', { id })
  assert.equal((await own.call('handoff_get', { id: 'latest' })).id, id)

  const note = await own.call('handoff_note', { kind: 'failed', text: 'A shorter timeout' })

  const record = await recordOf(own, note.id)
  assert.deepEqual(
    [record.lineage.parents, record.failed_attempts.map((one: { id: string }) => one.id)],
    [[id], ['F-001', 'F-002']],
  )
  assert.equal((await recordOf(own, loose.id)).status, 'archived')
})

test('the startup line and a resume name what was captured on the history of HEAD, also under another name of its branch', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const release = async (title: string) => {
    const { id } = await project.call('handoff_create', { ...SMALL, ...OPEN, title })
    await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
    project.advance(60)
    return id
  }
  const commit = (path: string) => {
    project.write(path, path)
    project.git('add', path)
    project.git('commit', '-q', '-m', path)
  }
  const latest = async () => (await project.call('handoff_resume', { mark: false })).id
  const old = await release('OLD')
  project.git('switch', '-q', '-c', 'feature')
  commit('a')
  const feature = await release('FEATURE')
  project.git('switch', '-q', 'main')
  assert.equal(await latest(), old)
  commit('b')
  const main = await release('MAIN')
  assert.equal(await latest(), main)

  project.git('switch', '-q', 'feature')
  assert.equal(await latest(), feature)
  project.git('branch', '-m', 'renamed')
  assert.equal(await latest(), feature)
  assert.match((await start(project, 'startup')).text, /^3 handoffs ready, .*"FEATURE"/)
  project.git('switch', '-q', '--detach')
  assert.equal(await latest(), feature)
  project.git('switch', '-q', 'main')
  project.git('merge', '-q', '--no-edit', 'renamed')
  assert.equal(await latest(), main)
  project.git('commit', '-q', '--amend', '-m', 'rewritten')
  assert.equal(await latest(), main)
})

test('a damaged record is named by hook and resume with the command that repairs it', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const broken = '.handoffs/records/0198c0de-0000-7000-8000-000000000004.json'
  mkdirSync(join(project.root, '.handoffs/records'), { recursive: true })
  project.write(broken, '<<<<<<< HEAD\n')
  const wanted =
    /1 handoff record cannot be read: \S+4\.json \(bad_json, line 1\)\. satchel handoff doctor --fix/

  const alone = await start(project, 'startup')
  await project.call('handoff_create', SMALL)
  const { text, notes } = await start(project, 'compact')
  const { warnings } = await project.call('handoff_resume')

  assert.match(alone.text, wanted)
  assert.match(text, wanted)
  assert.match(text, /^Handoff /)
  assert.match(notes.join(), wanted)
  assert.match(warnings.join(), wanted)
})

test('a record that is dated ahead of the clock is named at the start, with its id', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, ...OPEN })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  project.advance(-3600)

  const { text } = await start(project, 'startup')

  assert.match(
    text,
    /^1 handoff ready: .*, dated ahead of the clock of this machine; resume with handoff_resume/,
  )
  assert.ok(text.includes(id))
})
