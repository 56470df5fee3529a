import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { fieldErrors } from './field-errors.ts'

test('each kind of wrong value has words of its own, and those of a schema stay', () => {
  const cases: readonly [z.ZodType, unknown, string][] = [
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(3), 'ab', 'must have at least 3 characters'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.string().length(3), 'ab', 'must have exactly 3 characters'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.array(z.string()).min(2), ['a'], 'must have at least 2 entries'],
    [z.number().min(2), 1, 'must be at least 2'],
    [z.number().max(2), 3, 'must be at most 2'],
    [z.number().positive(), 0, 'must be more than 0'],
    [z.number().multipleOf(2), 3, 'must be a multiple of 2'],
    [z.int(), 1.5, 'must be a whole number, not 1.5'],
    [z.number(), Number.NaN, 'must be a number, not NaN'],
    [z.boolean(), 'yes', 'must be true or false, not a string'],
    [z.array(z.string()), {}, 'must be a list, not an object'],
    [z.record(z.string(), z.string()), null, 'must be an object, not null'],
    [z.enum(['low', 'high']), 'hihg', 'must be one of low, high. Did you mean "high"?'],
    [z.enum(['low', 'high']), 7, 'must be one of low, high'],
    [z.literal('handoff'), 'other', 'must be handoff'],
    [z.uuid(), 'x', 'must be a UUID'],
    [z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
    [z.string().regex(/^a+$/, 'takes the letter a'), 'b', 'takes the letter a'],
    [z.union([z.string(), z.number()]), [], 'must be a string or a number, not a list'],
    [z.union([z.string().min(1), z.number()]), '', 'must not be empty'],
    [z.union([z.ipv4(), z.ipv6()]), '10.0.0.0/8', 'must be a valid IPv4 address or a valid IPv6 address'],
    [z.union([z.enum(['a', 'b']), z.number().min(1)]), 'c', 'must be one of a, b. Did you mean "a"?'],
    [z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), { kind: 'b' }, 'must be a'],
    [z.strictObject({}), { more: 1 }, 'has unknown members: "more"'],
    [z.string().refine(() => false), 'x', 'is not valid'],
  ]

  for (const [schema, given, message] of cases) {
    const { error } = z.object({ it: schema }).safeParse({ it: given })
    assert.ok(error, message)
    assert.equal(fieldErrors(error, { it: given })[0]?.message, message)
  }
})

test('a missing field of any type is missing, without a type that it must be of', () => {
  const { error } = z.object({ any: z.unknown(), text: z.string() }).safeParse({})

  assert.deepEqual(error && fieldErrors(error, {}).map(({ message }) => message), [
    'is missing',
    'is missing; it is of type string',
  ])
})
