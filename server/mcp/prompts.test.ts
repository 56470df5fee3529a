import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modern } from './testing/messages.ts'
import { errorOf, resultOf, serve } from './testing/served-stdio.ts'

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
