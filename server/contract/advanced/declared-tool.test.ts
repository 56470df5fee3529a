import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { defineTool } from '../tool.ts'
import { changedTool } from './declared-tool.ts'

const FACTS = {
  name: 'echo',
  title: 'Echo',
  description: 'Returns the text.',
  profile: 'core',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'GET', path: '/echo' },
  cli: { verb: 'echo', positional: ['text'] },
  example: { text: 'a' },
  headline: ({ text }: { text: string }) => text,
} as const

/** A tool that notes which of its schemas were made. */
function noting() {
  const made: string[] = []
  const tool = defineTool({
    ...FACTS,
    input: () => {
      made.push('input')
      return z.object({ text: z.string() })
    },
    output: () => {
      made.push('output')
      return z.object({ text: z.string() })
    },
    handler: async (_ctx, { text }) => ({ text }),
  })
  return { tool, made }
}

test('a schema is made when it is first read, and is the same afterwards', () => {
  const { tool, made } = noting()
  assert.deepEqual(made, [])

  assert.equal(tool.input, tool.input)
  assert.equal(tool.output, tool.output)
  assert.deepEqual(made, ['input', 'output'])
})

test('a tool that is changed keeps its other parts, and makes no schema for it', () => {
  const { tool, made } = noting()

  const changed = changedTool<typeof tool>(tool, { title: 'Other' })
  assert.deepEqual(made, [])
  assert.deepEqual(Object.keys(changed), Object.keys(tool))
  assert.equal(changed.title, 'Other')
  assert.equal(changed.input, tool.input)
  assert.equal(tool.title, 'Echo')
})

test('an output may be changed too, and is made from the one before', () => {
  const { tool, made } = noting()

  const changed = changedTool<typeof tool>(tool, {
    output: () => tool.output.extend({ more: z.string() }) as never,
  })
  assert.deepEqual(made, [])
  assert.deepEqual(Object.keys(changed.output.shape), ['text', 'more'])
  assert.deepEqual(Object.keys(tool.output.shape), ['text'])
})

test('a tool whose schemas are there is returned as it is', () => {
  const schema = z.object({ text: z.string() })
  const tool = { ...FACTS, input: schema, output: schema, handler: async () => ({ text: 'a' }) }

  assert.equal(defineTool(tool), tool)
})
