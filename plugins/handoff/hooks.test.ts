import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../server/plugin.ts'
import { detect } from './domain/detect.ts'
import { sessionName } from './domain/record-id.ts'
import { HOOK_LIMITS } from './hooks.ts'
import { contextOf, openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook as hook, PATIENT } from './testing/run-hook.ts'

const records = (project: TestProject) => project.files().filter((path) => path.includes('/records/'))
const read = (project: TestProject, path: string) => JSON.parse(project.read(path))

/** An input of a harness that forgets to close its pipe. */
const neverClosed = () => new Readable({ read() {} })

test('every event ends in time with 0 and one line on stderr for broken, missing, long or endless input', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const before = project.files()
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop', 'precompact']) {
    const inputs = [
      () => '',
      () => '{"broken',
      () => '[]',
      () => 'null',
      () => '{}',
      () => JSON.stringify({ cwd: project.root, x: 'y'.repeat(1024 * 1024) }),
      neverClosed,
    ]
    for (const input of inputs) {
      const { code, stdout, notes } = await hook(project, event, input())
      assert.deepEqual([code, stdout, notes.length], [0, '', 1], event)
      assert.match(
        notes[0] ?? '',
        event === 'precompact'
          ? /hook precompact: there is no such event; there are pre-compact, /
          : /: no readable JSON object came on standard input$|: its input names no cwd$/,
      )
    }
  }
  assert.deepEqual(project.files(), before)
})

test('a hook in a project without a store makes nothing', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const before = project.files()
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop']) {
    const run = await hook(project, event, { session_id: 'one', cwd: project.root, source: 'compact' })
    assert.deepEqual([run.code, run.stdout], [0, ''])
  }
  assert.deepEqual(project.files(), before)
})

test('an input of Cursor, which names a conversation and the folders of its window, saves the work', async (t) => {
  const project = await openTestProject(t, { repository: true })
  mkdirSync(join(project.root, '.handoffs'))

  const input = { conversation_id: 'c-1', workspace_roots: [project.root, '/other'], trigger: 'auto' }
  const { code, notes } = await hook(project, 'pre-compact', input)

  const [record = ''] = records(project)
  assert.deepEqual([code, notes], [0, []])
  assert.equal(read(project, record).origin.session_id, sessionName('c-1'))
})

test('an empty folder .handoffs is a store', async (t) => {
  const project = await openTestProject(t, { repository: true })
  mkdirSync(join(project.root, '.handoffs'))

  const run = await hook(project, 'pre-compact', { session_id: 'one', cwd: project.root })

  assert.deepEqual([run.code, run.notes, records(project).length], [0, [], 1])
})

test('a start injects nothing, each compaction the brief, a resume the brief once', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', SMALL)
  const start = (source: string) =>
    hook(project, 'session-start', { session_id: 'one', cwd: project.root, source })

  assert.equal((await start('startup')).stdout, '')
  const first = await start('compact')
  const { text } = await project.call('handoff_get', { id, format: 'brief', max_tokens: 1200 })
  assert.deepEqual(JSON.parse(first.stdout), {
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text },
  })
  assert.equal((await start('compact')).stdout, first.stdout)
  assert.notEqual((await start('resume')).stdout, '')
  assert.equal((await start('resume')).stdout, '')
})

for (const silenced of [{ env: { SATCHEL_NO_INJECT: '1' } }, { config: { inject_on: [] } }]) {
  test(`nothing is injected with ${JSON.stringify(silenced)}`, async (t) => {
    const project = await openTestProject(t, { repository: true, ...silenced })
    await project.call('handoff_create', SMALL)

    const run = await hook(project, 'session-start', {
      session_id: 'one',
      cwd: project.root,
      source: 'compact',
    })

    assert.deepEqual([run.code, run.stdout], [0, ''])
  })
}

test('two compactions of a session that described nothing leave one skeleton, brought up to date', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', SMALL)
  await project.call('handoff_transition', { id, to: 'archived' })
  const input = { session_id: 'one', cwd: project.root, trigger: 'auto' }
  const skeletons = () => records(project).filter((path) => read(project, path).x_satchel?.skeleton)
  await hook(project, 'session-start', { ...input, source: 'startup' })

  project.write('src/callback.ts', 'changed\n')
  await hook(project, 'pre-compact', input)
  const [path = ''] = skeletons()
  const before = read(project, path)
  project.write('src/new.ts', 'new\n')
  project.git('commit', '-q', '-am', 'a subject')
  await hook(project, 'pre-compact', input)

  assert.equal(records(project).length, 2)
  assert.equal(skeletons().length, 1)
  const after = read(project, path)
  assert.equal(after.status, 'draft')
  assert.equal(after.automation.trigger, 'pre_compaction')
  assert.equal(after.project.repository.head, project.git('rev-parse', 'HEAD'))
  assert.notEqual(after.project.repository.head, before.project.repository.head)
  assert.match(after.summary.completed[0], /^[0-9a-f]{7,} a subject$/)
  assert.match(after.summary.current_state, /1 commit, 2 files touched \(1 file changed, 1 insertion/)
  assert.deepEqual(
    after.artifacts.map((artifact: { path: string }) => artifact.path),
    ['src/callback.ts', 'src/new.ts'],
  )
  assert.equal(after.validation.status, 'not_run')

  const { etag } = await project.call('handoff_get', { id: after.id })
  await project.call('handoff_update', { id: after.id, if_match: etag, append: { completed: ['described'] } })
  assert.equal(read(project, path).x_satchel.skeleton, undefined)
})

test('before a compaction a described record stays byte by byte, and no skeleton displaces it', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const { id, path } = await project.call('handoff_create', {
    ...SMALL,
    open_items: [{ description: 'x', suggested_action: 'y' }],
  })
  const compact = () => hook(project, 'pre-compact', { session_id: 'one', cwd: project.root })
  const unchanged = async () => {
    const before = project.read(path)
    project.write('src/callback.ts', `${before.length}\n`)
    await compact()
    assert.equal(project.read(path), before)
    assert.equal(records(project).length, 1)
  }

  await unchanged()
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await unchanged()
  await project.call('handoff_resume', { id })
  await unchanged()
  const child = await project.call('handoff_branch', { id, relation: 'continue' })

  assert.deepEqual(read(project, child.path).flags, [])
})

test('stop renews a claim that is half over, session-end ends it, and neither touches the record', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const { id, path } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const { claim } = await project.call('handoff_resume', { id })
  const input = { session_id: 'one', cwd: project.root }
  const claimFile = `.handoffs/.local/claims/${id}.json`
  const before = project.read(path)

  await hook(project, 'stop', input)
  assert.equal(read(project, claimFile).expires_at, claim.expires_at)
  project.advance(2000)
  await hook(project, 'stop', input)
  assert.notEqual(read(project, claimFile).expires_at, claim.expires_at)
  await hook(project, 'session-end', input)

  assert.ok(!project.files().includes(claimFile))
  assert.equal(project.read(path), before)
})

test('a session that a hook noted is this session for processes below the same harness', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, completed: ['x'] })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await hook(project, 'session-start', {
    session_id: 'from the harness',
    cwd: project.root,
    source: 'startup',
  })

  const { claim } = await project.call('handoff_resume', { id })
  const overHttp = await project.call(
    'handoff_create',
    { ...SMALL, parent: 'none' },
    { localTransport: undefined as never, door: 'http' },
  )

  assert.match(claim.by, /^s-[0-9a-f]{16}$/)
  assert.ok(
    !readFileSync(join(project.root, '.handoffs/.local/sessions.json'), 'utf8').includes('from the harness'),
  )
  assert.equal(read(project, overHttp.path).origin.session_id, null)
})

test('stop reminds of work that no record holds, once in a while', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const input = { session_id: 'one', cwd: project.root }
  const stop = async () => (await hook(project, 'stop', input)).stdout
  await hook(project, 'session-start', { ...input, source: 'startup' })
  assert.equal(await stop(), '')

  project.write('src/callback.ts', 'changed\n')
  project.git('commit', '-q', '-am', 'a change')
  assert.equal(await stop(), '')
  project.advance(30 * 60)
  const { systemMessage } = JSON.parse(await stop())
  assert.match(
    systemMessage,
    /^satchel: 1 commit and .*this session has no handoff.*handoff_create.*satchel handoff note/,
  )
  assert.equal(await stop(), '')
  project.advance(30 * 60)
  assert.notEqual(await stop(), '')
})

test('stop is silent after the session wrote its record', async (t) => {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const input = { session_id: 'one', cwd: project.root }
  await project.call('handoff_create', SMALL)
  await hook(project, 'session-start', { ...input, source: 'startup' })
  project.write('src/callback.ts', 'changed\n')
  project.git('commit', '-q', '-am', 'a change', '--date', project.now().toISOString())
  project.advance(30 * 60)
  await project.call('handoff_note', { kind: 'done', text: 'the change' })

  assert.equal((await hook(project, 'stop', input)).stdout, '')
})

test('at startup one line names the record that is ready, and nothing is said of drafts', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const title = `A title \u202e with "quotes"\nand lines ${'x'.repeat(200)}`
  const { id } = await project.call('handoff_create', { ...SMALL, title, completed: ['x'] })
  const start = async (source: string) => {
    const { stdout } = await hook(project, 'session-start', { session_id: source, cwd: project.root, source })
    return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
  }
  assert.equal(await start('startup'), '')
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  project.advance(2 * 3600)

  const line = await start('startup')

  assert.match(line, /^1 handoff ready: "A title .*", 2 h old; resume with handoff_resume$/)
  assert.ok(!line.includes('\n') && !line.includes('\u202e') && line.length < 180, line)
  assert.equal(await start('clear'), '')
})

test('a hanging git does not hold a hook up', async (t) => {
  const tools = await openTestProject(t)
  tools.write('bin/git', '#!/bin/sh\nexec sleep 60\n')
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  const env = { PATH: `${tools.root}/bin:${process.env['PATH']}` }
  const project = await openTestProject(t, { env, gitMs: 100 })
  await project.call('handoff_create', { ...SMALL, capture_git: false })
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop']) {
    const input = { session_id: 'one', cwd: project.root, source: 'compact' }
    const { code, notes } = await hook(project, event, input, {
      limits: { ...PATIENT, gitMs: HOOK_LIMITS.gitMs },
    })
    assert.deepEqual([code, notes], [0, []], event)
  }
})

test('a hook in a store that never answers ends at its limit with one note, and a start says where to read', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  const disk: Disk = {
    ...realDisk,
    stat: (path) => (path.includes('.handoffs') ? new Promise(() => {}) : realDisk.stat(path)),
  }
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop']) {
    const input = { session_id: 'one', cwd: project.root, source: 'compact' }

    const { stdout, ...run } = await hook(project, event, input, {
      disk,
      limits: { ...PATIENT, totalMs: 1_000 },
    })

    assert.deepEqual(run, { code: 0, notes: [`satchel handoff hook ${event}: it took too long`] })
    if (event !== 'session-start') assert.equal(stdout, '', event)
    else
      assert.match(JSON.parse(stdout).hookSpecificOutput.additionalContext, /handoff_resume gives the latest/)
  }
})

test('doctor says that a clone has the attribute of records and not the driver that it names', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const problems = async () => (await project.call('handoff_doctor')).problems
  const without = await problems()
  project.write('.gitattributes', '.handoffs/records/*.json merge=handoff\n')

  const cloned = await problems()
  project.git('config', 'merge.handoff.driver', 'satchel handoff git-merge %O %A %B')

  assert.deepEqual([without, await problems()], [[], []])
  assert.deepEqual(
    cloned.map(({ kind, next }: { kind: string; next: string }) => [kind, next]),
    [['no_merge_driver', 'satchel setup --git-merge']],
  )
})

test('doctor names damage, leftovers, missing parents and cycles, and changes nothing', async (t) => {
  const began = Date.now() // an index older than 5 s is written again
  const project = await openTestProject(t, { clock: () => began })
  const without = await project.call('handoff_doctor')
  assert.deepEqual(without.problems, [])
  assert.match(without.warnings.join(), /no handoff store yet.*The first satchel handoff note/)
  const { id, path } = await project.call('handoff_create', SMALL)
  const sound = await project.call('handoff_doctor')
  assert.deepEqual([sound.problems, sound.warnings], [[], []])
  const record = read(project, path)
  const put = (n: number, parents: string[]) => {
    const other = `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
    const lineage = { ...record.lineage, relation: 'continue', parents }
    project.write(`.handoffs/records/${other}.json`, JSON.stringify({ ...record, id: other, lineage }))
    return other
  }
  const cyclic = put(1, ['0198c0de-0000-7000-8000-000000000001'])
  put(2, ['0198c0de-0000-7000-8000-000000000099'])
  const child = put(3, [id])
  project.write(
    `.handoffs/records/${child}.json`,
    project.read(`.handoffs/records/${child}.json`).replace('"draft"', '"ready"'),
  )
  project.write('.handoffs/records/0198c0de-0000-7000-8000-000000000004.json', '')
  project.write('.handoffs/.tmp/record-1-abc', 'half')
  const old = new Date(Date.now() - 120_000)
  utimesSync(join(project.root, '.handoffs/.tmp/record-1-abc'), old, old)
  writeFileSync(join(project.root, '.handoffs/config.json'), 'not json')
  const before = project.files().map((file) => project.read(file))

  const { problems } = await project.call('handoff_doctor')

  const damaged = problems.find(({ kind }: { kind: string }) => kind === 'damaged_record')
  assert.equal(damaged.detail, 'bad_json: is empty')
  assert.deepEqual(problems.map(({ kind }: { kind: string }) => kind).sort(), [
    'damaged_config',
    'damaged_record',
    'lineage_cycle',
    'missing_parent',
    'not_superseded',
    'orphan_temp',
  ])
  assert.ok(JSON.stringify(problems).includes(cyclic))
  for (const { next } of problems)
    assert.doesNotMatch(next, /\b(?:delete|remove|force|re-?init|reset)\b(?!s it)/i)
  assert.deepEqual(
    project.files().map((file) => project.read(file)),
    before,
  )
})

test('a score is computed from what is known, and nothing is guessed', () => {
  assert.deepEqual(detect({ context: 0.9 }, {}), {
    score: 0.9,
    reasons: ['context pressure (0.9)'],
    recommend: true,
    prepare: false,
    inputs_used: ['context'],
  })
  assert.equal(detect({ context: 1, turn: 0 }, {}).score, Math.round((0.7 / 0.85) * 1000) / 1000)
  assert.equal(detect({ turn: 1, elapsed: 1, change: 1 }, {}).score, 0)
  assert.equal(detect({ stuck: 1, boundary: 1 }, {}).score, 1)
  assert.equal(detect({ request: true }, {}).score, 1)
  assert.deepEqual(
    [
      detect({ context: 1 }, { draftQuality: 80 }).prepare,
      detect({ context: 1 }, { draftQuality: 79 }).prepare,
    ],
    [true, false],
  )
  const cooled = detect({ context: 1 }, { minutesSinceRecord: 19 })
  assert.deepEqual([cooled.recommend, cooled.reasons.at(-1)], [false, 'cooldown'])
  assert.equal(detect({ context: 1 }, { minutesSinceRecord: 20 }).recommend, true)
})

test('the next record of a session keeps the score that led to it, once', async (t) => {
  const project = await openTestProject(t, { env: { SATCHEL_SESSION: 'one' } })
  await project.call('handoff_detect', { context: 0.9 })

  const first = read(project, (await project.call('handoff_create', SMALL)).path)
  const second = read(project, (await project.call('handoff_create', SMALL)).path)

  assert.deepEqual(first.automation, {
    trigger: 'threshold',
    score: 0.9,
    reasons: ['context pressure (0.9)'],
  })
  assert.deepEqual(second.automation, { trigger: 'manual', score: null, reasons: [] })
})

test('records, briefs, latest, index and schema are resources, and writes say what changed', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await project.call('handoff_create', SMALL)
  const ctx = contextOf(project.root)
  const resource = (uri: string) =>
    project.host.registry.resources.find((owned) => owned.resource.uri === uri)?.resource
  const text = async (uri: string, variables: Record<string, string> = {}) =>
    (await resource(uri)?.read(ctx, uri, variables))?.text

  assert.equal(await text('handoff://{id}', { id }), project.read(path))
  assert.equal(await text('handoff://latest'), project.read(path))
  assert.match((await text('handoff://{id}/brief', { id })) ?? '', /^Handoff /)
  assert.equal(JSON.parse((await text('handoff://index')) ?? '').items[0].id, id)
  assert.equal(
    JSON.parse((await text('handoff://schema/v0.1')) ?? '').$id,
    'https://baton.dev/schemas/handoff/v0.1.json',
  )
  await assert.rejects(text('handoff://{id}', { id: 'ffff' }), { code: 'not_found' })
  assert.deepEqual(await resource('handoff://{id}')?.complete?.(ctx, 'id', id.slice(0, 6)), [id])
  assert.equal((await resource('handoff://{id}')?.list?.(ctx))?.[0]?.uri, `handoff://${id}`)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([...new Set(project.changed)].sort(), [
    `handoff://${id}`,
    `handoff://${id}/brief`,
    'handoff://index',
    'handoff://latest',
  ])
})

test('the prompts ask for evidence, embed the brief and name what to call', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', SMALL)
  const ctx = contextOf(project.root)
  const render = async (name: string, args: Record<string, string>) =>
    (await project.host.registry.prompts
      .find(({ prompt }) => prompt.name === name)
      ?.prompt.render(ctx, args)) ?? ''

  const capture = await render('capture-handoff', { goal: 'ship it' })
  assert.match(capture, /ship it\n\n- evidence[\s\S]*\n\nThen call handoff_validate/)
  const resume = await render('resume-handoff', {})
  assert.match(resume, /handoff_freshness/)
  assert.ok(resume.includes('<<<handoff-data'))
  assert.ok((await render('review-handoff', { id })).includes(id))
})

test('nothing under the root is made by starting a host', async (t) => {
  const project = await openTestProject(t)
  await project.host.start()

  assert.equal(existsSync(join(project.root, '.handoffs')), false)
})

test('the hook configurations in the docs are JSON and name existing hooks', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/handoffs.md'), 'utf8')
  const blocks = [...docs.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json))

  assert.equal(blocks.length, 2)
  const commands = JSON.stringify(blocks).match(/satchel handoff hook [a-z-]+/g) ?? []
  assert.deepEqual([...new Set(commands)].sort(), [
    'satchel handoff hook pre-compact',
    'satchel handoff hook session-end',
    'satchel handoff hook session-start',
    'satchel handoff hook stop',
  ])
})

test('an empty SATCHEL_SESSION names no session, and a set one names it without a session_id', async (t) => {
  const noted = async (env: Record<string, string>, input: object) => {
    const project = await openTestProject(t, { env })
    await project.call('handoff_create', SMALL)
    await hook(project, 'session-start', { cwd: project.root, source: 'startup', ...input })
    const [session] = JSON.parse(project.read('.handoffs/.local/sessions.json'))
    return session.session
  }

  assert.equal(await noted({ SATCHEL_SESSION: '' }, { session_id: 'one' }), sessionName('one'))
  assert.equal(await noted({ SATCHEL_SESSION: 'two' }, {}), sessionName('two'))
})
