import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listening } from '../../test/harness/listening.ts'
import { openConnection } from './connection.ts'

const ASKING = { method: 'GET', path: '/', token: 't' } as const

/** A server that answers the first call of a connection, and closes it at the `last`. */
async function serve(t: TestContext, last: number): Promise<string> {
  const calls = new Map<Socket, number>()
  const server = createServer((request, response) => {
    const call = (calls.get(request.socket) ?? 0) + 1
    calls.set(request.socket, call)
    if (call === last) request.socket.end()
    else response.end('{}')
  })
  return (await listening(t, server)).url
}

test('a call is made again where an idle connection was closed as it was taken up, and not on a new one', async (t) => {
  const lucky = openConnection(await serve(t, 2))
  const refused = openConnection(await serve(t, 1))
  t.after(() => {
    lucky.cutOff()
    refused.cutOff()
  })

  await lucky.ask(ASKING)
  const again = await lucky.ask(ASKING)

  assert.equal(again.status, 200)
  await assert.rejects(refused.ask(ASKING), /socket hang up/)
})
