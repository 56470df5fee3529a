import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'
import { listening } from './harness/listening.ts'
import { startStubModel } from './harnesses/stub-model.ts'
import { runSatchel } from './satchel-process.ts'

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** A model that knows what it is given and nothing else: it answers with every mark of its context. */
function honest(body: unknown): string {
  const { messages } = body as Asked // as the verb sends it
  const context = messages.find(({ role }) => role === 'system')?.content ?? ''
  const question = messages.at(-1)?.content ?? ''
  const marks = context.match(/fact-probe-\w+-\d+/g) ?? []
  if (question.includes('Summarise')) return 'The objective is fact-probe-objective-1; the rest was small.'
  if (!question.includes('next actions')) return marks.join(' ')
  const knows = context.includes('Do not change src/generated/client.ts')
  const actions = [
    { kind: 'read', path: 'src/callback.ts', text: 'Read the callback' },
    ...(knows
      ? [{ kind: 'run', path: null, text: 'Run the suite of the callback' }]
      : [
          {
            kind: 'edit',
            path: './src/generated/client.ts',
            text: 'Store the OAuth state in a SameSite=None cookie',
          },
        ]),
    { kind: 'edit', path: 'src/callback.ts', text: 'Compare the state with that of the session' },
  ]
  return `\`\`\`json\n${JSON.stringify({ actions })}\n\`\`\``
}

async function measured(t: TestContext, env: Record<string, string>, ...flags: readonly string[]) {
  const root = await temporaryFolder(t)
  const settings = { SATCHEL_MODEL_NAME: 'stub', ...env }
  return runSatchel(root, ['handoff', 'retention', '--probes', '15', ...flags], settings)
}

test('a model is asked with its summary, the brief and both, and its plan is judged', async (t) => {
  const model = await startStubModel([], honest)
  t.after(() => model.close())

  const { code, out, err } = await measured(t, { SATCHEL_MODEL_URL: model.url }, '--json')

  assert.equal(code, 0, out + err)
  const { arms } = JSON.parse(out)
  assert.deepEqual(
    arms.map(({ arm, probes }: { arm: string; probes: number }) => [arm, probes]),
    [
      ['summary', 15],
      ['brief', 15],
      ['both', 15],
    ],
  )
  const [summary, brief, both] = arms
  assert.deepEqual(
    [summary.right, summary.broken_constraints, summary.attempts_retried, summary.actions_before_first_edit],
    [1, 1, 1, 1],
  )
  for (const arm of [brief, both]) {
    assert.ok(arm.right >= 12, JSON.stringify(arm))
    assert.deepEqual([arm.broken_constraints, arm.attempts_retried, arm.actions_before_first_edit], [0, 0, 2])
  }
  assert.equal(summary.tokens, 16 * 2)
  assert.equal(model.requests.length, 1 + 3 * 16)
})

test('the table says the same, and a model without a plan is told from one that edits nothing', async (t) => {
  const model = await startStubModel([], () => 'I do not know.')
  t.after(() => model.close())

  const { code, out } = await measured(t, { SATCHEL_MODEL_URL: `${model.url}/v1/chat/completions` })

  assert.equal(code, 0)
  assert.match(out, /^summary +0\/15 +0 +0 +unreadable +32$/m)
})

test('without a configured model it says what to set, and nothing is sent', async (t) => {
  const unset = await measured(t, {})
  const nameless = await measured(t, { SATCHEL_MODEL_URL: 'http://127.0.0.1:9', SATCHEL_MODEL_NAME: '' })
  const bad = await measured(t, { SATCHEL_MODEL_URL: 'file:///etc/passwd' })
  const open = await measured(t, { SATCHEL_MODEL_URL: 'http://model.example', SATCHEL_MODEL_KEY: 'k' })

  assert.match(unset.err, /No model is configured, and nothing was sent\. Set SATCHEL_MODEL_URL:/)
  assert.match(nameless.err, /Set SATCHEL_MODEL_NAME:/)
  for (const { err } of [bad, open])
    assert.match(err, /SATCHEL_MODEL_URL is not usable, and nothing was sent/)
  assert.deepEqual(
    [unset, nameless, bad, open].map(({ code, out }) => [code, out]),
    Array(4).fill([3, '']),
  )
})

/** For those that never answer; the others have time on a busy machine. */
const SHORT = ['--model-timeout', '0.5']

/** Each way in which a server fails a question, with what is said of it. */
const FAILURES: readonly (readonly [
  name: string,
  answer: (response: ServerResponse) => void,
  said: RegExp,
  ...more: string[],
])[] = [
  [
    'refuses the key',
    (response) => response.writeHead(401).end('{}'),
    /answered 401\. Check SATCHEL_MODEL_KEY/,
  ],
  [
    'is not an API',
    (response) => response.writeHead(404).end('no'),
    /answered 404\. Check SATCHEL_MODEL_URL/,
  ],
  ['answers with a page', (response) => response.end('<html>'), /is not an answer of Chat Completions/],
  ['answers without a choice', (response) => response.end('{"choices": []}'), /is not an answer of Chat/],
  ['leads elsewhere', (response) => response.writeHead(302, { location: '/x' }).end(), /cannot be reached/],
  ['hangs up', (response) => response.destroy(), /cannot be reached/],
  [
    'never answers',
    () => {},
    /did not answer within 0\.5 s\. Try again with a larger --model-timeout/,
    ...SHORT,
  ],
  ['never ends', (response) => response.write('{'), /did not answer within 0\.5 s/, ...SHORT],
]

for (const [name, answer, said, ...more] of FAILURES) {
  test(`a model that ${name} is an error with the next step`, async (t) => {
    const server = createServer((_, response) => answer(response))
    const { port } = await listening(t, server)

    const env = { SATCHEL_MODEL_URL: `http://127.0.0.1:${port}` }

    const { code, out, err } = await measured(t, env, ...more)

    assert.deepEqual([code, out], [7, ''], err)
    assert.match(err, said)
  })
}

test('a model that does not run is an error with the next step', async (t) => {
  const port = await freePort()

  const { code, err } = await measured(t, { SATCHEL_MODEL_URL: `http://127.0.0.1:${port}` })

  assert.equal(code, 7)
  assert.match(err, /cannot be reached \(ECONNREFUSED\)\. Check that it runs/)
})
