import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { ERROR_CODES, type ErrorCode } from '../server/contract/errors.ts'
import { definePlugin, defineTool, SatchelError } from '../server/plugin.ts'
import { forEachDoor, openDoors, openHost } from './harness/index.ts'

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
  digest: () => '',
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

test('a bug shows nobody more than Internal error and a log id, and the log has its text', async (t) => {
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
