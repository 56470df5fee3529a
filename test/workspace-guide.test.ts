import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './harness/index.ts'
import { BUILT } from './workspace-process.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/workspace.md'), 'utf8')
/** The word that the guide types, as the program that is shipped. */
const AS_FUNCTION = `satchel() { ${[process.execPath, ...BUILT].map((word) => `'${word}'`).join(' ')} "$@"; }`
const run = promisify(execFile)

/** The command lines that the guide says are typed here. */
function typedLines(): string[] {
  return [...GUIDE.matchAll(/<!-- a test types these lines -->\n```sh\n(.*?)```/gs)].flatMap(
    ([, block = '']) => block.trim().split('\n'),
  )
}

test('what the guide to rooms tells to type works, line by line', async (t) => {
  const cwd = await temporaryFolder(t)
  const env = { HOME: cwd, PATH: String(process.env['PATH']) }
  const opening = /^satchel workspace open .*$/m.exec(GUIDE)?.[0] ?? ''
  const ports = '--owner-port 0 --ingress-port 0' // those of the guide may be taken here
  const shell = spawn('sh', ['-c', `${AS_FUNCTION.replace('{ ', '{ exec ')}; ${opening} ${ports}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(shell, 'exit')
  t.after(() => shell.kill('SIGKILL')) // where an assertion failed
  for await (const line of createInterface(shell.stdout)) if (line.startsWith('ingress')) break
  const said: Record<string, string> = {}

  for (const line of typedLines()) {
    const { stdout } = await run('sh', ['-c', `${AS_FUNCTION}; ${line}`], { cwd, env })
    said[line.split(' ').slice(2, 4).join(' ')] = stdout
  }

  shell.kill('SIGTERM')
  const [code] = await ended

  assert.equal(code, 0)
  assert.match(said['status --room'] ?? '', /version 1/)
  assert.match(said['call proposals'] ?? '', /Say what we want/)
  assert.match(said['events --room'] ?? '', /proposal\.created/)
  assert.match(said['invite --room'] ?? '', /satchel:\/\/join\//)
  assert.match(await readFile(join(cwd, 'story/document.md'), 'utf8'), /^# plan/)
})
