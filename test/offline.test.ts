import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type EndedProcess, endedProcess } from './harness/ended-process.ts'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const BLOCK = join(ROOT, 'test/fixtures/loopback-only.mjs')

interface Ended extends EndedProcess {
  /** Foreign addresses and names that this process or one below it asked for. */
  readonly attempts: readonly string[]
}

/** Runs Node with every foreign address blocked, here and in each process below. */
async function runBlocked(t: TestContext, args: readonly string[]): Promise<Ended> {
  const noted = join(await temporaryFolder(t), 'attempts')
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ['--import', BLOCK, ...args], {
    cwd: ROOT,
    env: { ...env, FOREIGN_ATTEMPTS: noted },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = await endedProcess(child)
  const attempts = existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []
  return { ...ended, attempts }
}

test('what README tells a newcomer to run works with every foreign address blocked', async (t) => {
  const [, script = ''] =
    /^npm ci && npm run (\w+)$/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [build, command = ''] = scripts[script].split(' && ')
  assert.equal(build, 'npm run -s build', 'the tests run on a fresh build')

  const { code, out, err, attempts } = await runBlocked(t, command.split(' ').slice(1))

  assert.deepEqual([code, err], [0, ''])
  assert.ok((out.match(/^ +ok: /gm) ?? []).length >= 10, out)
  assert.deepEqual(attempts, [])
})

test('the block bites: a foreign address and a foreign name are refused, loopback is not', async (t) => {
  const asking = `
    import { spawn } from 'node:child_process'
    import { createServer } from 'node:http'
    const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1', async () => {
      const addresses = ['http://127.0.0.1:' + server.address().port, 'http://192.0.2.1', 'http://satchel.example']
      for (const address of addresses) {
        console.log(await fetch(address).then((got) => got.text(), (failed) => failed.cause.code))
      }
      const below = "fetch('http://192.0.2.2').catch((failed) => console.log(failed.cause.code))"
      spawn(process.execPath, ['-e', below], { env: {}, stdio: 'inherit' }).on('close', () => server.close())
    })`

  const { out, attempts } = await runBlocked(t, ['--input-type=module', '-e', asking])

  assert.deepEqual(out.trim().split('\n'), ['here', 'ENETUNREACH', 'ENETUNREACH', 'ENETUNREACH'])
  assert.deepEqual(attempts, ['192.0.2.1', 'satchel.example', '192.0.2.2'])
})
