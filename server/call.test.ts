import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../test/harness/open-host.ts'
import { call } from './call.ts'
import type { Principal } from './contract/advanced/principal.ts'
import {
  definePlugin,
  defineTool,
  errorBody,
  inTurns,
  type Pieces,
  SatchelError,
  taskStarted,
} from './plugin.ts'

const readOnly = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const session = (capabilities: Principal['capabilities'], plugin = 'sample'): Principal => ({
  id: 'session:ssn_1',
  kind: 'session',
  plugin,
  capabilities,
})

let handled = 0

const double = defineTool({
  name: 'double',
  title: 'Double',
  description: 'Doubles a number.',
  profile: 'core',
  input: z.object({
    amount: z.number().describe('what to double'),
    fail: z.string().optional().describe('how to fail'),
    claim: z.object({ by: z.string(), ttl_s: z.number().optional() }).optional().describe('whose it is'),
    free: z.looseObject({}).optional().describe('anything'),
    steps: z
      .array(z.looseObject({}).pipe(z.strictObject({ op: z.enum(['add', 'remove']) })))
      .max(3)
      .optional()
      .describe('what to do'),
  }),
  output: z.object({ result: z.number() }),
  annotations: readOnly,
  example: { amount: 2 },
  async handler(ctx, { amount, fail }) {
    handled++
    if (fail === 'bug') throw new TypeError('secret text of a bug')
    if (fail === 'files') throw Object.assign(new Error('EMFILE: secret path'), { code: 'EMFILE' })
    if (fail === 'shape') return { result: 'not a number' } as unknown as { result: number } // the mistake under test
    if (fail === 'next')
      throw new SatchelError('conflict', 'stale', 'Read again.', { next: { tool: 'hidden', args: {} } })
    if (fail === 'copy')
      throw Object.assign(new Error('from another copy'), {
        [Symbol.for('satchel.error.v1')]: true,
        code: 'conflict',
        reason: 'copied',
      })
    if (fail === 'null') throw null
    if (fail === 'abort') ctx.signal.throwIfAborted()
    return { result: amount * 2 }
  },
  headline: ({ result }) => `${result} `.repeat(1000),
})

const guarded = defineTool({ ...double, name: 'guarded', requires: 'propose' })

const sample = definePlugin({
  name: 'sample',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({ tools: [double, guarded] }),
})

test('a call gives the data and a digest of at most 1,200 characters', async (t) => {
  const { answer } = await openHost(t, { plugins: [sample] })

  const got = await answer('double', { amount: 21 })

  assert.equal(got.kind, 'done')
  assert.deepEqual(got.kind === 'done' && got.data, { result: 42 })
  assert.deepEqual(got.kind === 'done' && got.input, { amount: 21 })
})

test('an unknown argument is refused with the nearest name before the handler runs', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })
  const before = handled

  await assert.rejects(call('double', { amuont: 1 }), {
    code: 'invalid',
    reason: 'unknown_argument',
    details: {
      argument: 'amuont',
      nearest: 'amount',
      errors: [{ pointer: '/amuont', message: 'unknown argument' }],
    },
  })
  await assert.rejects(call('double', JSON.parse('{"__proto__": {}, "amount": 1}')), {
    reason: 'unknown_argument',
  })
  assert.equal(handled, before)
})

test('an unknown member of a part that takes no other is refused with the nearest one too', async (t) => {
  const entries = z.array(z.strictObject({ name: z.string(), include_tags: z.boolean().optional() }))
  const listing = defineTool({
    ...double,
    name: 'listing',
    input: z.object({ entries }),
    example: { entries: [] },
    handler: async () => ({ result: 0 }),
  })
  const { call } = await openHost(t, { plugins: [{ ...sample, setup: async () => ({ tools: [listing] }) }] })

  await assert.rejects(call('listing', { entries: [{ name: 'a', includetags: true }] }), {
    reason: 'invalid_arguments',
    message: '/entries/0/includetags: is unknown. Did you mean "include_tags"?',
    details: {
      errors: [{ pointer: '/entries/0/includetags', message: 'is unknown. Did you mean "include_tags"?' }],
    },
  })
})

test('an unknown member of the option of a union that reads the part is refused too', async (t) => {
  const file = z.object({ kind: z.literal('file'), path: z.string(), mode: z.string().optional() })
  const link = z.object({ kind: z.literal('link'), url: z.string() })
  const opening = defineTool({
    ...double,
    name: 'opening',
    input: z.object({ what: z.union([z.string(), z.discriminatedUnion('kind', [file, link])]) }),
    example: { what: 'a' },
    handler: async () => ({ result: 0 }),
  })
  const { call } = await openHost(t, { plugins: [{ ...sample, setup: async () => ({ tools: [opening] }) }] })

  await assert.rejects(call('opening', { what: { kind: 'file', path: 'a', mod: 'r' } }), {
    reason: 'invalid_arguments',
    message: '/what/mod: is unknown. Did you mean "mode"?',
  })
  await call('opening', { what: 'a' })
  await call('opening', { what: { kind: 'link', url: 'b' } })
})

test('an unknown member of a part is refused with the nearest one, also in a part given as JSON text', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })
  const before = handled
  const claim = { by: 'ada', ttl: 3 }
  const cases: readonly [object, string][] = [
    [{ claim }, '/claim/ttl: is unknown. Did you mean "ttl_s"?'],
    [{ claim: JSON.stringify(claim) }, '/claim/ttl: is unknown. Did you mean "ttl_s"?'],
    [{ steps: [{ op: 'add' }, { op: 'add', 'a.b/c': 1 }] }, '/steps/1/a.b~1c: is unknown. Known: op.'],
  ]

  for (const [part, message] of cases) {
    await assert.rejects(call('double', { amount: 1, ...part }), {
      code: 'invalid',
      reason: 'invalid_arguments',
      message,
    })
  }
  assert.equal(handled, before)
  await call('double', { amount: 1, free: { any: 1 }, claim: { by: 'ada' } })
})

test('a wrong value is refused in words that say what is right', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })
  const cases: readonly [Record<string, unknown>, string][] = [
    [{ amount: 'two' }, '/amount: must be a number, not a string'],
    [{ amount: [] }, '/amount: must be a number, not a list'],
    [{ amount: 1, steps: [{ op: 'ad' }] }, '/steps/0/op: must be one of add, remove. Did you mean "add"?'],
    [{ amount: 1, steps: [1] }, '/steps/0: must be an object, not 1'],
    [{ amount: 1, steps: Array(4).fill({ op: 'add' }) }, '/steps: must have at most 3 entries'],
    [{ amount: 1, claim: {} }, '/claim/by: is missing; it is of type string'],
  ]

  for (const [input, message] of cases) await assert.rejects(call('double', input), { message })
})

test('a missing, mistyped or non-object input names where it is wrong', async (t) => {
  const { answer } = await openHost(t, { plugins: [sample] })

  await assert.rejects(answer('double', { amount: 'two' }), (error: SatchelError) => {
    assert.equal(error.reason, 'invalid_arguments')
    const errors = error.details?.['errors'] as { pointer: string }[] | undefined
    assert.deepEqual(
      errors?.map(({ pointer }) => pointer),
      ['/amount'],
    )
    return true
  })
  await assert.rejects(answer('double', {}), { message: '/amount: is missing; it is of type number' })
  for (const input of [null, [], 'text', 7]) {
    await assert.rejects(answer('double', input as never), { code: 'invalid', reason: 'invalid_arguments' })
  }
})

test('an error other than SatchelError reaches the caller as Internal error with a log id, and only the log has its text', async (t) => {
  const { call, logged } = await openHost(t, { plugins: [sample] })
  for (const fail of ['bug', 'shape', 'null']) {
    await assert.rejects(call('double', { amount: 1, fail }), (error: SatchelError) => {
      const body = errorBody(error)
      assert.equal(body.code, 'internal')
      assert.equal(body.message, 'Internal error')
      const entry = logged.find((line) => line.includes(String(body.details?.['log_id'])))
      assert.ok(entry, 'the log has the id')
      assert.ok(!JSON.stringify(body).includes('secret text'))
      return true
    })
  }
  assert.ok(logged.some((line) => line.includes('secret text of a bug')))
})

test('a process that may open no further file says so, and is not at fault', async (t) => {
  const { call, logged } = await openHost(t, { plugins: [sample] })

  await assert.rejects(call('double', { amount: 1, fail: 'files' }), {
    code: 'unavailable',
    reason: 'too_many_files',
    message: /as many files .* open as it may.*ulimit -n/,
  })
  assert.equal(logged.filter((line) => line.includes('secret path')).length, 1)
})

test('an error made by a second copy of the package is recognised', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })

  await assert.rejects(call('double', { amount: 1, fail: 'copy' }), { code: 'conflict', reason: 'copied' })
})

test('a next step that the caller cannot see is left out', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })

  await assert.rejects(call('double', { amount: 1, fail: 'next' }), (error: SatchelError) => {
    assert.equal(error.reason, 'stale')
    assert.equal(error.next, undefined)
    return true
  })
})

test('an aborted call is cancelled and its handler does not run', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })
  const before = handled

  await assert.rejects(call('double', { amount: 1 }, { signal: AbortSignal.abort() }), { code: 'cancelled' })
  assert.equal(handled, before)
})

test('the capability is checked before the input is parsed', async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })
  const nonsense = { what: 'ever' }

  await assert.rejects(call('guarded', nonsense), { code: 'unauthorized' })
  await assert.rejects(call('guarded', nonsense, { principal: session(['read']) }), {
    code: 'forbidden',
    reason: 'permission_denied',
  })
  assert.deepEqual(await call('guarded', { amount: 1 }, { principal: session(['propose']) }), { result: 2 })
  assert.deepEqual(await call('guarded', { amount: 1 }, { principal: session(['admin']) }), { result: 2 })
})

test("a session made by one plugin reaches no other plugin's tools", async (t) => {
  const { call } = await openHost(t, { plugins: [sample] })

  await assert.rejects(call('double', { amount: 1 }, { principal: session(['admin'], 'other') }), {
    code: 'forbidden',
    reason: 'permission_denied',
  })
})

test('a tool without one of the hints, a description, an example, an output or a headline does not compile', () => {
  const { annotations, description, example, output, headline, ...rest } = double
  // @ts-expect-error destructive is missing
  defineTool({ ...double, annotations: { readOnly: true, idempotent: true, openWorld: false } })
  // @ts-expect-error no annotations
  defineTool({ ...rest, description, example, output, headline })
  // @ts-expect-error no description
  defineTool({ ...rest, annotations, example, output, headline })
  // @ts-expect-error no example
  defineTool({ ...rest, annotations, description, output, headline })
  // @ts-expect-error no output
  defineTool({ ...rest, annotations, description, example, headline })
  // @ts-expect-error no headline
  const unnamed = defineTool({ ...rest, annotations, description, example, output })
  // @ts-expect-error an example that the input refuses
  defineTool({ ...double, example: { amount: 'two' } })
  assert.equal(unnamed.name, 'double')
})

test('a handler that takes too long is ended, its caller is answered, and the log names the tool', async (t) => {
  const { context, logged } = await openHost(t, { plugins: [] })
  let ended: unknown
  const endless = defineTool({
    ...double,
    name: 'endless',
    handler: (ctx) =>
      new Promise(() => {
        ctx.signal.addEventListener('abort', () => {
          ended = ctx.signal.reason
        })
      }),
  })

  const calling = call({ tool: endless, plugin: 'sample' }, { amount: 1 }, context(), { limitMs: 20 })

  await assert.rejects(calling, { code: 'unavailable', reason: 'call_timeout' })
  assert.equal((ended as SatchelError).reason, 'call_timeout')
  assert.match(logged.join(''), /"tool":"endless","limit_ms":20/)
})

test('a call whose work in turns needs more of the processor than it may is ended, and the log names the tool', async (t) => {
  const { context, logged } = await openHost(t, { plugins: [] })
  function* forever(): Pieces<never> {
    for (;;) yield
  }
  const greedy = defineTool({ ...double, name: 'greedy', handler: (ctx) => inTurns(forever(), ctx.signal) })

  const calling = call({ tool: greedy, plugin: 'sample' }, { amount: 1 }, context(), { cpuLimitMs: 30 })

  await assert.rejects(calling, { code: 'unavailable', reason: 'call_cpu_limit' })
  assert.match(logged.join(''), /"tool":"greedy","limit_ms":30/)
})

test('a refusal whose details are not JSON keeps its code, reason and message at every door', async (t) => {
  const cycle: Record<string, unknown> = { at: 1 }
  cycle['self'] = cycle
  const unreadable = Object.defineProperty({ fine: 1 }, 'odd', {
    enumerable: true,
    get: () => assert.fail('unreadable'),
  })
  const cases: readonly (readonly [object, unknown])[] = [
    [
      { n: 10n, kept: ['a'] },
      { n: '10', kept: ['a'] },
    ],
    [cycle, { at: 1, self: '[circular]' }],
    [{ list: [1n, { deep: 2n }] }, { list: ['1', { deep: '2' }] }],
    [unreadable, undefined],
  ]
  for (const [details, expected] of cases) {
    const error = new SatchelError('not_found', 'unknown_unit', 'No unit is called "c".', {
      details: { given: details },
    })
    const thrower = throwing(() => error)
    const { call, logged } = await openHost(t, { plugins: [thrower] })

    await assert.rejects(call('fail'), (refused: SatchelError) => {
      const body = JSON.parse(JSON.stringify(errorBody(refused)))
      assert.deepEqual(
        [body.code, body.reason, body.message],
        ['not_found', 'unknown_unit', 'No unit is called "c".'],
      )
      if (expected !== undefined) assert.deepEqual(body.details, { given: expected })
      return true
    })
    assert.ok(logged.some((line) => line.includes('not JSON') && line.includes('"tool":"fail"')))
  }
})

test('a refusal with a code of no list is an error of the plugin, and what was thrown is in the log', async (t) => {
  const cases: readonly (readonly [unknown, string])[] = [
    [new SatchelError('odd' as never, 'odd', 'Odd things.'), 'Odd things.'],
    [undefined, '"error":"undefined"'],
    [Symbol('of the plugin'), 'Symbol(of the plugin)'],
    [null, '"error":null'],
  ]
  for (const [thrown, shown] of cases) {
    const { call, logged } = await openHost(t, { plugins: [throwing(() => thrown)] })

    await assert.rejects(call('fail'), { code: 'internal', message: 'Internal error' })
    assert.ok(
      logged.some((line) => line.includes('internal error') && line.includes(shown)),
      shown,
    )
  }
})

test('an answer whose open parts are not JSON is converted or refused, and the log names the tool', async (t) => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ of: [{ at: new Date(0) }] }, { of: [{ at: '1970-01-01T00:00:00.000Z' }] }],
    [Number.NaN, null],
  ]
  for (const [given, expected] of cases) {
    const { call, logged } = await openHost(t, { plugins: [answering(given)] })

    const { given: got } = await call('answer')

    assert.deepEqual(got, expected)
    assert.ok(logged.some((line) => line.includes('not JSON') && line.includes('"tool":"answer"')))
  }
  const cycle: Record<string, unknown> = { at: 1 }
  cycle['self'] = cycle
  for (const given of [10n, cycle]) {
    const { answer, logged } = await openHost(t, { plugins: [answering(given)] })

    await assert.rejects(answer('answer'), { code: 'internal' })
    assert.match(logged.join(''), /answer answered with what cannot be converted to JSON/)
  }
  const { call, logged } = await openHost(t, { plugins: [answering({ plain: [1, 'a', null] })] })
  assert.deepEqual(await call('answer'), { given: { plain: [1, 'a', null] } })
  assert.deepEqual(logged, [])
})

test('a task for a caller that accepts none is an error of the plugin', async (t) => {
  const task = taskStarted({
    taskId: `task_${'0'.repeat(32)}`,
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    pollIntervalMs: 1000,
  })
  const { answer, logged } = await openHost(t, { plugins: [answering(undefined, task)] })

  await assert.rejects(answer('answer'), { code: 'internal' })
  assert.equal((await answer('answer', {}, { acceptsTask: true })).kind, 'task')
  assert.match(logged.join(''), /answered with a task, which this caller does not accept/)
})

function answering(given: unknown, task?: ReturnType<typeof taskStarted>) {
  const answer = defineTool({
    name: 'answer',
    title: 'Answer',
    description: 'Answers.',
    profile: 'core',
    input: z.object({}),
    output: z.object({ given: z.unknown() }),
    annotations: readOnly,
    ...(task && { task: true }),
    example: {},
    handler: async () => task ?? { given },
    headline: () => 'done',
  })
  const get = async () => undefined
  const setup = async () => ({ tools: [answer], tasks: { get, update: get, cancel: get } })
  return definePlugin({ name: 'answerer', version: '1.0.0', apiVersion: 1, config: z.object({}), setup })
}

function throwing(what: () => unknown) {
  const fail = defineTool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails.',
    profile: 'core',
    input: z.object({}),
    output: z.object({}),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: {},
    handler: async () => {
      throw what()
    },
    headline: () => 'done',
  })
  const setup = async () => ({ tools: [fail] })
  return definePlugin({ name: 'thrower', version: '1.0.0', apiVersion: 1, config: z.object({}), setup })
}
