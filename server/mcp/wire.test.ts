import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { asProtocolError } from './protocol-errors.ts'
import { withoutValidatorText } from './wire.ts'

const INVALID_PARAMS = { code: -32602, message: 'Invalid params' }
const LOG = { debug() {}, info() {}, warn() {}, error() {} }

function errorMessage(error: { code: number; message: string; data?: unknown }): JSONRPCMessage {
  return { jsonrpc: '2.0', id: 1, error }
}

test('an internal error without data is the refusal of the SDK, and loses the text of its validator', () => {
  const refused = errorMessage({ code: -32603, message: '[{ "expected": "object", "path": ["params"] }]' })

  assert.deepEqual(withoutValidatorText(refused), errorMessage(INVALID_PARAMS))
})

test('an own internal error has data, and keeps its log id', () => {
  const at = { log: LOG, signal: new AbortController().signal }
  const { code, message, data } = asProtocolError(new Error('a bug'), at, 'tools/list')
  const own = errorMessage({ code, message, data })

  assert.equal(code, -32603)
  assert.notEqual(data, undefined)
  assert.equal(withoutValidatorText(own), own)
})

test('other errors and results are unchanged', () => {
  const others = [
    errorMessage({ code: -32601, message: 'Method not found' }),
    { jsonrpc: '2.0' as const, id: 1, result: {} },
  ]

  for (const other of others) assert.equal(withoutValidatorText(other), other)
})
