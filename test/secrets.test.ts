import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { modern } from '../server/mcp/testing/messages.ts'
import { filesBelow } from './harness/files-below.ts'
import { temporaryFolder } from './harness/index.ts'

const SATCHEL = join(import.meta.dirname, '..', 'dist', 'satchel.js')
const letters = (seed: string): string => seed.repeat(9)

/** Each is unique: one that turns up somewhere tells where it came from. */
const CANARIES = {
  server_token: 'canary-server-token-4f1c9d',
  wrong_bearer: 'canary-wrong-bearer-77aa01',
  hosted_key: `sk-${letters('c4Na')}`,
  other_hosted_key: 'canary-hosted-b-key-8812',
  url_password: 'canary-url-password-5521',
  github: `ghp_${letters('c4Ry')}`,
  password: 'Canary-Passw0rd-9931',
  key_name: `ghp_${letters('k3Ym')}`,
} as const

const RECORD = {
  title: 'Keep what is secret',
  objective: `Use ${CANARIES.github}`,
  current_state: `The login is DB_PASSWORD=${CANARIES.password}`,
  failed_attempts: [
    { approach: `curl -H "Authorization: Bearer ${CANARIES.github}"`, outcome: 'failed', reason: 'no' },
  ],
  extra: { [`for ${CANARIES.key_name}`]: { password: CANARIES.password } },
}
/** Refused by the schema; what is refused may be repeated, but not its secrets. */
const BROKEN = { $schema: CANARIES.github, status: CANARIES.github, kind: `password=${CANARIES.password}` }
const INGEST = {
  repositories: [{ url: `https://me:${CANARIES.url_password}@127.0.0.1:1/team/module.git`, tags: ['*'] }],
}

interface Session {
  readonly folder: string
  /** Everything that was printed or answered. */
  readonly said: string[]
  readonly env: Readonly<Record<string, string>>
}

async function openSession(t: TestContext): Promise<Session> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'satchel.yaml'), 'http: { log_level: trace }\n')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    SATCHEL_PROJECT: folder,
    SATCHEL_TOKEN: CANARIES.server_token,
    HOSTED_A_API_KEY: CANARIES.hosted_key,
    HOSTED_B_API_KEY: CANARIES.other_hosted_key,
  }
  return { folder, said: [], env }
}

function start(
  t: TestContext,
  { folder, said, env }: Session,
  ...argv: string[]
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [SATCHEL, ...argv], { cwd: folder, env })
  t.after(() => child.kill('SIGKILL'))
  for (const stream of [child.stdout, child.stderr]) {
    const at = said.push('') - 1
    // Joined as it was said: a secret that came in two pieces is one.
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said[at] += chunk
    })
  }
  return child
}

async function type(t: TestContext, session: Session, argv: readonly string[], input: object): Promise<void> {
  const child = start(t, session, ...argv)
  child.stdin.end(JSON.stringify(input))
  await once(child, 'close')
}

async function speakStdio(t: TestContext, session: Session): Promise<void> {
  const child = start(t, session, 'mcp')
  const calls = [
    ['handoff_create', RECORD],
    ['handoff_validate', { record: BROKEN }],
    ['ingest_modules', INGEST],
    ['handoff_list', {}],
    ['handoff_get', { id: 'latest', nonsense: CANARIES.github }],
  ] as const
  calls.forEach(([name, input], id) => {
    child.stdin.write(`${JSON.stringify(modern(id, 'tools/call', { name, arguments: input }))}\n`)
  })
  child.stdin.end()
  await once(child, 'close')
}

async function speakHttp(t: TestContext, session: Session): Promise<void> {
  const child = start(t, session, 'serve', '--host', '127.0.0.1', '--port', '0', '--json')
  const [line] = await once(createInterface(child.stdout), 'line')
  const address: string = JSON.parse(line).listeners[0].address
  const ask = async (path: string, body: object | undefined, bearer: string): Promise<void> => {
    const answer = await fetch(`${address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'handoff_create',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    session.said.push(JSON.stringify([...answer.headers]), await answer.text())
  }
  for (const bearer of [CANARIES.server_token, CANARIES.wrong_bearer]) {
    await ask('/handoffs', RECORD, bearer)
    await ask('/handoffs/validate', { record: BROKEN }, bearer)
    await ask('/handoffs', undefined, bearer)
    await ask(`/nowhere?token=${CANARIES.wrong_bearer}`, undefined, bearer)
    await ask('/mcp', modern(1, 'tools/call', { name: 'handoff_create', arguments: RECORD }), bearer)
  }
  child.kill('SIGTERM')
  await once(child, 'close')
}

async function typeEverything(t: TestContext, session: Session): Promise<void> {
  await type(t, session, ['handoff', 'create', '--input', '-', '--json'], RECORD)
  await type(t, session, ['handoff', 'validate', '-', '--json'], BROKEN)
  await type(t, session, ['ingest', '--input', '-'], INGEST)
  for (const argv of [
    ['config', 'show', '--origin'],
    ['config', 'show', '--json'],
    ['doctor'],
    ['handoff', 'export', 'latest'],
  ])
    await type(t, session, argv, {})
}

test('no secret of a whole session is in an answer, on a stream, in the log or in a file', async (t) => {
  const session = await openSession(t)

  await typeEverything(t, session)
  await speakStdio(t, session)
  await speakHttp(t, session)

  const said = session.said.join('\n')
  const files = [...filesBelow(session.folder)].map(([path, text]) => ({ path, text: `${path}\n${text}` }))
  const records = files.filter(({ text }) => text.includes('Keep what is secret'))
  assert.ok(records.length >= 4, 'a record was written at every door')
  assert.match(said, /handoff_validate|schema_valid/)
  for (const [name, secret] of Object.entries(CANARIES)) {
    for (const form of [secret, Buffer.from(`me:${secret}`).toString('base64'), encodeURIComponent(secret)]) {
      const at = said.indexOf(form)
      assert.ok(at < 0, `${name}: ${said.slice(Math.max(0, at - 200), at + 80)}`)
      assert.deepEqual(
        files.filter(({ text }) => text.includes(form)).map(({ path }) => path),
        [],
        name,
      )
    }
  }
})
