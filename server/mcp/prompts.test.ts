import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../../test/harness/open-host.ts'
import { definePlugin } from '../plugin.ts'
import { modern } from './testing/messages.ts'
import { errorOf, resultOf, serve } from './testing/served-stdio.ts'
import { openStdio } from './testing/stdio-client.ts'

test('prompts are described, rendered, and refuse missing and unknown arguments', async (t) => {
  const { client } = await serve(t)

  client.send(
    modern(1, 'prompts/list'),
    modern(2, 'prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
    modern(3, 'prompts/get', { name: 'greet', arguments: {} }),
    modern(4, 'prompts/get', { name: 'greet', arguments: { who: 'Ada', what: 'x' } }),
    modern(5, 'prompts/get', { name: 'nothing' }),
  )

  const { prompts } = resultOf(await client.answer(1)) as never as { prompts: unknown[] }
  assert.deepEqual(prompts, [
    {
      name: 'greet',
      title: 'Greet',
      description: 'Greets a person.',
      arguments: [
        { name: 'who', description: 'Whom to greet.', required: true },
        { name: 'tone', description: 'How.', required: false },
      ],
    },
  ])
  const { messages } = resultOf(await client.answer(2))
  assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Say hello to Ada.' } }])
  for (const id of [3, 4, 5]) assert.equal(errorOf(await client.answer(id)).code, -32602)
})

test('completions: at most 100 values with total and hasMore; unknown references are refused', async (t) => {
  const prompt = { type: 'ref/prompt', name: 'greet' }
  const note = { type: 'ref/resource', uri: 'sample://note/{id}/{part}' }
  const { client } = await serve(t)

  client.send(
    modern(1, 'completion/complete', { ref: prompt, argument: { name: 'who', value: 'A' } }),
    modern(2, 'completion/complete', { ref: note, argument: { name: 'id', value: 'n' } }),
    modern(3, 'completion/complete', { ref: note, argument: { name: 'x', value: '' } }),
    modern(4, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'x' },
      argument: { name: 'who', value: '' },
    }),
  )

  assert.deepEqual(resultOf(await client.answer(1)).completion, {
    values: ['Ada', 'Alan'],
    total: 2,
    hasMore: false,
  })
  const many = resultOf(await client.answer(2)) as never as {
    completion: { values: string[]; total: number; hasMore: boolean }
  }
  assert.equal(many.completion.values.length, 100)
  assert.deepEqual([many.completion.total, many.completion.hasMore], [120, true])
  for (const id of [3, 4]) assert.equal(errorOf(await client.answer(id)).code, -32602)
})

/** A plugin none of whose work ends, but for one prompt that is too large. */
const endless = definePlugin({
  name: 'endless',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    prompts: [
      {
        name: 'hang',
        title: 'Hang',
        description: 'Never ends.',
        arguments: [{ name: 'who', description: 'Whom.', required: false, complete: never }],
        render: never,
      },
      {
        name: 'flood',
        title: 'Flood',
        description: 'Too large.',
        render: async () => 'x'.repeat(4 * 1024 * 1024 + 1),
      },
    ],
    resources: [
      {
        uri: 'endless://each/{id}',
        name: 'each',
        title: 'Each',
        description: 'Never ends.',
        mimeType: 'text/plain',
        subscribable: true,
        read: never,
        complete: never,
      },
    ],
  }),
})

function never(): Promise<never> {
  return new Promise(() => {})
}

test('a prompt, a completion and a subscription that hang are ended as a tool is', async (t) => {
  const { host, logged } = await openHost(t, { plugins: [endless] })
  const client = openStdio(t, { ...host, limits: { limitMs: 30 } })
  const argument = { name: 'who', value: '' }

  client.send(
    modern(1, 'prompts/get', { name: 'hang' }),
    modern(2, 'completion/complete', { ref: { type: 'ref/prompt', name: 'hang' }, argument }),
    modern(3, 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'endless://each/{id}' },
      argument: { name: 'id', value: '' },
    }),
    modern(4, 'resources/subscribe', { uri: 'endless://each/1' }),
  )

  for (const id of [1, 2, 3])
    assert.match(errorOf(await client.answer(id)).message, /^The call took longer than 0\.03 s/)
  assert.equal(errorOf(await client.answer(4)).message, 'Unknown or unsubscribable resource')
  assert.match(logged.join(''), /"prompt":"hang","limit_ms":30/)
})

test('a prompt larger than a body is refused whole', async (t) => {
  const { host } = await openHost(t, { plugins: [endless] })
  const client = openStdio(t, host)

  client.send(modern(1, 'prompts/get', { name: 'flood' }))

  assert.match(errorOf(await client.answer(1)).message, /^The prompt "flood" is larger than 4194304 bytes/)
})
