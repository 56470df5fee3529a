import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from './harness/index.ts'

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'satchel.js')
/** Node 22.1 and later keep code by themselves: that they do it well is theirs to test. */
const OLDER = { skip: 'enableCompileCache' in nodeModule }
/** Loads the host and every plugin. */
const LIST = ['tools', '--json']
/** Notes of each file whether V8 took the code that was kept. */
const NOTING = `const vm = require('node:vm'); const { appendFileSync } = require('node:fs')
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options)
    if (/[.]cjs$/.test(options.filename)) appendFileSync(process.env.NOTES, this.cachedDataRejected === false ? '+' : '-')
  }
}`

/** Runs a verb with a cache folder of its own and returns what it printed. */
async function printedBy(
  home: string,
  env: Readonly<Record<string, string>> = {},
  words: readonly string[] = ['--version'],
): Promise<string> {
  const own = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache'), ...env }
  const run = promisify(execFile)
  const { stdout, stderr } = await run(process.execPath, [PROGRAM, ...words], { cwd: home, env: own })
  assert.equal(stderr, '')
  return stdout
}

function compiled(home: string): string {
  return join(home, 'cache', 'satchel', 'compiled')
}

async function kept(home: string): Promise<readonly string[]> {
  return readdir(compiled(home)).catch(() => [])
}

async function homeWithFolder(t: TestContext, mode: number): Promise<string> {
  const home = await temporaryFolder(t)
  await mkdir(compiled(home), { recursive: true })
  await chmod(compiled(home), mode)
  return home
}

/** A verb that sets plugins up; says of each file that was compiled after the cache was found whether it was kept. */
async function listed(home: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const [preload, notes] = [join(home, 'noting.cjs'), join(home, 'notes')]
  await writeFile(preload, NOTING)
  await writeFile(notes, '')
  const noted = { NODE_OPTIONS: `--require ${preload}`, NOTES: notes, ...env }
  assert.notEqual(await printedBy(home, noted, LIST), '')
  return readFile(notes, 'utf8')
}

/** The files of the only cache that is there. */
async function codeFiles(home: string): Promise<readonly string[]> {
  const [folder = '', ...others] = await kept(home)
  assert.deepEqual(others, [])
  const names = await readdir(join(compiled(home), folder))
  return names.map((name) => join(compiled(home), folder, name))
}

test('compiled code is kept in a folder of this user', async (t) => {
  const home = await temporaryFolder(t)
  const first = await printedBy(home)

  const [folder] = await kept(home)
  assert.notEqual(folder, undefined)
  assert.equal(await printedBy(home), first)
  assert.equal((await stat(compiled(home))).mode & 0o077, 0)
})

test('no code is kept where others may write, or where it is turned off', async (t) => {
  const shared = await homeWithFolder(t, 0o777)
  const off = await temporaryFolder(t)

  await printedBy(shared)
  await printedBy(off, { NODE_DISABLE_COMPILE_CACHE: '1' })

  assert.deepEqual([await kept(shared), await kept(off)], [[], []])
})

test('a cache that cannot be written changes nothing', async (t) => {
  const home = await temporaryFolder(t)

  assert.equal(await printedBy(home, { XDG_CACHE_HOME: '/dev/null/none' }), await printedBy(home))
})

test('a second start compiles nothing that was kept', OLDER, async (t) => {
  const home = await temporaryFolder(t)

  const first = await listed(home)
  const second = await listed(home)

  assert.match(first, /^-+$/)
  assert.equal(second.length, first.length)
  assert.match(second, /^-{1,4}\+{4,}$/, 'the files that find the cache, then the rest')
})

test('a start that needs more keeps more of what others need, too', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  await printedBy(home)
  const [path = ''] = (await codeFiles(home)).filter((file) => file.includes('/program-'))
  const { size } = await stat(path)

  await listed(home)

  assert.ok((await stat(path)).size > size)
})

/** Of each file that is kept, by its name. */
async function keptBytes(home: string): Promise<ReadonlyMap<string, number>> {
  const files = (await codeFiles(home)).filter((path) => /[.]cjs[.]code$/.test(path))
  return new Map(await Promise.all(files.map(async (path) => [path, (await stat(path)).size] as const)))
}

/** Lists handoffs of a store that was empty, and of one with a record, which takes more functions of the same files. */
async function listsOfFewAndMore(home: string): Promise<void> {
  await printedBy(home, {}, HANDOFFS)
  const record = ['--title', 'A title', '--objective', 'An objective', '--current-state', 'Begun', '--json']
  await printedBy(home, { NODE_DISABLE_COMPILE_CACHE: '1' }, ['handoff', 'create', ...record])
}

const HANDOFFS = ['handoff', 'list', '--json']
const sum = (bytes: ReadonlyMap<string, number>): number => [...bytes.values()].reduce((a, b) => a + b, 0)

test('a start that loads the same files keeps the functions that it had to compile', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  await listsOfFewAndMore(home)
  const before = await keptBytes(home)

  await printedBy(home, {}, HANDOFFS)

  const after = await keptBytes(home)
  assert.deepEqual([...after.keys()], [...before.keys()])
  assert.ok(sum(after) > sum(before) + 16_384, `${sum(before)} and ${sum(after)} bytes`)
})

test('a command looks a few times for functions that are not kept, then no more', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  const looks = async () => {
    const path = (await codeFiles(home)).find((file) => file.endsWith('/commands.code'))
    return path === undefined ? 0 : (await stat(path)).ino
  }
  const seen: number[] = []
  for (let run = 0; run < 7; run++) {
    await printedBy(home)
    seen.push(await looks())
  }

  assert.equal(seen[0], 0, 'all is new to the first run')
  assert.notEqual(seen[1], 0)
  assert.equal(seen[6], seen[4], 'written for the last time')
})

test('what a person looks for is not noted', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  for (let run = 0; run < 2; run++) await printedBy(home, {}, ['find', 'zanzibar', '--json'])
  const files = await codeFiles(home)
  const noted = await Promise.all(files.map((path) => readFile(path, 'latin1')))

  assert.ok(files.some((file) => file.endsWith('/commands.code')))
  assert.deepEqual(
    files.filter((_, at) => noted[at]?.includes('zanzibar')),
    [],
  )
})

test('where it cannot be noted that a command looked, it does not look', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  await listsOfFewAndMore(home)
  const before = await keptBytes(home)
  const [folder = ''] = await kept(home)
  await mkdir(join(compiled(home), folder, 'commands.code'))

  await printedBy(home, {}, HANDOFFS)

  assert.deepEqual(await keptBytes(home), before)
})

test(
  'code that is damaged, cut off, or of another build is compiled again and replaced',
  OLDER,
  async (t) => {
    const home = await temporaryFolder(t)
    await listed(home)
    const whole = await listed(home)

    for (const path of await codeFiles(home)) {
      const content = await readFile(path)
      content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 0xff
      await writeFile(path, content)
    }
    assert.match(await listed(home), /^-+$/)
    assert.equal(await listed(home), whole)

    for (const path of await codeFiles(home)) await truncate(path, 100)
    assert.match(await listed(home), /^-+$/)
    assert.equal(await listed(home), whole)

    const [folder = ''] = await kept(home)
    const other = folder.replace(/^satchel-[0-9a-f]{16}/, `satchel-${'0'.repeat(16)}`)
    assert.notEqual(other, folder)
    await rename(join(compiled(home), folder), join(compiled(home), other))
    assert.match(await listed(home), /^-+$/)
    await rm(join(compiled(home), other), { recursive: true })
    assert.equal(await listed(home), whole)
  },
)

test('a stack names the files of the installation that runs', async (t) => {
  const home = await temporaryFolder(t)
  const zod = JSON.stringify(import.meta.resolve('zod'))
  const plugin = `import { z } from ${zod}
const setup = async () => (process.stderr.write(new Error().stack), {})
export default { name: 'other', version: '1.0.0', apiVersion: 1, config: z.object({}), setup }`
  await writeFile(join(home, 'other.js'), plugin)
  await writeFile(join(home, 'satchel.yaml'), 'plugins: { ./other.js: {} }')
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache') }

  for (const name of ['one', 'two']) {
    const install = join(home, name)
    await mkdir(install)
    await cp(join(PROGRAM, '..'), join(install, 'dist'), { recursive: true })
    for (const beside of ['package.json', 'node_modules', 'schemas', 'generated'])
      await symlink(join(PROGRAM, '..', '..', beside), join(install, beside))
    const program = join(install, 'dist', 'satchel.js')
    const { stderr } = await promisify(execFile)(process.execPath, [program, ...LIST], { cwd: home, env })
    const files = stderr.match(/\/[^ ():]+[.]cjs/g) ?? []
    assert.ok(files.length > 0, stderr)
    assert.deepEqual(
      files.filter((file) => !file.startsWith(join(install, 'dist'))),
      [],
    )
  }
})

test('code in a folder that others may write to is not run, nor where it is turned off', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  await listed(home)
  assert.match(await listed(home), /\+/)

  assert.match(await listed(home, { NODE_DISABLE_COMPILE_CACHE: '1' }), /^-+$/)
  await chmod(compiled(home), 0o777)
  assert.match(await listed(home), /^-+$/)
})

test('code that was kept imports a plugin of others', async (t) => {
  const home = await temporaryFolder(t)
  const contract = JSON.stringify(pathToFileURL(join(PROGRAM, '../server/plugin.js')).href)
  const zod = JSON.stringify(import.meta.resolve('zod'))
  const plugin = `import { definePlugin } from ${contract}
import { z } from ${zod}
export default definePlugin({ name: 'other', version: '1.0.0', apiVersion: 1, config: z.object({}), setup: async () => ({}) })`
  await writeFile(join(home, 'other.js'), plugin)
  await writeFile(join(home, 'satchel.yaml'), 'plugins: { ./other.js: {} }')

  const first = await printedBy(home, {}, LIST)

  assert.equal(await printedBy(home, {}, LIST), first)
})

test('processes that start together leave a cache that is whole', OLDER, async (t) => {
  const home = await temporaryFolder(t)

  await Promise.all(Array.from({ length: 4 }, () => printedBy(home, {}, LIST)))

  assert.deepEqual(
    (await codeFiles(home)).filter((path) => !path.endsWith('.code')),
    [],
  )
  assert.match(await listed(home), /^-{1,4}\+{4,}$/)
})

test('a server keeps what it compiled, apart from verbs, whose flags of V8 differ', OLDER, async (t) => {
  const home = await temporaryFolder(t)
  const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`
  const serve = async (): Promise<void> => {
    const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
    const running = promisify(execFile)(process.execPath, [PROGRAM, 'mcp'], { cwd: home, env })
    running.child.stdin?.end(request)
    await running
  }

  await printedBy(home)
  await serve()

  assert.equal((await kept(home)).length, 2)
})
