import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusals } from '../http/refusals.ts'
import { refusalOf } from './rpc-refusal.ts'

test('a refused rate tells when to send the next request', () => {
  const wait = { details: { retry_after_s: 2 } }
  const refused = refusalOf(refusals.too_many_requests({ rate: 1, seconds: 2 }, wait))
  const stopping = refusalOf(refusals.stopping())

  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '2'])
  assert.deepEqual([stopping.status, stopping.headers.get('retry-after')], [503, '5'])
})
