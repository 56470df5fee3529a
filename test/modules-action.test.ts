import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { openCallsTree } from '../plugins/modules/testing/calls-tree.ts'
import { openNpmRegistry } from './fixtures/npm-registry.ts'
import { packedTarball } from './fixtures/packed.ts'
import { temporaryFolder } from './harness/index.ts'
import { npmReach } from './npm-reach.ts'
import { SATCHEL } from './satchel-process.ts'

const ROOT = join(import.meta.dirname, '..')
/** Also runs the step that installs satchel, from the last commit: `npm ci`, a build, `npm install --global`. */
const INSTALLS = process.env['ACTION_INSTALL'] === '1'

interface ActionStep {
  readonly name?: string
  readonly uses?: string
  readonly if?: string
  readonly run?: string
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] }
}

const loadAction = async (): Promise<Action> => parse(await readFile(join(ROOT, 'action.yml'), 'utf8'))

/** Where the action runs. */
interface Runner {
  readonly path: string
  readonly actionPath: string
  /** Of npm, as the machine has it. */
  readonly npm: Readonly<Record<string, string>>
}

interface RanAction {
  /** Of the step that failed, else 0. */
  readonly code: number
  readonly out: string
  readonly err: string
  /** Names of the steps that ran. */
  readonly steps: readonly string[]
}

/** Runs the steps of the action in a folder as a runner does: in order, until one fails. */
async function runAction(
  root: string,
  given: Readonly<Record<string, string>>,
  { path, actionPath, npm }: Runner,
): Promise<RanAction> {
  const { inputs, runs } = await loadAction()
  const inputOf = (name: string): string => given[name] ?? inputs[name]?.default ?? ''
  const filled = (expression: string): string =>
    expression
      .replace(/\$\{\{ *inputs\.([a-z-]+) *\}\}/g, (_, name: string) => inputOf(name))
      .replace(/\$\{\{ *github\.action_path *\}\}/g, actionPath)
  const ran: { out: string; err: string; steps: string[] } = { out: '', err: '', steps: [] }
  for (const step of runs.steps) {
    const [, input = '', wanted] = /^inputs\.([a-z-]+) == '([^']*)'$/.exec(step.if ?? '') ?? []
    if (step.run === undefined || (step.if !== undefined && inputOf(input) !== wanted)) continue
    if (step.name === 'Install satchel' && !INSTALLS && inputOf('package') === '') continue
    ran.steps.push(step.name ?? '')
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]),
    )
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: root,
      env: { ...env, ...npm, PATH: path, HOME: root, npm_config_prefix: join(root, 'npm') },
    })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    ran.out += out
    ran.err += err
    if (code !== 0) return { ...ran, code }
  }
  return { ...ran, code: 0 }
}

/** A PATH on which `satchel` is what the first step installs, or this tree's. */
async function openRunner(t: TestContext, root: string): Promise<Runner> {
  if (INSTALLS) {
    const actionPath = join(await temporaryFolder(t), 'action')
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, actionPath])
    return { path: installedPath(root), actionPath, npm: npmReach() }
  }
  const bin = join(root, 'bin')
  await mkdir(bin)
  const script = `#!/bin/sh\nexec ${SATCHEL.map((word) => `'${word}'`).join(' ')} "$@"\n`
  await writeFile(join(bin, 'satchel'), script)
  await chmod(join(bin, 'satchel'), 0o755)
  return { path: `${bin}:${process.env['PATH']}`, actionPath: ROOT, npm: {} }
}

/** On which `satchel` is only what the action has installed below `root`. */
const installedPath = (root: string): string => `${join(root, 'npm/bin')}:${process.env['PATH']}`

test('the action passes its inputs through the environment', async () => {
  const { inputs, runs } = await loadAction()

  assert.equal(runs.using, 'composite')
  for (const { run, shell, uses } of runs.steps) {
    assert.ok(uses !== undefined || shell === 'bash')
    assert.doesNotMatch(run ?? '', /\$\{\{/, 'an expression in a script is text of the caller that bash runs')
  }
  const named = [...JSON.stringify(runs.steps).matchAll(/inputs\.([a-z-]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(new Set(named), new Set(Object.keys(inputs)))
})

test('the steps of the action ingest and check: it fails where the check does, and writes SARIF', async (t) => {
  const root = await openCallsTree(t)
  const runner = await openRunner(t, root)
  const run = (given: Readonly<Record<string, string>>) => runAction(root, given, runner)
  await rm(join(root, 'output'), { recursive: true })

  const found = await run({ path: 'live', 'sarif-file': 'found.sarif' })
  const exclude = 'main.tf\noutputs.tf\n'
  const fewer = await run({ path: 'live', exclude, 'fail-on': 'error', ingest: 'false' })

  assert.equal(found.code, 3, found.err)
  assert.deepEqual(found.steps.slice(-2), ['Ingest', 'Check'])
  assert.match(found.out, /^::error file=live\/main\.tf,line=5/m)
  assert.equal(JSON.parse(await readFile(join(root, 'found.sarif'), 'utf8')).runs[0].results.length, 4)
  assert.equal(fewer.code, 0, fewer.err)
  assert.ok(!fewer.steps.includes('Ingest'))
  assert.doesNotMatch(fewer.out, /::error/)
})

for (const kind of ['a tarball of the workspace', 'a version on a registry'])
  test(`the action installs ${kind}, without a network beyond this machine, and checks with it`, async (t) => {
    const root = await openCallsTree(t)
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    await copyFile(await packedTarball(), join(root, 'packed.tgz'))
    const npm = {
      npm_config_registry: await openNpmRegistry(t),
      npm_config_userconfig: '/dev/null',
      npm_config_update_notifier: 'false',
    }
    const runner = { path: installedPath(root), actionPath: '/nonexistent', npm }
    const given = kind.startsWith('a tarball') ? './packed.tgz' : `satchel@${version}`

    const ran = await runAction(root, { package: given, path: 'live' }, runner)

    assert.deepEqual(ran.steps, ['Install satchel', 'Ingest', 'Check'], ran.err)
    assert.equal(ran.code, 3, ran.err)
    assert.match(ran.out, /^::error file=live\/main\.tf,line=5/m)
    assert.ok((await realpath(join(root, 'npm/bin/satchel'))).startsWith(await realpath(root)))
    const missing = await runAction(root, { package: './none.tgz', path: 'live' }, runner)
    assert.deepEqual([missing.steps, missing.code === 0], [['Install satchel'], false])
  })
