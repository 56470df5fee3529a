import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { openCallsTree } from '../plugins/modules/testing/calls-tree.ts'
import { endedProcess } from './harness/ended-process.ts'
import { SATCHEL } from './satchel-process.ts'

const HOOKS = join(import.meta.dirname, '..', '.pre-commit-hooks.yaml')
/** `1`: pre-commit itself clones the definition and runs it; otherwise its command is run as pre-commit runs one. */
const IS_REAL = process.env['SATCHEL_PRE_COMMIT'] === '1'

interface Ran {
  readonly code: number | null
  readonly out: string
}

async function run(root: string, [command = '', ...args]: readonly string[]): Promise<Ran> {
  const env = { HOME: root, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, LC_ALL: 'C.UTF-8' }
  const child = spawn(command, args, { cwd: root, env })
  const { code, out, err } = await endedProcess(child)
  return { code, out: out + err }
}

async function runInOrder(root: string, commands: readonly (readonly string[])[]): Promise<void> {
  for (const command of commands) {
    const { code, out } = await run(root, command)
    assert.equal(code, 0, `${command.join(' ')}: ${out}`)
  }
}

test('the hook of pre-commit runs the check over the repository for every kind of module file', async () => {
  const [hook] = parse(await readFile(HOOKS, 'utf8'))
  const files = new RegExp(hook.files)

  assert.equal(`${hook.entry} ${hook.args.join(' ')}`, 'satchel modules check . --fail-on warning')
  assert.equal(hook.pass_filenames, false)
  for (const name of ['a/main.tf', 'b.tofu', 'c.tf.json', 'd.tofu.json']) assert.match(name, files)
  assert.doesNotMatch('main.tfvars', files)
})

test('a commit with a call that does not fit is stopped by the hook, and one without is not', async (t) => {
  const root = await openCallsTree(t)
  const definition = await readFile(HOOKS, 'utf8')
  const repo = await buildRemote(join(root, 'hooks.git'), [
    { files: { '.pre-commit-hooks.yaml': definition }, tags: ['v1.0.0'] },
  ])
  const [{ id, entry, args }] = parse(definition)
  await mkdir(join(root, 'bin'))
  await writeFile(
    join(root, 'bin/satchel'),
    `#!/bin/sh\nexec ${SATCHEL.map((word) => `'${word}'`).join(' ')} "$@"\n`,
  )
  await chmod(join(root, 'bin/satchel'), 0o755)
  const uses = { repos: [{ repo, rev: 'v1.0.0', hooks: [{ id }] }] }
  await writeFile(join(root, '.pre-commit-config.yaml'), JSON.stringify(uses))
  await runInOrder(root, [
    ['git', 'init', '--quiet'],
    ['git', 'add', 'live', '.pre-commit-config.yaml'],
  ])
  const hook = IS_REAL ? ['pre-commit', 'run', '--all-files', '--verbose'] : [...entry.split(' '), ...args]

  const stopped = await run(root, hook)
  await rm(join(root, 'live'), { recursive: true })
  await mkdir(join(root, 'live'))
  await writeFile(join(root, 'live/main.tf'), 'module "x" {\n  source = "acme/x/aws"\n}\n')
  await runInOrder(root, [['git', 'add', '--all', 'live']])
  const passed = await run(root, hook)

  assert.notEqual(stopped.code, 0)
  assert.match(stopped.out, /live\/main\.tf:5:.*zonez/)
  if (IS_REAL) assert.match(stopped.out, /exit code: 3/)
  assert.equal(passed.code, 0, passed.out)
})
