import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { exampleLine } from './example-line.ts'

const input = z.object({ record: z.unknown(), id: z.string().optional(), level: z.string().optional() })
const verb = {
  verb: 'handoff validate',
  positional: ['[source]'],
  arrange: async (typed: Readonly<Record<string, unknown>>) => ({ ...typed }),
}

test('an argument in the place of a field makes a command without JSON', () => {
  const typable = { ...verb, standsFor: { source: 'id' } }

  const lines = [
    exampleLine(typable, input, { id: 'latest' }),
    exampleLine(typable, input, { id: 'latest', level: 'schema' }),
    exampleLine(typable, input, { level: 'schema' }),
    exampleLine(verb, input, { id: 'latest' }),
  ]

  assert.deepEqual(lines, [
    'satchel handoff validate latest',
    'satchel handoff validate latest --level schema',
    `printf %s '{"level":"schema"}' | satchel handoff validate --input -`,
    `printf %s '{"id":"latest"}' | satchel handoff validate --input -`,
  ])
})
