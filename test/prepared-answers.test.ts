import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareAnswers, talkTo } from '../server/prepared/prepare.ts'
import { run } from '../server/run.ts'
import { temporaryFolder } from './harness/index.ts'

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'satchel.js')
const PREPARED = join(import.meta.dirname, '..', 'dist', 'prepared')
const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}

test('what the build prepared is what the program answers, in every profile and revision', async (t) => {
  const cwd = await temporaryFolder(t)
  const { starts } = JSON.parse(await readFile(join(PREPARED, 'index.json'), 'utf8'))
  assert.ok(Object.keys(starts).length >= 5)

  for (const [words, file] of Object.entries<string>(starts)) {
    const argv: string[] = JSON.parse(words)
    const answers = await prepareAnswers((messages) =>
      talkTo((io) => run(argv, { ...io, stderr: new PassThrough().resume(), env: {}, cwd }), messages),
    )
    assert.ok(JSON.stringify(answers) === (await readFile(join(PREPARED, file), 'utf8')), words)
  }
})

interface Server {
  /** Sends `initialize` and returns the instructions of the answer. */
  greet(): Promise<string>
  end(): Promise<void>
}

function startServer(t: TestContext, folder: string): Server {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') }
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async greet() {
      child.stdin.write(`${JSON.stringify(HELLO)}\n`)
      const { value } = await lines.next()
      return JSON.parse(value).result.instructions
    },
    async end() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** The kept answers, once a server has written them. */
async function keptFile(folder: string): Promise<string> {
  const kept = join(folder, 'cache', 'satchel', 'prepared')
  for (;;) {
    const [name] = (await readdir(kept).catch(() => [])).filter((one) => one.endsWith('.json'))
    if (name !== undefined) return join(kept, name)
    await sleep(50)
  }
}

test('a configured server keeps its first answers for the next one with the same configuration', async (t) => {
  const folder = await temporaryFolder(t)
  const config = join(folder, 'satchel.yaml')
  await writeFile(config, 'tools: { profile: core }')
  const first = startServer(t, folder)
  const greeting = await first.greet()
  const kept = await keptFile(folder)
  await first.end()
  const greetAgain = async () => {
    const server = startServer(t, folder)
    const instructions = await server.greet()
    await server.end()
    return instructions
  }

  const answers = await readFile(kept, 'utf8')
  assert.ok(answers.includes('satchel keeps work'))
  await writeFile(kept, answers.replaceAll('satchel keeps work', 'satchel kept work'))
  const fromKept = await greetAgain()
  await chmod(kept, 0o622)
  const fromForeign = await greetAgain()
  await chmod(kept, 0o600)
  await writeFile(config, 'tools: { profile: standard }')
  const configuredAnew = await greetAgain()
  await writeFile(config, 'tools: { profile: core }')
  await writeFile(kept, '{ "initialize": ')
  const fromBroken = await greetAgain()

  assert.ok(greeting.startsWith('satchel keeps work'))
  assert.ok(fromKept.startsWith('satchel kept work'))
  assert.equal(fromForeign, greeting)
  assert.ok(configuredAnew.startsWith('satchel keeps work'))
  assert.equal(fromBroken, greeting)
})
