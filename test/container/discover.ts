import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { modern } from '../../server/mcp/testing/messages.ts'

/** What a server on stdio answers to `server/discover`, as JSON; its input is closed and its end awaited. */
export async function discover(child: ChildProcess): Promise<string> {
  assert.ok(child.stdin && child.stdout)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  child.stdin.write(`${JSON.stringify(modern(1, 'server/discover'))}\n`)
  const { value } = await lines.next()
  child.stdin.end()
  await once(child, 'close')
  return JSON.stringify(JSON.parse(value).result)
}
