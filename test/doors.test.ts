import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { ERROR_CODES, type ErrorCode } from '../server/contract/errors.ts'
import { definePlugin, defineTool, SatchelError } from '../server/plugin.ts'
import { DOOR_NAMES, forEachDoor, type Outcome, openDoors, openHost } from './harness/index.ts'

interface HandoffCase {
  readonly name: string
  readonly valid: boolean
  readonly record: unknown
  /** Tokens of the JSON pointer at which an error must be reported. */
  readonly at?: readonly (string | number)[]
}

test('every judged handoff record gets its verdict, and its error the right place, at every door', async (t) => {
  const cases: HandoffCase[] = JSON.parse(
    await readFile(join(import.meta.dirname, '../plugins/handoff/testdata/handoff-cases.json'), 'utf8'),
  )
  const opened = await openHost(t, { plugins: [handoff] })
  assert.equal(cases.length, 56)

  await forEachDoor(t, opened, async (door) => {
    for (const { name, valid, record, at } of cases) {
      const outcome = await door.call('handoff_validate', { record, level: 'schema' })

      assert.ok(outcome.ok, `${name} at ${door.name}`)
      assert.equal(outcome.data['schema_valid'], valid, `${name} at ${door.name}`)
      const errors = outcome.data['errors'] as { pointer: string }[]
      if (at)
        assert.ok(
          errors.some(({ pointer }) => pointer === pointerOf(at)),
          `${name} at ${door.name}: ${JSON.stringify(errors)}`,
        )
    }
  })
})

function pointerOf(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

const failing = defineTool({
  name: 'fail_as',
  title: 'Fail as asked',
  description: 'Fails with a code.',
  profile: 'core',
  input: z.object({ code: z.string().describe('the code') }),
  output: z.object({}),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/fail' },
  cli: { verb: 'handoff fail-as' },
  example: { code: 'conflict' },
  async handler(_ctx, { code }) {
    if (code === 'bug') throw new TypeError('secret text')
    throw new SatchelError(code as ErrorCode, 'as_asked', 'As asked.', { details: { why: code } })
  },
  headline: () => '',
})
const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({ tools: [failing] }),
})

test('every error code reaches a caller with its reason and details, at every door', async (t) => {
  const opened = await openHost(t, { plugins: [probe] })

  await forEachDoor(t, opened, async (door) => {
    // A cancelled call gets no reply over MCP.
    for (const code of ERROR_CODES.filter((one) => one !== 'cancelled')) {
      const outcome = await door.call('fail_as', { code })

      assert.ok(!outcome.ok)
      assert.equal(outcome.error.code, code, door.name)
      assert.equal(outcome.error.reason, 'as_asked', door.name)
      assert.deepEqual(outcome.error.details, { why: code }, door.name)
    }
  })
})

test('a bug shows callers only Internal error and a log id, and the log has its text', async (t) => {
  const opened = await openHost(t, { plugins: [probe] })

  await forEachDoor(t, opened, async (door) => {
    const outcome = await door.call('fail_as', { code: 'bug' })

    assert.ok(!outcome.ok)
    assert.equal(outcome.error.code, 'internal', door.name)
    assert.ok(!JSON.stringify(outcome.error).includes('secret'), door.name)
    const id = String(outcome.error.details?.['log_id'])
    assert.ok(
      opened.logged.some((line) => line.includes(id) && line.includes('secret text')),
      door.name,
    )
  })
})

test('an answer whose headline fails is an answer at every door, and logged', async (t) => {
  for (const headline of [() => JSON.parse('secret text'), () => 7 as never]) {
    const written = defineTool({
      ...failing,
      name: 'fail_headline',
      title: 'Write it',
      cli: { verb: 'handoff fail-headline' },
      http: { method: 'POST', path: '/fail/headline' },
      output: z.object({ done: z.boolean() }),
      handler: async () => ({ done: true }),
      headline,
    })
    const plugin = definePlugin({ ...probe, setup: async () => ({ tools: [written] }) })
    const opened = await openHost(t, { plugins: [plugin] })

    await forEachDoor(t, opened, async (door) => {
      const outcome = await door.call('fail_headline', { code: 'bug' })

      assert.ok(outcome.ok, door.name)
      assert.deepEqual(outcome.data, { done: true }, door.name)
    })
    assert.ok(opened.logged.some((line) => /headline/.test(line) && line.includes('fail_headline')))
  }
})

test('an unknown and a missing argument are refused alike at every door', async (t) => {
  const opened = await openHost(t, { plugins: [probe] })
  const outcomes = []
  for (const door of await openDoors(t, opened)) {
    const unknown = await door.call('fail_as', { code: 'conflict', cod: 1 })
    const missing = await door.call('fail_as', {})
    outcomes.push(
      [unknown, missing].map((outcome) =>
        outcome.ok ? outcome : [outcome.error.code, outcome.error.reason],
      ),
    )
  }

  for (const outcome of outcomes) {
    assert.deepEqual(outcome, [
      ['invalid', 'unknown_argument'],
      ['invalid', 'invalid_arguments'],
    ])
  }
})

/** Ids, digests, times and random names differ between two runs; everything else must be equal. */
function normalised(outcome: Outcome, root: string): unknown {
  const text = JSON.stringify(outcome.ok ? outcome.data : [outcome.error.code, outcome.error.reason])
  const plain = text
    .replaceAll(root, '<root>')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi, '<uuid>')
    .replace(/\b[0-9a-f]{64}\b/g, '<sha256>')
    .replace(/\b[0-9a-f]{8}\b/g, '<short id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/"duration_ms":\d+/g, '"duration_ms":0')
    .replace(/<<<untrusted-[0-9a-f]{16} [^\n\\]*\\n(.*?)\\nuntrusted-[0-9a-f]{16}>>>/gs, '$1')
  return JSON.parse(plain)
}

test('the example of every tool gives the same answer at every door', async (t) => {
  const plugins = await Promise.all(
    BUILTIN_PLUGINS.filter(({ name }) => name !== 'workspace').map(({ load }) => load()),
  )
  const names = (await openHost(t, { plugins })).host.registry.tools.map(({ tool }) => tool.name)

  for (const name of names) {
    let first: unknown
    for (const door of DOOR_NAMES) {
      const opened = await openHost(t, { plugins })
      const here = (await openDoors(t, opened)).find((one) => one.name === door)
      const tool = opened.host.registry.tool(name)?.tool
      if (!here?.serves(name) || !tool) continue
      const answer = normalised(await here.call(name, tool.example), opened.projectRoot)
      first ??= answer
      assert.deepEqual(answer, first, `${name} at ${door}`)
    }
  }
})
