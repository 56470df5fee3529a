import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYTES_PER_TOKEN } from '../../../server/answer/bounds.ts'
import { readerOf } from '../../../server/answer/reader.ts'
import { jsonSchemaOf } from '../../../server/json-schema.ts'
import { toolAnswer } from '../../../server/mcp/tool-answer.ts'
import { untrustedTextOf } from '../../../server/mcp/untrusted-fields.ts'
import { MAX_RECORD_BYTES } from '../domain/record-size.ts'
import { openTestProject, type TestProject } from '../testing/fixture.ts'

const FACTS = {
  title: 'planted-title',
  objective: 'planted-objective',
  current_state: 'planted-state',
  constraints: ['planted-constraint'],
  definition_of_done: ['planted-done'],
  evidence: [{ id: 'E-001', type: 'file', claim: 'planted-claim', ref: 'missing.txt' }],
  failed_attempts: [{ approach: 'planted-attempt', reason: 'planted-reason' }],
  open_items: [
    {
      priority: 'high',
      description: 'planted-item',
      suggested_action: 'planted-action',
      acceptance_check: 'planted-check',
    },
  ],
}
const OPENING = ['planted-objective', 'planted-action', 'planted-item', 'planted-check']
const KEPT = ['state', 'constraint', 'done', 'claim', 'attempt', 'reason'].map((name) => `planted-${name}`)

/** What the models of a text-only and of a data-only client get of a call. */
async function readers(project: TestProject, name: string, args: Record<string, unknown>) {
  const owned = project.host.registry.tool(name)
  assert.ok(owned)
  const whole = await project.call(name, args, { door: 'mcp' })
  const offered = { owned, untrusted: untrustedTextOf(jsonSchemaOf(owned.tool.output, 'output')) }
  const settings = { answer_channel: 'auto', answer_tokens: 4000 } as const
  const reader = readerOf(undefined, settings, args['max_tokens'])
  const { text, data } = toolAnswer(offered, whole, { args }, reader)
  return { text, data: JSON.stringify(data), answer: data }
}

/** Lists of long texts, with what JSON escapes and what takes several bytes. */
function largest(): Record<string, unknown> {
  const texts = (name: string) =>
    Array.from({ length: 260 }, (_, at) => `${name} ${at} "\\\n${'é"\u0007'.repeat(60)}`)
  return {
    ...FACTS,
    current_state: '"\n'.repeat(10_000),
    constraints: texts('constraint'),
    definition_of_done: texts('done'),
    completed: texts('completed'),
    failed_attempts: texts('attempt').map((approach) => ({ approach, reason: 'it failed' })),
    decisions: texts('decision').map((decision) => ({ decision })),
    extra: { x_more: 'x'.repeat(40_000) },
  }
}

test('a resume says every fact in the text and in the data, within its bound', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FACTS)

  for (const max_tokens of [undefined, 600, 10_000]) {
    const args = { id, mark: false, ...(max_tokens !== undefined && { max_tokens }) }
    const { text, data } = await readers(project, 'handoff_resume', args)

    for (const shown of [text, data]) {
      for (const fact of [...OPENING, ...KEPT]) assert.ok(shown.includes(fact), `${max_tokens}: ${fact}`)
      assert.ok(Buffer.byteLength(shown) <= (max_tokens ?? 1200) * BYTES_PER_TOKEN)
    }
  }
})

test('a resume within 200 tokens opens with what is next and names the rest with the call that reads it', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', {
    ...FACTS,
    constraints: Array.from({ length: 30 }, (_, at) => `constraint ${at} ${'x'.repeat(80)}`),
  })

  const { text, data, answer } = await readers(project, 'handoff_resume', {
    id,
    mark: false,
    max_tokens: 200,
  })

  for (const shown of [text, data]) {
    for (const fact of OPENING) assert.ok(shown.includes(fact), fact)
    assert.match(shown, /Left out or cut: .*handoff_get/)
    assert.ok(Buffer.byteLength(shown) <= 800, `${Buffer.byteLength(shown)} bytes`)
  }
  assert.ok(!('page' in answer))
})

test('warnings do not cut what is next', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FACTS)

  const { text, data } = await readers(project, 'handoff_resume', { id, max_tokens: 200 })
  const { answer } = await readers(project, 'handoff_resume', { id, max_tokens: 400 })

  for (const shown of [text, data]) {
    for (const fact of OPENING) assert.ok(shown.includes(fact), fact)
    assert.match(shown, /1 warning left out: ask with more max_tokens/)
    assert.ok(Buffer.byteLength(shown) <= 800, `${Buffer.byteLength(shown)} bytes`)
  }
  assert.match(String(answer['warnings']), /it was not marked as resumed/)
})

test('the largest record never makes a resume exceed its bound, and what is next stays whole', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id, path } = await project.call('handoff_create', largest())
  assert.ok(Buffer.byteLength(project.read(path)) > MAX_RECORD_BYTES * 0.7)

  for (const max_tokens of [200, 333, 1200, 10_000]) {
    for (const format of ['brief', 'full']) {
      const { text, data, answer } = await readers(project, 'handoff_resume', {
        id,
        mark: false,
        max_tokens,
        format,
      })

      for (const shown of [text, data]) {
        const size = Buffer.byteLength(shown)
        assert.ok(size <= max_tokens * BYTES_PER_TOKEN, `${max_tokens} ${format}: ${size} bytes`)
        for (const fact of OPENING) assert.ok(shown.includes(fact), `${max_tokens} ${format}: ${fact}`)
        assert.match(shown, /Left out or cut: /)
      }
      assert.ok(!('page' in answer), 'the door did not cut it')
      if (format === 'full') assert.deepEqual(answer['truncated'], withoutRecord(id))
    }
  }
})

function withoutRecord(id: string) {
  return { reason: 'over_budget', left_out: { record: 1 }, next: { tool: 'handoff_get', args: { id } } }
}

test('a text longer than the bound is cut visibly, with the call that reads it', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const objective = 'long '.repeat(10_000)
  const { id } = await project.call('handoff_create', { ...FACTS, objective })

  const { text, data } = await readers(project, 'handoff_resume', { id, mark: false })

  for (const shown of [text, data]) {
    assert.match(shown, /Left out or cut: objective 1 \(\/work\/objective\)/)
    for (const fact of OPENING.slice(1)) assert.ok(shown.includes(fact), fact)
    assert.ok(Buffer.byteLength(shown) <= 4800)
  }
})

test('a whole record comes with the brief where both fit', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', FACTS)

  const { text, data, answer } = await readers(project, 'handoff_resume', {
    id,
    mark: false,
    max_tokens: 4000,
    format: 'full',
  })

  assert.equal((answer['record'] as { id: string }).id, id)
  assert.match(text, /<<<untrusted-[0-9a-f]{16} handoff record/)
  assert.match(data, /"untrusted":"Others wrote text in record/)
})

test('a long record is read over MCP in pages instead of an outline', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', {
    ...FACTS,
    completed: Array.from({ length: 500 }, (_, at) => `done ${at} ${'x'.repeat(100)}`),
  })

  const { text, answer } = await readers(project, 'handoff_get', { id })

  assert.equal((answer['record'] as { id: string }).id, id)
  assert.match(text, /Shown: .*\nContinue with handoff_get /s)
})

test('a record is not released before its warnings are accepted, and the refusal names each', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', { ...FACTS, definition_of_done: [] })
  const wanted = { reason: 'needs_acknowledgement' }

  for (const validate of [false, true]) {
    if (validate) await project.call('handoff_transition', { id, to: 'validated' })
    await assert.rejects(project.call('handoff_transition', { id, to: 'ready' }), (error: Refused) => {
      assert.equal(error.reason, wanted.reason)
      assert.match(error.message, /accept_warnings/)
      assert.ok(error.details.checks.length > 0)
      for (const { name, status, detail } of error.details.checks) {
        assert.ok(name !== '' && detail !== '')
        assert.equal(status, 'warn')
      }
      return true
    })
  }
})

interface Refused {
  readonly reason: string
  readonly message: string
  readonly details: { readonly checks: readonly { name: string; status: string; detail: string }[] }
}
