import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { initialize, modern } from '../server/mcp/testing/messages.ts'
import { installPacked } from './fixtures/packed.ts'
import { temporaryFolder } from './harness/index.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const LIMIT_MS = 300_000 // a bound for a hung command, not for a slow machine

const node = async (args: readonly string[], cwd: string): Promise<string> =>
  (await run(process.execPath, [...args], { cwd, timeout: LIMIT_MS })).stdout

test('the minimal plugin answers at the command line', async () => {
  assert.equal(await node(['run.js'], join(ROOT, 'examples/minimal-plugin')), 'minimal-plugin: ok\n')
})

test('a plugin provides evidence that a later session checks', async () => {
  assert.equal(await node(['run.js'], join(ROOT, 'examples/evidence-plugin')), 'evidence-plugin: ok\n')
})

test('the stdio client creates a record, reads it back and has it checked', async () => {
  assert.match(await node(['client.js'], join(ROOT, 'examples/stdio-client')), /^stdio-client: ok, \d+ tools/)
})

test('two clients work on one file: the agent proposes, the owner commits', async () => {
  assert.equal(await node(['client.js'], join(ROOT, 'examples/room-client')), 'room-client: ok, version 2\n')
})

test('the HTTP client talks REST with and without the typed client', async () => {
  assert.match(await node(['client.js'], join(ROOT, 'examples/http-client')), /^http-client: ok/)
})

test('a plugin of a third party compiles against the packed tarball, with types, and answers at every door', async (t) => {
  const folder = await installPacked(t)
  const plugin = join(folder, 'satchel-units')
  await cp(join(ROOT, 'examples/third-party-plugin'), plugin, { recursive: true })
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')

  await node([tsc, '-p', plugin], plugin)
  assert.equal(await node(['check.js'], plugin), 'third-party-plugin: ok\n')

  const wrong = join(plugin, 'src', 'tools', 'convert-units.ts')
  const source = await readFile(wrong, 'utf8')
  await writeFile(wrong, source.replace('annotations: { readOnly: true, ', 'annotations: { '))
  await assert.rejects(node([tsc, '-p', plugin, '--noEmit'], plugin), ({ stdout }) => /readOnly/.test(stdout))
})

test('in a folder with nothing but the tarball, a new plugin passes its test', async (t) => {
  const folder = await installPacked(t)
  const bin = join(folder, 'node_modules', 'satchel', 'dist', 'satchel.js')

  await node([bin, 'plugin', 'new', 'satchel-word-count'], folder)
  const plugin = join(folder, 'satchel-word-count')
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // else the inner runner reports to this one and prints nothing
  const tested = await run('npm', ['test', '--offline'], { cwd: plugin, env, timeout: LIMIT_MS })
  const checked = await node([bin, 'plugin', 'check', '--json'], plugin)

  assert.match(tested.stdout, /^(?:#|ℹ) pass 3$/m) // Node 24 prints the other report
  assert.match(tested.stdout, /^(?:#|ℹ) fail 0$/m)
  assert.deepEqual(JSON.parse(checked).findings, [])
})

test('from the tarball both commands start, for new clients and old ones', async (t) => {
  const folder = await installPacked(t)
  const dist = join(folder, 'node_modules', 'satchel', 'dist')
  const empty = await temporaryFolder(t)
  const ask = async (command: readonly string[], message: object) => {
    const asked = run(process.execPath, [...command], { cwd: empty, timeout: LIMIT_MS })
    asked.child.stdin?.end(`${JSON.stringify(message)}\n`)
    return JSON.parse((await asked).stdout).result
  }

  const help = await node([join(dist, 'satchel.js'), '--help'], empty)
  const young = await ask([join(dist, 'satchel.js'), 'mcp'], modern(1, 'server/discover'))
  const old = await ask([join(dist, 'satchel-mcp.js')], initialize('2024-11-05', 1))

  assert.match(help, /^Usage: satchel/)
  assert.deepEqual(young.supportedVersions, ['2026-07-28'])
  assert.equal(old.protocolVersion, '2024-11-05')
  assert.deepEqual(await readdir(empty), [], 'nothing was written')
})

test('the plugin guide shows the minimal plugin as it is, and names only verbs and flags that exist', async () => {
  const guide = await readFile(join(ROOT, 'docs/plugin-guide.md'), 'utf8')
  const plugin = await readFile(join(ROOT, 'examples/minimal-plugin/plugin.js'), 'utf8')
  const verbs = [...guide.matchAll(/^satchel (plugin \w+)/gm)].map(([, verb = '']) => verb)

  assert.ok(guide.includes(`\`\`\`js\n${plugin}\`\`\``))
  assert.deepEqual(verbs, ['plugin new', 'plugin check', 'plugin pack'])
  for (const verb of [...verbs, 'tools']) {
    const help = await node([join(ROOT, 'dist/satchel.js'), ...verb.split(' '), '--help'], ROOT)
    assert.match(help, new RegExp(`^Usage: satchel ${verb} `))
    for (const flag of ['--json', '--quiet', '--config', '--project']) assert.ok(help.includes(flag))
  }
})
