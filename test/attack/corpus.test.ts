import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { postModern } from '../../server/mcp/testing/http-client.ts'
import { modern, modernHeaders } from '../../server/mcp/testing/messages.ts'
import { listening } from '../harness/listening.ts'
import { HTTP_CASES, type HttpCase } from './corpus/http.ts'
import { MESSAGE_CASES } from './corpus/messages.ts'
import { VALUE_CASES } from './corpus/values.ts'
import { type ServedProcess, serveProcess } from './served-process.ts'
import { createSlowest, LIMIT_MS } from './slowest.ts'

/** Judged together with the slowest case, where there is a limit for that. */
const DELAY_LIMIT_MS = 100
/** How long a request that is not complete waits for an answer that does not come. */
const INCOMPLETE_MS = 50

/** What a server answers to these bytes; empty if it closes without an answer. */
function answerTo(port: number, bytes: string | Buffer, isIncomplete = false): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    const end = (): void => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('close', end).on('error', end)
    socket.on('connect', () => {
      socket.write(bytes)
      if (isIncomplete) setTimeout(end, INCOMPLETE_MS)
    })
  })
}

const statusesIn = (answer: string): number[] =>
  [...answer.matchAll(/^HTTP\/1\.1 ([2-5]\d\d) /gm)].map(([, status]) => Number(status))

async function judgeServer(t: TestContext, server: ServedProcess): Promise<void> {
  assert.ok(server.isAlive(), server.log().slice(-2000))
  const ready = await fetch(`${server.address}/ready`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  const { loop_delay_ms: delay } = (await ready.json()) as { loop_delay_ms: Record<string, number> }
  const memory = Math.round(((await server.memory()) ?? 0) / 2 ** 20)
  t.diagnostic(`loop delay ${JSON.stringify(delay)}, memory ${memory} MiB`)
  assert.doesNotMatch(server.log(), /Internal error/)
  if (LIMIT_MS < Number.POSITIVE_INFINITY) assert.ok(Number(delay['p99']) <= DELAY_LIMIT_MS)
}

const EVERYONE_MAY_READ = /^(GET|HEAD) \/(health)?[ ?]/

function faultOf({ name, expect, incomplete }: HttpCase, answer: string): string | undefined {
  const statuses = statusesIn(answer)
  if (statuses.some((status) => status >= 500 && status !== 501 && status !== 505))
    return `${name}: ${answer.slice(0, 300)}`
  if (statuses.length === 0 && incomplete === undefined && expect === 'any') return `${name}: no answer`
  const isServed = statuses.some((status) => status < 400)
  return expect === 'refused' && isServed ? `${name}: served: ${answer.slice(0, 300)}` : undefined
}

/** What is wrong with the answers of a server to the cases for a port. */
async function faultsAt(port: number, slowest = createSlowest()): Promise<string[]> {
  const faults: string[] = []
  for (const each of HTTP_CASES) {
    const bytes = each.bytes(`127.0.0.1:${port}`)
    const answer = await slowest.timed(each.name, () => answerTo(port, bytes, each.incomplete))
    const fault = faultOf(each, answer)
    if (fault !== undefined) faults.push(fault)
  }
  return faults
}

/** What a server serves of the cases for a port, though none of them has a token. */
async function servedAt(port: number): Promise<string[]> {
  const served: string[] = []
  for (const each of HTTP_CASES) {
    const bytes = each.bytes(`127.0.0.1:${port}`)
    const answer = await answerTo(port, bytes, each.incomplete)
    const isServed = statusesIn(answer).some((status) => status < 400)
    if (isServed && !EVERYONE_MAY_READ.test(String(bytes)))
      served.push(`${each.name}: ${answer.slice(0, 200)}`)
  }
  return served
}

test('no bytes at the port crash the server or are answered with 500, and what is malformed or of another origin is refused', async (t) => {
  const server = await serveProcess(t)
  const slowest = createSlowest()

  const faults = await faultsAt(server.port, slowest)

  assert.deepEqual(faults, [])
  slowest.judge(t)
  await judgeServer(t, server)
})

test('without a token none of these bytes reads or writes anything where callers must prove themselves', async (t) => {
  const server = await serveProcess(t, 'http: { local_proof: token }\n')

  const served = await servedAt(server.port)

  assert.deepEqual(served, [])
  assert.deepEqual(await readdir(join(server.project, '.handoffs')).catch(() => []), [])
})

test('a server that serves everyone, fails for one target or closes without an answer is found', async (t) => {
  const server = createServer((request, answer) => {
    if (request.url === '/handoffs/%00') answer.statusCode = 500
    if (request.url === '/HANDOFFS') request.socket.destroy()
    answer.end('{}')
  })
  const { port } = await listening(t, server)

  const faults = await faultsAt(port)
  const served = await servedAt(port)

  for (const found of [
    /^target: \/handoffs\/%00: HTTP\/1.1 500/,
    /^target: \/HANDOFFS: no answer/,
    /^proxy: Via.*served/,
    /^origin: null: served/,
  ])
    assert.ok(
      faults.some((fault) => found.test(fault)),
      `${found}`,
    )
  assert.ok(served.some((each) => each.startsWith('host: HTTP/1.0')))
})

test('no message to the MCP door crashes the server or is answered with 500, and each is answered', async (t) => {
  const server = await serveProcess(t)
  const slowest = createSlowest()
  const faults: string[] = []

  for (const { name, text } of MESSAGE_CASES) {
    const body = text()
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const versioned = { ...headers, ...modernHeaders(modern(1, 'tools/call', { name: 'handoff_list' })) }
    // Of the two that name their version one may be answered without the SDK, the other may not.
    const bySdk = { ...versioned, 'content-type': 'application/json; charset=utf-8' }
    for (const sent of [headers, versioned, bySdk]) {
      const answer = await slowest.timed(name, () =>
        fetch(`${server.address}/mcp`, { method: 'POST', headers: sent, body }),
      )
      const got = await answer.text()
      if (answer.status >= 500) faults.push(`${name}: ${answer.status} ${got.slice(0, 300)}`)
    }
  }

  assert.deepEqual(faults, [])
  slowest.judge(t)
  await judgeServer(t, server)
})

test('a server that gets every input of the corpus over MCP stays alive and answers others meanwhile', async (t) => {
  const server = await serveProcess(t)
  const slowest = createSlowest()
  const faults: string[] = []

  for (const { name, tool, input } of VALUE_CASES) {
    const call = modern(1, 'tools/call', { name: tool, arguments: input() })
    const { status, body } = await slowest.timed(name, () => postModern(`${server.address}/mcp`, call))
    if (status >= 500) faults.push(`${name}: ${status} ${JSON.stringify(body).slice(0, 300)}`)
  }

  assert.deepEqual(faults, [])
  slowest.judge(t)
  await judgeServer(t, server)
})
