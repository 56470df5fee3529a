import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { flagsOf } from '../server/cli/flags.ts'
import { isHarnessHook } from '../server/cli/harness-hook.ts'
import { HOST_VERBS } from '../server/cli/host-verbs.ts'
import { leavesOf, shapeOf } from '../server/cli/plugin-verbs.ts'
import { openProject, refusalOf } from '../server/cli/testing/run-cli.ts'
import { parseVerb } from '../server/cli/verb-parser.ts'
import { loadConfig } from '../server/config.ts'
import { loadEntries } from '../server/plugin-entries.ts'
import { openHost, temporaryFolder } from './harness/index.ts'

/** Every verb of the built-in plugins, with a room configured so that its verbs are there. */
async function builtInVerbs(t: TestContext) {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'workspace: { file: idea.md }\n')
  const config = await loadConfig({ cwd: root, env: {} })
  const { host } = await openHost(t, {
    plugins: (await loadEntries(config, { kind: 'all' })).map(({ plugin }) =>
      plugin.name === 'workspace' ? { plugin, settings: { file: 'idea.md' } } : plugin,
    ),
  })
  return { root, satchel, registry: host.registry, leaves: leavesOf(host.registry) }
}

test('--store puts records elsewhere than the configuration says, at every verb of handoffs and no other', async (t) => {
  const { satchel, root } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'handoff: { store: configured }\n')
  const texts = ['--title', 'x', '--objective', 'y', '--current-state', 'z', '--json']

  const { id, path } = JSON.parse((await satchel(['handoff', 'create', '--store', 'named', ...texts])).out)
  const there = JSON.parse((await satchel(['handoff', 'list', '--store=named', '--json'])).out)
  const elsewhere = JSON.parse((await satchel(['handoff', 'list', '--json'])).out)
  const refused = await satchel(['modules', 'list', '--store', 'named', '--json'])

  assert.equal(path, `named/records/${id}.json`)
  assert.deepEqual([there.total, elsewhere.total], [1, 0])
  assert.deepEqual([refused.code, refusalOf(refused).error.reason], [2, 'unknown_option'])
  assert.match((await satchel(['handoff', 'list', '--help'])).out, /--store <dir>/)
  assert.match((await satchel(['handoff', '--help'])).out, /--store <dir>/)
})

test('a user without a home, as the number that a container runs under, can use satchel', async (t) => {
  const cwd = await temporaryFolder(t)
  const program = join(import.meta.dirname, '../dist/satchel.js')
  const homeless = `import os from 'node:os'
import { syncBuiltinESMExports } from 'node:module'
os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT') }
syncBuiltinESMExports()`
  await writeFile(join(cwd, 'homeless.mjs'), homeless)
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: `--import ${join(cwd, 'homeless.mjs')}` }
  const satchel = async (...words: string[]) =>
    (await promisify(execFile)(process.execPath, [program, ...words], { cwd, env })).stdout

  await satchel('handoff', 'note', 'next', 'Go on')
  assert.equal(JSON.parse(await satchel('handoff', 'list', '--json')).total, 1)
  assert.deepEqual(JSON.parse(await satchel('token', 'list', '--json')).tokens, [])
})

test('an unknown option is wrong usage at every verb but hooks, also when the configuration cannot be read', async (t) => {
  const { root, satchel, leaves } = await builtInVerbs(t)
  await writeFile(join(root, 'broken.yaml'), 'tols: {}\n')
  const hostVerbs = (await Promise.all(HOST_VERBS.map((row) => row.load()))).flat()
  const paths = [...leaves, ...hostVerbs].map(({ path }) => path)
  assert.ok(paths.length > 60)
  for (const path of paths) {
    for (const rest of [
      ['--nosuch', 'x'],
      ['--projec', 'x', '--config', 'none.yaml'],
      ['--projec', 'x', '--config=broken.yaml'],
    ]) {
      const typed = [...path, ...rest].join(' ')

      const ran = await satchel([...path, ...rest, '--json'])

      if (isHarnessHook(path)) {
        assert.equal(ran.code, 0, typed)
        assert.ok(ran.err.includes(`'${rest[0]}'`), `${typed}: ${ran.err}`)
        continue
      }
      assert.equal(ran.code, 2, typed)
      const { reason, message } = JSON.parse(ran.out).error
      assert.equal(reason, 'unknown_option', typed)
      assert.ok(message.includes(`'${rest[0]}'`), `${typed}: ${message}`)
      if (rest[0] === '--projec') assert.match(message, /Did you mean --project\?/, typed)
      assert.ok(message.endsWith(`See: satchel ${path.join(' ')} --help`), `${typed}: ${message}`)
    }
  }
})

test('what ingest is asked for is judged before its configuration, which may be the value of a wrong option', async (t) => {
  const { satchel } = await openProject(t)

  const wrong = await satchel(['ingest', '--output-dri', 'out'])
  const beside = await satchel(['ingest', 'none.yaml', '--nosuch'])
  const help = await satchel(['ingest', 'none.yaml', '--help'])
  const right = await satchel(['ingest', 'none.yaml', '--json'])

  assert.deepEqual([wrong.code, /'--output-dri'.*Did you mean --output-dir\?/.test(wrong.err)], [2, true])
  assert.deepEqual([beside.code, /'--nosuch'/.test(beside.err)], [2, true])
  assert.deepEqual([help.code, /^Usage: satchel ingest /.test(help.out)], [0, true])
  assert.deepEqual([right.code, refusalOf(right).error.reason], [4, 'config_not_found'])
})

test('every verb of every built-in plugin explains itself in 80 columns', async (t) => {
  const { satchel, leaves } = await builtInVerbs(t)
  assert.ok(leaves.length > 20)
  for (const { path } of leaves) {
    const ran = await satchel(['help', ...path])

    assert.deepEqual([ran.code, ran.err], [0, ''], path.join(' '))
    const prose = ran.out.slice(0, ran.out.indexOf('Example:'))
    const widest = Math.max(...prose.split('\n').map((line) => line.length))
    assert.ok(widest <= 80, `${path.join(' ')}: ${widest} columns`)
    assert.match(ran.out, /\nExample:\n {2}\S/, path.join(' '))
  }
})

test('the example of every built-in verb, typed as shown, gives the input of the example', async (t) => {
  const { leaves } = await builtInVerbs(t)
  for (const leaf of leaves) {
    if (leaf.kind !== 'tool') continue
    const { example } = leaf.owned.tool
    const [line = ''] = shapeOf(leaf).examples
    const [typed = '', piped] = line.split(' | satchel ')
    if (piped !== undefined) {
      const { stdout } = await promisify(execFile)('sh', ['-c', typed])
      assert.deepEqual(
        { ...JSON.parse(stdout), ...leaf.verb.preset },
        { ...example, ...leaf.verb.preset },
        line,
      )
      continue
    }
    const args = (await wordsOf(line)).slice(leaf.path.length)
    const parsed = parseVerb(shapeOf(leaf), args, 80)
    assert.equal(parsed.kind, 'typed', line)
    if (parsed.kind === 'typed' && leaf.verb.example !== undefined) {
      const files = { readText: async () => 'text', exists: async () => true }
      const { values } = parsed.typed
      const arranged = (await leaf.verb.arrange?.(values, files)) ?? values
      assert.ok(leaf.owned.tool.input.safeParse({ ...arranged, ...leaf.verb.preset }).success, line)
    } else if (parsed.kind === 'typed') {
      assert.deepEqual(
        { ...parsed.typed.values, ...leaf.verb.preset },
        { ...example, ...leaf.verb.preset },
        line,
      )
    }
  }
})

/** The words that a shell makes of a line, without the program. */
async function wordsOf(line: string): Promise<readonly string[]> {
  const script = `set -- ${line}; for word; do printf '%s\\0' "$word"; done`
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  return stdout.split('\0').slice(1, -1)
}

test('the example of each verb that branches a handoff makes a child of the newest record', async (t) => {
  const { leaves, satchel } = await builtInVerbs(t)
  const texts = ['--title', 'x', '--objective', 'y', '--current-state', 'z', '--json']
  const { id } = JSON.parse((await satchel(['handoff', 'create', ...texts])).out)
  await satchel(['handoff', 'release', id])

  for (const leaf of leaves) {
    if (leaf.kind !== 'tool' || leaf.owned.tool.name !== 'handoff_branch') continue
    const [line = ''] = shapeOf(leaf).examples
    const words = (await wordsOf(line)).map((word) => (word === 'latest' ? id : word))
    const { code, out } = await satchel([...words, '--json'])
    assert.deepEqual([code, JSON.parse(out).error], [0, undefined], line)
  }
})

test('what a verb completes is one of its arguments, and a template of its plugin offers the values', async (t) => {
  const { leaves, registry, satchel } = await builtInVerbs(t)
  const { id } = JSON.parse(
    (
      await satchel([
        'handoff',
        'create',
        '--title',
        'x',
        '--objective',
        'y',
        '--current-state',
        'z',
        '--json',
      ])
    ).out,
  )
  const offered = await satchel(['completion', 'values', '--', 'handoff', 'show', ''])

  let completed = 0
  for (const leaf of leaves) {
    const { input, typing, path } = shapeOf(leaf)
    const { flags, positionals } = flagsOf(input, typing)
    const names = [...flags.map(({ field }) => field), ...positionals.map(({ name }) => name)]
    for (const [name, completes] of Object.entries(typing.completes ?? {})) {
      assert.ok(names.includes(name), `${path.join(' ')}: ${name}`)
      if (typeof completes === 'function') continue
      const { resource, variable } = completes
      assert.ok(resource.includes(`{${variable}}`), resource)
      const owned = registry.resources.find((one) => one.resource.uri === resource)
      assert.ok(owned?.resource.complete, resource)
      completed += 1
    }
  }
  assert.deepEqual(offered.out.trim().split('\n'), ['latest', id])
  assert.ok(completed > 10)
})

test('a room completes where a verb asks for one: at its own verbs, at mcp and at setup, below a folder too', async (t) => {
  const { root, satchel } = await openProject(t)
  for (const sidecar of ['.plan.md.satchel', 'docs/.idea.md.satchel', '.a b.md.satchel'])
    await mkdir(join(root, sidecar), { recursive: true })
  await writeFile(join(root, '.plain.md'), '')
  const values = async (...words: string[]) =>
    (await satchel(['completion', 'values', '--', ...words])).out.split('\n').filter(Boolean)

  for (const verb of [
    ['workspace', 'status'],
    ['workspace', 'wait', '--since', '0'],
    ['mcp'],
    ['setup', 'zed'],
  ]) {
    assert.deepEqual(await values(...verb, '--room', ''), ['plan.md'], verb.join(' '))
    assert.deepEqual(await values(...verb, '--room', 'docs/i'), ['docs/idea.md'], verb.join(' '))
    assert.deepEqual(await values(...verb, '--room', 'none/'), [], verb.join(' '))
  }
  assert.deepEqual(await values('mcp', '--name', ''), [])
  const { out: script } = await satchel(['completion', 'bash'])
  assert.match(script, /"mcp "\*\) if .*completion values/)
  assert.match(script, /"workspace status"\) if .*completion values/)
})

test('handoff diff takes two records by id, by their last digits, by name or as JSON', async (t) => {
  const { satchel } = await openProject(t)
  const create = async (title: string): Promise<string> => {
    const texts = ['--title', title, '--objective', 'y', '--current-state', 'z', '--json']
    return JSON.parse((await satchel(['handoff', 'create', ...texts])).out).id
  }
  const [first, second] = [await create('first'), await create('second')]
  const titles = async (...records: string[]) => {
    const ran = await satchel(['handoff', 'diff', ...records, '--json'])
    assert.equal(ran.code, 0, ran.out)
    const { changed } = JSON.parse(ran.out)
    const found = changed.find(({ pointer }: { pointer: string }) => pointer === '/work/title')
    return [found?.before, found?.after]
  }

  assert.deepEqual(await titles(first, second), ['first', 'second'])
  assert.deepEqual(await titles(first.slice(-8), 'latest'), ['first', 'second'])
  assert.deepEqual(await titles('{"work":{"title":"none"}}', first), ['none', 'first'])
  const none = await satchel(['handoff', 'diff', first, '00000000', '--json'])
  assert.deepEqual([none.code, refusalOf(none).error.reason], [4, 'record_not_found'])
  const cut = await satchel(['handoff', 'diff', first, '{"title":', '--json'])
  assert.deepEqual([cut.code, refusalOf(cut).error.reason], [2, 'invalid_argument'])
  const one = await satchel(['handoff', 'diff', first, '--json'])
  assert.deepEqual([one.code, refusalOf(one).error.reason], [2, 'missing_argument'])
})
