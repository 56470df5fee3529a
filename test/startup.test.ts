import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { initialize, modern } from '../server/mcp/testing/messages.ts'
import { endedProcess } from './harness/ended-process.ts'
import { temporaryFolder } from './harness/index.ts'

/** The built command, as a user starts it. */
const ROOT = join(import.meta.dirname, '..')
const SATCHEL = join(ROOT, 'dist', 'satchel.js')

/** Notes every module that is loaded and every file of code that is read, so that a test sees costs without measuring time. */
const HOOKS = `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, decodeURI(new URL(url).pathname) + '\\n')
  return next(url, context)
}`
const NOTED = `import fs from 'node:fs'
import { register, syncBuiltinESMExports } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOKS)}))
const read = fs.readFileSync
fs.readFileSync = (path, ...rest) => {
  if (/[.]c?js$/.test(path)) fs.appendFileSync(process.env.LOADED_FILES, path + '\\n')
  return read(path, ...rest)
}
syncBuiltinESMExports()`
const NOTING = ['--import', `data:text/javascript,${encodeURIComponent(NOTED)}`]

function start(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } })
  child.stdin.on('error', () => {})
  return { child, ended: endedProcess(child) }
}

/** Source files and packages whose code a run of satchel loaded; `config` is the satchel.yaml it finds. */
async function codeLoaded(
  t: TestContext,
  argv: readonly string[],
  { input = '', config }: { readonly input?: string; readonly config?: string } = {},
): Promise<{ readonly packages: Set<string>; readonly sources: readonly string[] }> {
  const folder = await temporaryFolder(t)
  if (config !== undefined) await writeFile(join(folder, 'satchel.yaml'), config)
  const list = join(folder, 'loaded')
  await writeFile(join(folder, 'record.json'), '{}')
  const { child, ended } = start([...NOTING, SATCHEL, ...argv], folder, { LOADED_FILES: list })
  child.stdin.end(input)
  await ended
  const files = (await readFile(list, 'utf8')).split('\n').filter((path) => path !== '')
  const { outputs } = JSON.parse(await readFile(join(ROOT, 'dist', 'metafile-esm.json'), 'utf8')) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
  }
  const inputs = files.flatMap((file) =>
    Object.entries(outputs[relative(ROOT, file)]?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    ),
  )
  assert.ok(
    inputs.some((path) => path.endsWith('server/run.ts')),
    'the bundle was loaded',
  )
  return { packages: new Set([...inputs, ...files].flatMap(packageOf)), sources: inputs }
}

function packageOf(path: string): string[] {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  return name === undefined ? [] : [name]
}

function isLoaded(sources: readonly string[], folder: string): boolean {
  return sources.some((path) => path.startsWith(`${folder}/`))
}

const HEAVY = [
  '@opentelemetry/api',
  'vectra',
  'sql.js',
  'chromadb',
  '@cdktf/hcl2json',
  '@huggingface/transformers',
]

test('--help and --version load no package at all', async (t) => {
  assert.deepEqual((await codeLoaded(t, ['--help'])).packages, new Set())
  assert.deepEqual((await codeLoaded(t, ['--version'])).packages, new Set())
})

test('a light verb loads its own plugin only: no MCP, no HTTP, nothing heavy', async (t) => {
  const { packages: loaded, sources } = await codeLoaded(t, ['handoff', 'validate', 'record.json'])

  assert.ok(loaded.has('zod') && loaded.has('commander'))
  assert.ok(isLoaded(sources, 'plugins/handoff'))
  assert.equal(isLoaded(sources, 'plugins/modules') || isLoaded(sources, 'plugins/workspace'), false)
  for (const name of [...HEAVY, '@modelcontextprotocol/server', 'hono', 'minisearch', 'yaml']) {
    assert.equal(loaded.has(name), false, name)
  }
})

test('a hook loads none of the tools of its plugin', async (t) => {
  const input = '{"session_id":"one","cwd":"/"}'

  const { sources } = await codeLoaded(t, ['handoff', 'hook', 'stop'], { input })
  const help = await codeLoaded(t, ['handoff', '--help'])

  assert.ok(sources.includes('plugins/handoff/hooks.ts'))
  assert.equal(isLoaded(sources, 'plugins/handoff/tools'), false)
  assert.ok(isLoaded(help.sources, 'plugins/handoff/tools'), 'the check bites')
})

test('serving MCP over stdio loads no HTTP, no parser, nothing heavy, and the room only where one is configured', async (t) => {
  const lists = [modern(1, 'tools/list'), modern(2, 'resources/list')]
  const input = lists.map((list) => `${JSON.stringify(list)}\n`).join('')

  const plain = await codeLoaded(t, ['mcp'], { input })
  const withRoom = await codeLoaded(t, ['mcp'], { input, config: 'workspace: { file: idea.md }' })

  assert.ok(plain.packages.has('@modelcontextprotocol/server'))
  for (const name of [...HEAVY, 'hono', '@hono/node-server', 'yaml', 'commander']) {
    assert.equal(plain.packages.has(name), false, name)
  }
  assert.ok(isLoaded(plain.sources, 'plugins/handoff') && isLoaded(plain.sources, 'plugins/modules'))
  assert.deepEqual(
    [plain, withRoom].map(({ sources }) => isLoaded(sources, 'plugins/workspace')),
    [false, true],
  )
})

test('a client is greeted without a package or a plugin', async (t) => {
  const folder = await temporaryFolder(t)
  const list = join(folder, 'loaded')
  const { child, ended } = start([...NOTING, SATCHEL, 'mcp'], folder, { LOADED_FILES: list })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()

  // It ends with its input: a second later it would load the host.
  child.stdin.end(`${JSON.stringify(initialize())}\n`)
  const { value: hello } = await lines.next()
  const { code } = await ended

  assert.equal(JSON.parse(hello).result.serverInfo.name, 'satchel')
  assert.equal(code, 0)
  const files = (await readFile(list, 'utf8')).split('\n').filter((path) => path !== '')
  const bytes = await Promise.all(files.map(async (path) => (await readFile(path)).length))
  const total = bytes.reduce((sum, size) => sum + size, 0)
  assert.ok(total < 64 * 1024, `${total} bytes of code: ${files.join(' ')}`)
})

/** Preloaded: notes the modules of Node.js itself that the process has loaded. */
const NOTED_AT_EXIT = `import { appendFileSync } from 'node:fs'
process.on('exit', () => appendFileSync(process.env.LOADED_MODULES, process.moduleLoadList.join('\\n')))`

test('neither a verb nor the greeting of a client loads the HTTP of Node.js', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'record.json'), '{}')
  const loadsHttp = async (...args: string[]): Promise<boolean> => {
    const list = join(folder, 'loaded')
    await writeFile(list, '')
    const noting = ['--import', `data:text/javascript,${encodeURIComponent(NOTED_AT_EXIT)}`]
    const { child, ended } = start([...noting, ...args], folder, { LOADED_MODULES: list })
    child.stdin.end(`${JSON.stringify(initialize())}\n`)
    await ended
    const modules = (await readFile(list, 'utf8')).split('\n')
    assert.ok(modules.includes('NativeModule fs'))
    return modules.includes('NativeModule _http_server')
  }

  assert.equal(await loadsHttp(SATCHEL, '--version'), false)
  assert.equal(await loadsHttp(SATCHEL, 'handoff', 'validate', 'record.json'), false)
  assert.equal(await loadsHttp(SATCHEL, 'mcp'), false)
  assert.equal(await loadsHttp('--import', 'node:http', SATCHEL, '--version'), true, 'the check bites')
})

/** A plugin whose one tool answers two million characters. */
const BIG = `import { definePlugin, defineTool } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/server/plugin.js')).href)}
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
const big = defineTool({
  name: 'big', title: 'Big', description: 'Answers a lot.', profile: 'core', input: z.object({}), output: z.object({ text: z.string() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false }, cli: { verb: 'big' }, example: {},
  handler: async () => ({ text: 'x'.repeat(2_000_000) }), headline: () => 'big',
})
export default definePlugin({ name: 'big', version: '1.0.0', apiVersion: 1, config: z.object({}), setup: async () => ({ tools: [big] }) })
`

async function folderWithBigPlugin(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'big.js'), BIG)
  await writeFile(join(folder, 'satchel.yaml'), 'plugins: { ./big.js: {} }')
  return folder
}

test('a result larger than a pipe holds arrives whole at a reader that is slow', async (t) => {
  const { child, ended } = start([SATCHEL, 'big', '--json'], await folderWithBigPlugin(t))

  child.stdout.pause()
  setTimeout(() => child.stdout.resume(), 40)
  const { code, out } = await ended

  assert.equal(code, 0)
  assert.equal(JSON.parse(out).text.length, 2_000_000)
})

test('a reader that stops in the middle is not an error', async (t) => {
  const { child, ended } = start([SATCHEL, 'big', '--json'], await folderWithBigPlugin(t))

  await once(child.stdout, 'data')
  child.stdout.destroy()
  const { code, err } = await ended

  assert.deepEqual([code, err], [0, ''])
})

test('a closed reader is not an error', async (t) => {
  const folder = await temporaryFolder(t)

  const { child, ended } = start([SATCHEL, 'completion', 'fish'], folder)
  child.stdout.destroy()
  const { code, err } = await ended

  assert.deepEqual([code, err], [0, ''])
})

test('a server ends with 0 for SIGTERM and SIGHUP, with 130 for SIGINT, and leaves nothing behind', async (t) => {
  for (const [signal, code] of [
    ['SIGTERM', 0],
    ['SIGHUP', 0],
    ['SIGINT', 130],
  ] as const) {
    const folder = await temporaryFolder(t)
    const { child, ended } = start([SATCHEL, 'serve', '--host', '127.0.0.1', '--port', '0', '--json'], folder)

    await once(createInterface(child.stdout), 'line')
    child.kill(signal)

    assert.equal((await ended).code, code, signal)
    assert.deepEqual(await readdir(folder), [], signal)
  }
})

test('MCP over stdio ends with 130 when it is interrupted', async (t) => {
  const { child, ended } = start([SATCHEL, 'mcp'], await temporaryFolder(t))

  child.stdin.write(`${JSON.stringify(initialize())}\n`)
  await once(child.stdout, 'data')
  child.kill('SIGINT')

  assert.equal((await ended).code, 130)
})

test('wrong usage and a broken configuration have their exit codes as a process too', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'broken.yaml'), 'a: [')

  const usage = await start([SATCHEL, 'mcp', '--prot', '1'], folder).ended
  const broken = await start([SATCHEL, 'config', 'show', '-c', 'broken.yaml'], folder).ended
  const missing = await start([SATCHEL, 'config', 'show', '-c', 'none.yaml', '--json'], folder).ended

  assert.deepEqual([usage.code, broken.code, missing.code], [2, 3, 4])
  assert.match(usage.err, /^satchel: unknown option '--prot'.*\n$/)
  assert.equal(JSON.parse(missing.out).error.code, 'not_found')
})
