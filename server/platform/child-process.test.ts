import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { type ChildCall, runChild } from './child-process.ts'
import { cleanGitEnvironment, runGit } from './git.ts'

const node = (script: string, call: Partial<ChildCall> = {}) =>
  runChild(process.execPath, ['-e', script], { cwd: tmpdir(), ...call })

test('a child gives its code and both outputs, and its stdin is empty', async () => {
  const script = `process.stdin.resume().on('end', () => { console.log('out'); console.error('err'); process.exitCode = 3 })`

  assert.deepEqual(await node(script), { kind: 'exited', code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('a child beyond a limit is killed, and each limit has its own reason', async () => {
  const forever = 'setInterval(() => {}, 1000)'
  const abort = new AbortController()
  const aborted = node(forever, { signal: abort.signal })
  abort.abort()

  assert.deepEqual(await aborted, { kind: 'stopped', reason: 'aborted' })
  assert.deepEqual(await node(forever, { signal: abort.signal }), { kind: 'stopped', reason: 'aborted' })
  assert.deepEqual(await node(forever, { limitMs: 100 }), { kind: 'stopped', reason: 'timeout' })
  assert.deepEqual(await node(forever, { silenceMs: 100 }), { kind: 'stopped', reason: 'timeout' })
  assert.deepEqual(
    await node("setInterval(() => process.stdout.write('x'.repeat(1000)), 1)", { maxBytes: 5000 }),
    {
      kind: 'stopped',
      reason: 'too_much_output',
    },
  )
  assert.deepEqual(await runChild('satchel-has-no-such-program', [], { cwd: tmpdir() }), {
    kind: 'stopped',
    reason: 'missing',
  })
})

test('a stopped child takes with it what it started, also where that holds its pipes open', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (t) => {
  const pidFile = join(await temporaryFolder(t), 'pid')
  const script = `
    const { spawn } = require('node:child_process')
    const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })
    helper.once('spawn', () => {
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(helper.pid))
      process.stdout.write('more')
      setInterval(() => {}, 1000)
    })`
  const env = { PATH: process.env['PATH'] }

  const ended = await node(script, { env, maxBytes: 1, endsDescendants: true })

  assert.deepEqual(ended, { kind: 'stopped', reason: 'too_much_output' })
  const environment = `/proc/${await readFile(pidFile, 'utf8')}/environ`
  // The signal is sent; the end itself takes its time. Empty for a process that has ended and was not reaped yet.
  while ((await readFile(environment, 'utf8').catch(() => '')) !== '') await setTimeout(20)
})

test('git runs no program that a repository or its environment names, and never prompts', async (t) => {
  const path = await temporaryFolder(t)
  const canary = join(path, 'canary')
  const program = join(path, 'program')
  await writeFile(program, `#!/bin/sh\ntouch ${canary}\n`)
  await chmod(program, 0o755)
  const plain = cleanGitEnvironment({ PATH: process.env['PATH'], HOME: path })
  const git = (...args: string[]) => runGit(args, { cwd: path, env: plain })
  await git('init', '-q')
  await mkdir(join(path, '.git', 'hooks'), { recursive: true })
  for (const hook of ['pre-commit', 'post-commit', 'post-index-change']) {
    await writeFile(join(path, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 })
  }
  await git('config', 'core.fsmonitor', program)
  const hostile = { GIT_EXTERNAL_DIFF: program, GIT_EDITOR: program, EDITOR: program, GIT_DIR: '/elsewhere' }
  const env = cleanGitEnvironment({ ...plain, ...hostile })

  const status = await runGit(['status', '--porcelain'], { cwd: path, env })
  const commit = await runGit(
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'm'],
    { cwd: path, env },
  )

  assert.deepEqual([status.kind, commit.kind], ['done', 'done'])
  assert.deepEqual(Object.keys(env).sort(), ['GIT_TERMINAL_PROMPT', 'HOME', 'LC_ALL', 'PATH'])
  const seen = await runChild('ls', [canary], { cwd: path })
  assert.ok(seen.kind === 'exited' && seen.code !== 0, 'the canary was made')
  // The twin: without the cleaned environment and configuration, the same repository acts.
  spawnSync('git', ['status'], { cwd: path, env: { ...plain } })
  assert.equal(spawnSync('ls', [canary]).status, 0)
})
