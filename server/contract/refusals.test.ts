import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineRefusals } from './refusals.ts'

const refusals = defineRefusals({
  stale_version: {
    code: 'conflict',
    message: 'Version {base} is stale; the document is at {head}.',
    next: 'Read the document again, then propose.',
    tool: 'document_read',
  },
  not_utf8: { code: 'invalid', message: 'The file is not UTF-8 text.' },
  too_many: { code: 'rate_limited', reason: 'limit_exceeded', message: 'At most {limit} are allowed.' },
})

test('a refusal has the code, reason, filled text and next step of its row', () => {
  const cause = new Error('why')

  const error = refusals.stale_version({ base: 3, head: 4 }, { details: { head: 4 }, cause })

  assert.equal(
    error.message,
    'Version 3 is stale; the document is at 4. Read the document again, then propose.',
  )
  assert.deepEqual([error.code, error.reason], ['conflict', 'stale_version'])
  assert.deepEqual(error.details, { head: 4 })
  assert.deepEqual(error.next, { tool: 'document_read', args: {} })
  assert.equal(error.cause, cause)
})

test('a row without placeholders takes the options only', () => {
  const errors = [{ pointer: '/text', message: 'is not UTF-8' }]

  const error = refusals.not_utf8({ errors, details: { line: 1 }, next: { tool: 'other', args: { a: 1 } } })

  assert.equal(error.message, 'The file is not UTF-8 text.')
  assert.deepEqual(error.details, { line: 1, errors })
  assert.deepEqual(error.next, { tool: 'other', args: { a: 1 } })
  assert.deepEqual([refusals.not_utf8().details, refusals.not_utf8().next], [undefined, undefined])
})

test('several rows share a reason', () => {
  const error = refusals.too_many({ limit: 5 })

  assert.deepEqual([error.code, error.reason], ['rate_limited', 'limit_exceeded'])
})

test('a value is inserted as it is, also where it looks like a placeholder or a replacement pattern', () => {
  const error = refusals.stale_version({ base: '{head} $& $1', head: 'x' })

  assert.match(error.message, /^Version \{head\} \$& \$1 is stale; the document is at x\. /)
})

test('a missing, misspelled or superfluous value does not compile', () => {
  // @ts-expect-error: `head` is missing
  refusals.stale_version({ base: 1 })
  // @ts-expect-error: no placeholder is called `heads`
  refusals.stale_version({ base: 1, head: 2, heads: 3 })
  // @ts-expect-error: the row has no placeholder
  refusals.not_utf8({ base: 1 })
  // @ts-expect-error: no row has this name
  assert.equal(refusals.unknown, undefined)
})
