import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import type { ProcessIo } from '../process-io.ts'
import { run } from '../run.ts'
import { answerFirst } from './answer-first.ts'
import { prepareAnswers, talkTo } from './prepare.ts'
import type { PreparedAnswers } from './prepared-answers.ts'

type Message = { readonly method: string } & Readonly<Record<string, unknown>>

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const CLIENT = { name: 'a client', version: '1' }

const request = (id: unknown, method: string, params?: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
})
const initialize = (changes: object = {}): Message =>
  request(0, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: CLIENT,
    ...changes,
  })
const initialized: Message = { jsonrpc: '2.0', method: 'notifications/initialized' }
const envelope = (changes: object = {}, more: object = {}): object => ({
  _meta: {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {},
    ...changes,
  },
  ...more,
})
const list = (id: unknown) => request(id, 'tools/list')
const lists = [list(1), request(2, 'prompts/list'), request(3, 'resources/templates/list')]
const modernList = (id: unknown, params: unknown = envelope()) => request(id, 'tools/list', params)

/** What clients send first, by what is special about it. Each is answered as by the host alone. */
const SESSIONS: Readonly<Record<string, readonly (Message | string)[]>> = {
  nothing: [],
  'an older client': [initialize(), initialized, ...lists],
  'an older client and a call': [
    initialize(),
    initialized,
    ...lists,
    request(4, 'tools/call', { name: 'no_tool' }),
  ],
  'fields of a client': [
    initialize({
      clientInfo: { ...CLIENT, title: 'A', description: 'B', websiteUrl: 'https://example.org' },
      capabilities: {
        roots: { listChanged: true },
        sampling: { tools: {} },
        elicitation: { form: { applyDefaults: true }, url: {} },
        experimental: { a: { b: [1] } },
        tasks: { list: {}, requests: { sampling: { createMessage: {} } } },
      },
    }),
    initialized,
    list('one'),
  ],
  'icons of a client': [
    initialize({ clientInfo: { ...CLIENT, icons: [{ src: 'https://example.org/i.png' }] } }),
    list(1),
  ],
  'lists before the client is initialized': [initialize(), list(1)],
  'two handshakes': [initialize(), initialize(), initialized, list(1)],
  'an unknown revision': [initialize({ protocolVersion: '2099-01-01' }), initialized, list(1)],
  'a revision that objects have': [initialize({ protocolVersion: 'constructor' }), initialized, list(1)],
  'a method that objects have': [initialize(), initialized, request(1, 'toString')],
  'no name of a client': [initialize({ clientInfo: { version: '1' } })],
  'a capability that is none': [initialize({ capabilities: { roots: 1 } })],
  'a flag that is none': [
    initialize({ capabilities: { roots: { listChanged: 'yes' } } }),
    initialized,
    list(1),
  ],
  'no capabilities': [initialize({ capabilities: undefined })],
  'a page of a list': [initialize(), initialized, request(1, 'tools/list', { cursor: 'x' })],
  'a token of progress': [
    initialize(),
    initialized,
    request(1, 'tools/list', { _meta: { progressToken: 1 } }),
  ],
  'a ping': [initialize(), request(7, 'ping'), initialized, list(1)],
  'resources in between': [initialize(), initialized, request(5, 'resources/list'), list(1)],
  'an unknown method': [initialize(), initialized, request(1, 'tools/burn')],
  'a list without a handshake': [list(1)],
  'ids that are none': [initialize(), initialized, list(null), list(1.5), list({}), list(2)],
  'another version of JSON-RPC': [initialize(), initialized, { ...list(1), jsonrpc: '1.0' }],
  'members of their own': [initialize(), initialized, { ...list(1), more: 1 }],
  'no JSON': [initialize(), initialized, 'hello', list(1)],
  'a batch': [JSON.stringify([initialize(), list(1)])],
  'blank lines': [initialize(), '', '  ', initialized, list(1)],
  'a client of 2026-07-28': [
    request('d', 'server/discover', envelope()),
    modernList(1),
    request(2, 'prompts/list', envelope()),
    request(3, 'resources/templates/list', envelope()),
  ],
  'a list of 2026-07-28 alone': [modernList('only')],
  'another revision in the envelope': [modernList(1, envelope({ [`${META}protocolVersion`]: '2027-01-01' }))],
  'an envelope without a client': [modernList(1, envelope({ [`${META}clientInfo`]: undefined }))],
  'an envelope with more': [
    modernList(1, envelope({ progressToken: 3 })),
    modernList(2, envelope({}, { cursor: 'x' })),
  ],
  'an older client behind 2026-07-28': [modernList(1), initialize(), initialized, list(2)],
  '2026-07-28 behind an older client': [initialize(), initialized, modernList(1), list(2)],
  'a call of 2026-07-28': [modernList(1), request(2, 'tools/call', { name: 'no_tool', ...envelope() })],
}

/** Serves without a configuration; returns the answers prepared for it. */
async function open(t: TestContext) {
  const cwd = await temporaryFolder(t)
  const host = (io: ProcessIo) => run(['mcp'], { ...io, stderr: new PassThrough().resume(), env: {}, cwd })
  const answers = await prepareAnswers((messages) => talkTo(host, messages))
  assert.ok(answers)
  const early = (prepared: PreparedAnswers) => async (io: ProcessIo) => {
    const stdout = await answerFirst(io, prepared)
    return stdout === 'ended' ? 0 : host({ ...io, stdout })
  }
  return { host, answers, early }
}

/** Every server refuses it, and by then has loaded its plugins. */
const LAST = request('last', 'tools/burn')

const sorted = async (lines: Promise<readonly string[]>) => [...(await lines)].sort()

const shortened = (line: string) => line.slice(0, 100)

const textOf = (messages: readonly (Message | string)[]) =>
  messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')

test('a client gets the same bytes as from the host alone for every first message', async (t) => {
  const { host, answers, early } = await open(t)

  for (const [about, messages] of Object.entries(SESSIONS)) {
    const session = [...messages, LAST]
    const alone = await sorted(talkTo(host, session))
    const first = await sorted(talkTo(early(answers), session))
    assert.deepEqual(first.map(shortened), alone.map(shortened), about)
    assert.ok(first.join() === alone.join(), about)
  }
})

test('the comparison finds one changed word of a description', async (t) => {
  const { host, answers, early } = await open(t)
  const changed = JSON.parse(JSON.stringify(answers).replace('record', 'rec0rd'))
  const session = [initialize(), initialized, ...lists]
  const alone = await sorted(talkTo(host, session))

  assert.deepEqual(await sorted(talkTo(early(answers), session)), alone)
  assert.notDeepEqual(await sorted(talkTo(early(changed), session)), alone)
})

test('the host gets only what it must know, and is not waited for', async (t) => {
  const { answers } = await open(t)
  const stdin = new PassThrough()
  const lines: string[] = []
  const io = { stdin, stdout: { ...SILENT, write: (text: string) => lines.push(text) > 0 } }

  const handed = answerFirst(io, answers)
  stdin.write(textOf([initialize(), initialized, ...lists]))
  const stdout = await handed

  assert.ok(stdout !== 'ended')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).id),
    [0, 1, 2, 3],
  )
  assert.equal(String(stdin.read()), textOf([initialize(), initialized]))
  stdout.write('{"jsonrpc":"2.0","id":0,"result":{}}\n')
  stdout.write('{"jsonrpc":"2.0","id":0,"result":{"second":true}}\n')
  assert.deepEqual(lines.slice(4), ['{"jsonrpc":"2.0","id":0,"result":{"second":true}}\n'])
})

test('a message in parts is put together, and one that is too long is left to the host', async (t) => {
  const { answers } = await open(t)
  const stdin = new PassThrough()
  const io = { stdin, stdout: SILENT }
  const long = 'x'.repeat(70_000)

  const handed = answerFirst(io, answers)
  for (const part of textOf([initialize()]).match(/.{1,40}\n?/gs) ?? []) stdin.write(part)
  stdin.write(long)

  assert.notEqual(await handed, 'ended')
  assert.equal(String(stdin.read()), textOf([initialize()]) + long)
})

test('a client that leaves before it needs the host ends the server', async (t) => {
  const { answers } = await open(t)
  const stdin = new PassThrough()
  stdin.end(textOf([initialize()]))

  assert.equal(await answerFirst({ stdin, stdout: SILENT }, answers), 'ended')
})

const SILENT = {
  write(_: string, done?: () => void) {
    done?.()
    return true
  },
  on: () => undefined,
  isTTY: false,
  columns: undefined,
}
