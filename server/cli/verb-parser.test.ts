import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { parseVerb } from './verb-parser.ts'

/** What the input fields of a verb are after these words. */
function typed(input: z.ZodObject, words: readonly string[]): unknown {
  const shape = { path: ['probe'], summary: '', description: '', input, typing: {}, examples: [] }
  const parsed = parseVerb({ ...shape, takesInput: true, takesOutput: false }, words, 80)
  assert.equal(parsed.kind, 'typed')
  return parsed.kind === 'typed' && parsed.typed.values
}

describe('the flags of a verb', () => {
  it('set a field whose own name begins with no_', () => {
    const input = z.object({
      no_cache: z.boolean().default(false),
      color: z.string().optional(),
      no_color: z.string().optional(),
    })

    assert.deepEqual(typed(input, ['--no-cache']), { no_cache: true })
    assert.deepEqual(typed(input, ['--no-no-cache']), { no_cache: false })
    assert.deepEqual(typed(input, ['--color', 'red', '--no-color', 'blue']), {
      color: 'red',
      no_color: 'blue',
    })
  })

  it('set null where a field takes it', () => {
    const input = z.object({
      owner: z.string().nullable().optional(),
      most: z.int().nullable().optional(),
    })

    assert.deepEqual(typed(input, ['--owner', 'null', '--most', 'null']), { owner: null, most: null })
    assert.deepEqual(typed(input, ['--owner', '']), { owner: '' })
  })

  it('take a list as JSON, and a text in a list of objects, as the other doors do', () => {
    const input = z.object({
      names: z.array(z.string()).optional(),
      levels: z.array(z.enum(['low', 'high'])).optional(),
      items: z.array(z.looseObject({})).optional(),
    })

    const { names, levels, items } = typed(input, [
      ...['--names', '["a", "b"]', '--names', '[c]', '--names', '[1]', '--names', '["d"'],
      ...['--levels', '["low"]', '--levels', 'high'],
      ...['--items', '[{"id": 1}, "e"]', '--items', 'f g', '--items', '{"id": 2}', '--items', '3 of 4'],
    ]) as Record<string, unknown> // an object schema

    assert.deepEqual(names, ['a', 'b', '[c]', '[1]', '["d"'])
    assert.deepEqual(levels, ['low', 'high'])
    assert.deepEqual(items, [{ id: 1 }, 'e', 'f g', { id: 2 }, '3 of 4'])
    assert.throws(() => typed(input, ['--items', '{"id": 1']), /must be JSON/)
    assert.throws(() => typed(input, ['--levels', '["lower"]']), /Allowed: low, high/)
  })
})
