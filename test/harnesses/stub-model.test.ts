import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { type StubModel, startStubModel } from './stub-model.ts'

const SCRIPT = [{ tool: 'handoff_get', args: { id: 'latest' } }]
const TOOLS = ['mcp__satchel__workspace_handoff_get', 'mcp__satchel__handoff_get']

interface Spoken {
  readonly api: string
  readonly path: (streams: boolean) => string
  /** A request body with the result of the scripted call, or without one. */
  readonly body: (streams: boolean, result: string | undefined) => object
  /** What must be in the answer that makes the call. */
  readonly call: RegExp
}

const SPOKEN: readonly Spoken[] = [
  {
    api: 'Anthropic Messages',
    path: () => '/v1/messages?beta=true',
    body: (stream, result) => ({
      stream,
      tools: TOOLS.map((name) => ({ name, input_schema: {} })),
      messages: [
        { role: 'user', content: 'go' },
        ...(result === undefined
          ? []
          : [
              { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: result }] }] },
            ]),
      ],
    }),
    call: /"type":"tool_use","id":"call_0","name":"mcp__satchel__handoff_get"/,
  },
  {
    api: 'Chat Completions',
    path: () => '/v1/chat/completions',
    body: (stream, result) => ({
      stream,
      tools: TOOLS.map((name) => ({ type: 'function', function: { name } })),
      messages: [
        { role: 'user', content: 'go' },
        ...(result === undefined ? [] : [{ role: 'tool', content: result }]),
      ],
    }),
    call: /"function":\{"name":"mcp__satchel__handoff_get","arguments":"\{\\"id\\":\\"latest\\"\}"\}/,
  },
  {
    api: 'Responses',
    path: () => '/v1/responses',
    body: (stream, result) => ({
      stream,
      tools: [
        { type: 'namespace', name: 'mcp__satchel', tools: [{ name: 'handoff_get' }] },
        { type: 'web_search' },
      ],
      input: [
        { role: 'user', content: 'go' },
        ...(result === undefined ? [] : [{ type: 'function_call_output', output: result }]),
      ],
    }),
    call: /"name":"handoff_get","namespace":"mcp__satchel","arguments":"\{\\"id\\":\\"latest\\"\}"/,
  },
  {
    api: 'Gemini',
    path: (streams) => `/v1beta/models/stub:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_, result) => ({
      tools: [{ functionDeclarations: TOOLS.map((name) => ({ name })) }],
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        ...(result === undefined
          ? []
          : [{ parts: [{ functionResponse: { name: 'x', response: { output: result } } }] }]),
      ],
    }),
    call: /"functionCall":\{"id":"call_0","name":"mcp__satchel__handoff_get","args":\{"id":"latest"\}\}/,
  },
]

for (const { api, path, body, call } of SPOKEN)
  for (const streams of [true, false])
    test(`a model of ${api} plays its script and keeps what it was given, ${streams ? 'streamed' : 'in one document'}`, async (t) => {
      const model = await openModel(t)
      const ask = (result?: string) => post(`${model.url}${path(streams)}`, body(streams, result))

      const first = await ask()
      const before = model.results()
      const last = await ask('the whole answer')

      assert.match(first.text, call)
      assert.equal(first.type, streams ? 'text/event-stream' : 'application/json')
      assert.deepEqual(before, [undefined])
      assert.match(last.text, /Done\./)
      assert.match(String(model.results()[0]), /the whole answer/)
      assert.deepEqual(
        model.requests.map((each) => each.api),
        [api, api],
      )
    })

test('a tool that is not offered ends the turn, and no result counts as given', async (t) => {
  const model = await openModel(t)

  const { text } = await post(`${model.url}/v1/messages`, {
    tools: [{ name: 'mcp__satchel__handoff_get_all' }],
    messages: [],
  })

  assert.match(text, /handoff_get is not offered/)
  assert.deepEqual(model.results(), [undefined])
})

test('as a proxy the model refuses other hosts, notes them, and lets through what is for itself', async (t) => {
  const model = await openModel(t)

  const statuses = [
    await connectThrough(model, 'example.com:443'),
    await connectThrough(model, new URL(model.url).host),
  ]
  await fetch(`${model.url}/unknown`)

  assert.deepEqual(statuses, [403, 200])
  assert.deepEqual(model.strays, ['example.com:443'])
})

async function openModel(t: TestContext): Promise<StubModel> {
  const model = await startStubModel(SCRIPT)
  t.after(() => model.close())
  return model
}

async function post(url: string, body: object) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { type: answer.headers.get('content-type'), text: await answer.text() }
}

async function connectThrough(model: StubModel, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(model.url)
  const asking = request({ host: hostname, port, method: 'CONNECT', path }).end()
  const [{ statusCode }, socket] = await once(asking, 'connect')
  socket.destroy()
  return statusCode
}
