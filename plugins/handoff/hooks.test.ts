import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { Terminal } from '../../server/plugin.ts'
import { detect } from './domain/detect.ts'
import { sessionName } from './domain/record-id.ts'
import { type Bench, contextOf, openBench, SMALL } from './testing/fixture.ts'

interface HookRun {
  readonly code: number
  readonly stdout: string
  readonly notes: string[]
  readonly ms: number
}

/** Runs a hook as the command line does, with `stdin` as its input. */
async function hook(
  bench: Bench,
  event: string,
  stdin: Readable | Record<string, unknown> | string,
): Promise<HookRun> {
  const command = bench.host.registry.commands.find(({ command: { cli } }) => cli === 'handoff hook')?.command
  assert.ok(command)
  let stdout = ''
  const notes: string[] = []
  const input =
    stdin instanceof Readable
      ? stdin
      : Readable.from([typeof stdin === 'string' ? stdin : JSON.stringify(stdin)])
  const terminal: Terminal = {
    stdin: input,
    stdinIsTty: false,
    stdoutIsTty: false,
    stderrIsTty: false,
    columns: 80,
    color: false,
    json: false,
    quiet: false,
    env: {},
    write: (text) => {
      stdout += text
    },
    note: (line) => notes.push(line),
  }
  const started = performance.now()
  const { log, signal } = contextOf(bench.root)
  const code = await command.run({ log, signal, projectRoot: bench.root }, { event }, terminal)
  return { code, stdout, notes, ms: performance.now() - started }
}

const PROMISED_MS = 2000 // design handoff-store, section 3

const records = (bench: Bench) => bench.files().filter((path) => path.includes('/records/'))
const read = (bench: Bench, path: string) => JSON.parse(bench.read(path))

/** What a hook promises. The fastest of three counts: other work on the machine slows one, not all. */
async function inTime(event: string, run: () => Promise<HookRun>): Promise<void> {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && fastestMs >= PROMISED_MS; tries++) {
    fastestMs = Math.min(fastestMs, (await run()).ms)
  }
  assert.ok(fastestMs < PROMISED_MS, `${event}: ${fastestMs} ms`)
}

/** Silence that never ends, as a harness that forgets to close its pipe. */
const neverClosed = () => new Readable({ read() {} })

test('every event ends in time with 0 and prints nothing for broken, missing, long or endless input', async (t) => {
  const bench = await openBench(t, { repository: true })
  await bench.call('handoff_create', SMALL)
  const before = bench.files()
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop', 'something-else']) {
    const inputs = [
      () => '',
      () => '{"broken',
      () => '[]',
      () => 'null',
      () => JSON.stringify({ cwd: bench.root, x: 'y'.repeat(1024 * 1024) }),
      neverClosed,
    ]
    for (const input of inputs) {
      await inTime(event, async () => {
        const run = await hook(bench, event, input())
        assert.equal(run.code, 0)
        assert.equal(run.stdout, '', event)
        return run
      })
    }
  }
  assert.deepEqual(bench.files(), before)
})

test('a hook in a project without a store makes nothing', async (t) => {
  const bench = await openBench(t, { repository: true })
  const before = bench.files()
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop']) {
    const run = await hook(bench, event, { session_id: 'one', cwd: bench.root, source: 'compact' })
    assert.deepEqual([run.code, run.stdout], [0, ''])
  }
  assert.deepEqual(bench.files(), before)
})

test('a start injects nothing, each compaction the brief, a resume the brief once', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', SMALL)
  const start = (source: string) =>
    hook(bench, 'session-start', { session_id: 'one', cwd: bench.root, source })

  assert.equal((await start('startup')).stdout, '')
  const first = await start('compact')
  const { text } = await bench.call('handoff_get', { id, format: 'brief', max_tokens: 1200 })
  assert.deepEqual(JSON.parse(first.stdout), {
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text },
  })
  assert.equal((await start('compact')).stdout, first.stdout)
  assert.notEqual((await start('resume')).stdout, '')
  assert.equal((await start('resume')).stdout, '')
})

for (const silenced of [{ env: { SATCHEL_NO_INJECT: '1' } }, { config: { inject_on: [] } }]) {
  test(`nothing is injected with ${JSON.stringify(silenced)}`, async (t) => {
    const bench = await openBench(t, { repository: true, ...silenced })
    await bench.call('handoff_create', SMALL)

    const run = await hook(bench, 'session-start', { session_id: 'one', cwd: bench.root, source: 'compact' })

    assert.deepEqual([run.code, run.stdout], [0, ''])
  })
}

test('two compactions of one session leave one draft, brought up to date', async (t) => {
  const bench = await openBench(t, { repository: true })
  await bench.call('handoff_create', SMALL)
  const compact = () => hook(bench, 'pre-compact', { session_id: 'one', cwd: bench.root, trigger: 'auto' })

  bench.write('src/callback.ts', 'changed\n')
  await compact()
  const [skeletonPath = ''] = records(bench).filter((path) => read(bench, path).x_satchel?.skeleton)
  const before = read(bench, skeletonPath)
  bench.write('src/callback.ts', 'changed again\n')
  bench.git('commit', '-q', '-am', 'more')
  await compact()

  assert.equal(records(bench).length, 2)
  const after = read(bench, skeletonPath)
  assert.equal(after.status, 'draft')
  assert.equal(after.automation.trigger, 'pre_compaction')
  assert.equal(after.project.repository.head, bench.git('rev-parse', 'HEAD'))
  assert.notEqual(after.artifacts[0].content_hash, before.artifacts[0].content_hash)
  assert.equal(after.x_satchel.skeleton, true)
  assert.equal(after.validation.status, 'not_run')
  assert.notEqual((await bench.call('handoff_get', { id: 'latest' })).id, after.id)

  const { etag } = await bench.call('handoff_get', { id: after.id })
  await bench.call('handoff_update', { id: after.id, if_match: etag, append: { completed: ['described'] } })
  assert.equal(read(bench, skeletonPath).x_satchel.skeleton, undefined)
})

test('after a resume the skeleton is a child of the claimed record and conflicts with no later child', async (t) => {
  const bench = await openBench(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const { id } = await bench.call('handoff_create', {
    ...SMALL,
    open_items: [{ description: 'x', suggested_action: 'y' }],
  })
  await bench.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await bench.call('handoff_resume', { id })

  await hook(bench, 'pre-compact', { session_id: 'one', cwd: bench.root })
  const [skeleton] = records(bench)
    .map((path) => read(bench, path))
    .filter((record) => record.x_satchel?.skeleton)
  const child = await bench.call('handoff_branch', { id, relation: 'continue' })

  assert.deepEqual(skeleton.lineage.parents, [id])
  assert.deepEqual(read(bench, child.path).flags, [])
  assert.equal((await bench.call('handoff_get', { id: 'latest' })).id, id)
})

test('stop renews a claim that is half over, session-end releases it', async (t) => {
  const bench = await openBench(t, { repository: true, env: { SATCHEL_SESSION: 'one' } })
  const { id, path } = await bench.call('handoff_create', { ...SMALL, completed: ['x'] })
  await bench.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const { claim } = await bench.call('handoff_resume', { id })
  const input = { session_id: 'one', cwd: bench.root }

  await hook(bench, 'stop', input)
  assert.equal(read(bench, path).x_satchel.claim.expires_at, claim.expires_at)
  bench.advance(2000)
  const { updated_at } = read(bench, path)
  await hook(bench, 'stop', input)
  assert.notEqual(read(bench, path).x_satchel.claim.expires_at, claim.expires_at)
  assert.equal(read(bench, path).updated_at, updated_at)
  await hook(bench, 'session-end', input)

  assert.equal(read(bench, path).x_satchel.claim, null)
  assert.equal(read(bench, path).status, 'ready')
})

test('a session that a hook noted is this session for processes below the same harness', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', { ...SMALL, completed: ['x'] })
  await bench.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  await hook(bench, 'session-start', { session_id: 'from the harness', cwd: bench.root, source: 'startup' })

  const { claim } = await bench.call('handoff_resume', { id })
  const overHttp = await bench.call(
    'handoff_create',
    { ...SMALL, parent: 'none' },
    { localTransport: undefined as never, door: 'http' },
  )

  assert.match(claim.by, /^s-[0-9a-f]{16}$/)
  assert.ok(
    !readFileSync(join(bench.root, '.handoffs/.cache/sessions.json'), 'utf8').includes('from the harness'),
  )
  assert.equal(read(bench, overHttp.path).origin.session_id, null)
})

test('a hanging git does not hold a hook up', async (t) => {
  const tools = await openBench(t)
  tools.write('bin/git', '#!/bin/sh\nexec sleep 60\n')
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  const bench = await openBench(t, { env: { PATH: `${tools.root}/bin:${process.env['PATH']}` } })
  await bench.call('handoff_create', { ...SMALL, capture_git: false })
  for (const event of ['pre-compact', 'session-start', 'session-end', 'stop']) {
    await inTime(event, async () => {
      const run = await hook(bench, event, { session_id: 'one', cwd: bench.root, source: 'compact' })
      assert.equal(run.code, 0)
      return run
    })
  }
})

test('doctor names damage, leftovers, missing parents and cycles, and changes nothing', async (t) => {
  const bench = await openBench(t)
  assert.deepEqual((await bench.call('handoff_doctor')).problems, [])
  const { id, path } = await bench.call('handoff_create', SMALL)
  assert.deepEqual((await bench.call('handoff_doctor')).problems, [])
  const record = read(bench, path)
  const put = (n: number, parents: string[]) => {
    const other = `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
    const lineage = { ...record.lineage, relation: 'continue', parents }
    bench.write(`.handoffs/records/${other}.json`, JSON.stringify({ ...record, id: other, lineage }))
    return other
  }
  const cyclic = put(1, ['0198c0de-0000-7000-8000-000000000001'])
  put(2, ['0198c0de-0000-7000-8000-000000000099'])
  const child = put(3, [id])
  bench.write(
    `.handoffs/records/${child}.json`,
    bench.read(`.handoffs/records/${child}.json`).replace('"draft"', '"ready"'),
  )
  bench.write('.handoffs/records/0198c0de-0000-7000-8000-000000000004.json', '')
  bench.write('.handoffs/.tmp/record-1-abc', 'half')
  const old = new Date(Date.now() - 120_000)
  utimesSync(join(bench.root, '.handoffs/.tmp/record-1-abc'), old, old)
  writeFileSync(join(bench.root, '.handoffs/config.json'), 'not json')
  const before = bench.files().map((file) => bench.read(file))

  const { problems } = await bench.call('handoff_doctor')

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
    bench.files().map((file) => bench.read(file)),
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
  const bench = await openBench(t, { env: { SATCHEL_SESSION: 'one' } })
  await bench.call('handoff_detect', { context: 0.9 })

  const first = read(bench, (await bench.call('handoff_create', SMALL)).path)
  const second = read(bench, (await bench.call('handoff_create', SMALL)).path)

  assert.deepEqual(first.automation, {
    trigger: 'threshold',
    score: 0.9,
    reasons: ['context pressure (0.9)'],
  })
  assert.deepEqual(second.automation, { trigger: 'manual', score: null, reasons: [] })
})

test('records, briefs, latest, index and schema are resources, and writes say what changed', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id, path } = await bench.call('handoff_create', SMALL)
  const ctx = contextOf(bench.root)
  const resource = (uri: string) =>
    bench.host.registry.resources.find((owned) => owned.resource.uri === uri)?.resource
  const text = async (uri: string, variables: Record<string, string> = {}) =>
    (await resource(uri)?.read(ctx, uri, variables))?.text

  assert.equal(await text('handoff://{id}', { id }), bench.read(path))
  assert.equal(await text('handoff://latest'), bench.read(path))
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
  assert.deepEqual([...new Set(bench.changed)].sort(), [
    `handoff://${id}`,
    `handoff://${id}/brief`,
    'handoff://index',
    'handoff://latest',
  ])
})

test('the prompts ask for evidence, embed the brief and name what to call', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { id } = await bench.call('handoff_create', SMALL)
  const ctx = contextOf(bench.root)
  const render = async (name: string, args: Record<string, string>) =>
    (await bench.host.registry.prompts
      .find(({ prompt }) => prompt.name === name)
      ?.prompt.render(ctx, args)) ?? ''

  assert.match(await render('capture-handoff', { goal: 'ship it' }), /ship it[\s\S]*handoff_validate/)
  const resume = await render('resume-handoff', {})
  assert.match(resume, /handoff_freshness/)
  assert.ok(resume.includes('<<<handoff-data'))
  assert.ok((await render('review-handoff', { id })).includes(id))
})

test('nothing under the root is made by starting a host', async (t) => {
  const bench = await openBench(t)
  await bench.host.start()

  assert.equal(existsSync(join(bench.root, '.handoffs')), false)
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
    const bench = await openBench(t, { env })
    await bench.call('handoff_create', SMALL)
    await hook(bench, 'session-start', { cwd: bench.root, source: 'startup', ...input })
    const [session] = JSON.parse(bench.read('.handoffs/.cache/sessions.json'))
    return session.session
  }

  assert.equal(await noted({ SATCHEL_SESSION: '' }, { session_id: 'one' }), sessionName('one'))
  assert.equal(await noted({ SATCHEL_SESSION: 'two' }, {}), sessionName('two'))
})
