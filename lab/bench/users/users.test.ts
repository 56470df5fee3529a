import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listening } from '../../../test/harness/listening.ts'
import type { LabContext } from '../../context.ts'
import { keeps } from '../figure.ts'
import { openDoorClient } from '../host/door-client.ts'
import { measureUsers } from './figures.ts'
import { isWrite, ROUND } from './habits.ts'
import { simulateUsers } from './users.ts'

const STALL_MS = 1300

function contextFor(note: (line: string) => void): LabContext {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  return { program: [process.execPath], env: {}, signal: new AbortController().signal, log, note }
}

test('every request of a crowd is answered, at both doors, and its streams stay open', async (t) => {
  const figures = await measureUsers(
    contextFor((line) => t.diagnostic(line)),
    { users: 20, seconds: 3 },
  )

  const exact = figures.filter(({ name }) => name === 'users.answered' || name === 'users.streams')
  assert.equal(exact.length, 2)
  for (const figure of exact) assert.ok(keeps(figure, 'goal'), JSON.stringify(figure))
  const memory = figures.find(({ name }) => name === 'users.memory')
  assert.ok(memory === undefined || keeps(memory, 'gate'), JSON.stringify(memory))
})

test('a user writes once in ten requests, and users write at different moments', () => {
  const writers = (request: number): number[] =>
    Array.from({ length: 30 }, (_, user) => user).filter((user) => isWrite(user, request))
  const writes = Array.from({ length: 10 * ROUND }, (_, request) => isWrite(7, request)).filter(Boolean)

  assert.equal(writes.length, 10)
  assert.deepEqual([writers(0).length, writers(1).length, writers(9).length], [3, 3, 3])
})

test('a server that pauses is found out: a request is timed from the moment at which it was due', async (t) => {
  let asked = 0
  const server = createServer((request, answer) => {
    if (request.url === '/events') return void answer.write(': open\n\n')
    setTimeout(() => answer.end('{"id":"a","etag":"b"}'), asked++ === 0 ? STALL_MS : 0)
  })
  const { url: address } = await listening(t, server)
  const client = openDoorClient(address, 1)
  t.after(() => client.close())

  const { reads, writes } = await simulateUsers({
    client,
    address,
    own: [],
    users: 1,
    seconds: 2,
    around: { modules: [] },
    signal: new AbortController().signal,
  })

  assert.deepEqual([reads.length, writes.length], [1, 1])
  assert.ok(Number(reads[0]) >= STALL_MS - 1000 - 5, `${reads}`)
})
