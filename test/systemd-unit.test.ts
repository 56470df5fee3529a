import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'
import { SATCHEL } from './satchel-process.ts'

const UNIT = readFileSync(join(import.meta.dirname, '../docs/satchel.service'), 'utf8')
/** Ten times the exposure that systemd rates a unit with; docs/operating.md promises it. */
const THRESHOLD = 20
const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0
const SKIP = !hasAnalyzer && 'systemd-analyze is not installed'

/** Runs systemd-analyze on a unit whose program is one that exists. */
async function analyze(t: TestContext, unit: string) {
  const file = join(await temporaryFolder(t), 'satchel.service')
  writeFileSync(file, unit.replace('/usr/bin/satchel', process.execPath))
  const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  const words = ['security', '--offline=true', `--threshold=${THRESHOLD}`, '--no-pager', file]
  return {
    verify: { status: verified.status, said: verified.stdout + verified.stderr },
    security: spawnSync('systemd-analyze', words, { encoding: 'utf8' }).status,
  }
}

test('systemd takes the unit without a word, and rates its exposure 2.0 or better', {
  skip: SKIP,
}, async (t) => {
  const whole = await analyze(t, UNIT)
  const misspelt = await analyze(t, UNIT.replace('NoNewPrivileges', 'NoNewPriviliges'))
  const open = await analyze(t, UNIT.replace(/^(Protect|Private|CapabilityBoundingSet).*$/gm, ''))

  assert.deepEqual(whole, { verify: { status: 0, said: '' }, security: 0 })
  assert.match(misspelt.verify.said, /NoNewPriviliges/)
  assert.notEqual(open.security, 0)
})

test('the command line and the environment of the unit start a server that stops in order', async (t) => {
  const folder = await temporaryFolder(t)
  const place = (line: string): string =>
    line
      .replaceAll('/etc/satchel', join(folder, 'etc'))
      .replaceAll(/\/(var\/lib|var\/cache|run)\/satchel/g, (_, name: string) => join(folder, name))
  for (const name of ['etc', 'var/lib', 'var/cache', 'run'])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'etc/satchel.yaml'), 'http: { metrics: true }\n')
  const [command = ''] = valuesOf('ExecStart').map(place)
  const args = command.replace('--port 8000', '--port 0').split(' ').slice(1)
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...args, '--json'], {
    cwd: place(valuesOf('WorkingDirectory')[0] ?? ''),
    env: Object.fromEntries([
      ['PATH', String(process.env['PATH'])],
      ['SATCHEL_TOKEN', 'token-of-the-environment-file'],
      ...valuesOf('Environment').map((pair) => place(pair).split('=')),
    ]),
  })
  const err = text(child.stderr)
  const ended = once(child, 'close')

  const opened = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
  const socket = join(folder, 'run/satchel.sock')
  const status = await statusOf(socket, '/metrics')
  const { mode } = statSync(socket)
  child.kill('SIGTERM')
  const [code] = await ended

  assert.match(opened, /"listeners"/)
  assert.deepEqual([status, mode & 0o777, code], [200, 0o600, 0])
  assert.ok(!(await err).includes('token for remote callers'))
})

function valuesOf(key: string): string[] {
  return [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

async function statusOf(socketPath: string, path: string): Promise<number | undefined> {
  const asked = request({ socketPath, path, headers: { host: 'localhost' } }).end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}
