import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'
import { ordinaryUserOf } from './ordinary-user.ts'

const SETTINGS = '{\n  // of another user\n  "theme": "x",\n}\n'

test('a configuration file of another user is left alone, and stops no other client', async (t) => {
  if (process.getuid?.() !== 0) {
    t.skip('NOT RUN: only root can make a file of another user')
    return
  }
  const home = await temporaryFolder(t)
  const settings = join(home, '.gemini/settings.json')
  mkdirSync(join(home, '.gemini'))
  writeFileSync(settings, SETTINGS)
  const { program, options, env } = await ordinaryUserOf(t, home)
  chownSync(settings, 0, 0)
  const [node, satchel] = program
  const setup = (...argv: readonly string[]) =>
    spawnSync(node, [satchel, 'setup', ...argv, '--yes', '--json'], {
      ...options,
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
      encoding: 'utf8',
    })

  const alone = setup('gemini-cli')
  const both = setup('gemini-cli', 'qwen-code')

  assert.equal(JSON.parse(alone.stdout).error.reason, 'config_not_yours', alone.stderr)
  assert.equal(alone.status, 6)
  assert.deepEqual(
    JSON.parse(both.stdout).clients.map((client: { error?: { reason: string } }) => client.error?.reason),
    ['config_not_yours', undefined],
  )
  assert.equal(readFileSync(settings, 'utf8'), SETTINGS)
  assert.match(readFileSync(join(home, '.qwen/settings.json'), 'utf8'), /satchel/)
})
