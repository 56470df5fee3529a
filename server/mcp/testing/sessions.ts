import assert from 'node:assert/strict'
import { type Answer, post } from './http-client.ts'
import { initialize } from './messages.ts'

export async function openSession(url: string, headers: Record<string, string> = {}, version = '2025-11-25') {
  const opened = await post(url, initialize(version), headers)
  const id = opened.headers.get('mcp-session-id')
  assert.ok(id, `${opened.status}`)
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version }
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own)
  return own
}

export const errorOf = ({ body }: Answer) =>
  body?.['error'] as { code: number; message: string; data?: unknown }

export const resultOf = ({ body }: Answer) => body?.['result'] as Record<string, unknown>
