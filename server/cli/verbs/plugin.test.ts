import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openProject } from '../testing/run-cli.ts'

test('plugin new makes a plugin that passes its check and packs; a used folder is left alone', async (t) => {
  const { root, satchel } = await openProject(t)

  const made = await satchel(['plugin', 'new', '@acme/satchel-word-count', '--json'])
  const again = await satchel(['plugin', 'new', 'satchel-word-count', '--json'])
  const folder = join(root, 'satchel-word-count')
  const checked = await satchel(['plugin', 'check', '--json'], { cwd: folder })
  const used = await satchel(['word-count', 'count', 'one two three', '--json'], { cwd: folder })
  const packed = await satchel(['plugin', 'pack', '--json'], { cwd: folder })

  assert.deepEqual([made.code, JSON.parse(made.out).linked], [0, ['satchel', 'zod']])
  assert.deepEqual([again.code, JSON.parse(again.out).error.reason], [5, 'folder_exists'])
  assert.deepEqual(
    [checked.code, JSON.parse(checked.out).findings, JSON.parse(checked.out).tools],
    [0, [], 1],
  )
  assert.deepEqual(JSON.parse(used.out), { words: 3, longest: 'three' })
  assert.equal(packed.code, 0, packed.err)
  const names = JSON.parse(packed.out).files.map(({ path }: { path: string }) => path)
  assert.deepEqual(names.sort(), [
    'LICENSE',
    'README.md',
    'package.json',
    'plugin.js',
    'tools/word-count-count.js',
  ])
  assert.ok((await readdir(folder)).includes(JSON.parse(packed.out).filename))
})

test('plugin new takes npm names only', async (t) => {
  const { root, satchel } = await openProject(t)
  for (const name of ['../evil', 'Upper', 'a b', '.', '@/x', 'x'.repeat(61), '']) {
    const ran = await satchel(['plugin', 'new', '--json', '--', name])
    assert.deepEqual([ran.code, JSON.parse(ran.out).error.reason], [2, 'plugin_name'], name)
  }
  assert.deepEqual(await readdir(root), ['satchel.yaml'])
})

test('plugin check names each problem and exits 3; pack then refuses', async (t) => {
  const { root, satchel } = await openProject(t)
  await satchel(['plugin', 'new', 'satchel-odd'])
  const folder = join(root, 'satchel-odd')
  const file = join(folder, 'tools', 'odd-count.js')
  const source = await readFile(file, 'utf8')
  await writeFile(file, source.replace("title: 'Count words'", "title: 'Count\\u200b words'"))

  const checked = await satchel(['plugin', 'check', 'satchel-odd', '--json'])
  const packed = await satchel(['plugin', 'pack', 'satchel-odd', '--json'])

  assert.equal(checked.code, 3)
  assert.deepEqual(
    JSON.parse(checked.out).findings.map(({ rule }: { rule: string }) => rule),
    ['hidden_text'],
  )
  assert.deepEqual([packed.code, JSON.parse(packed.out).error.reason], [3, 'plugin_findings'])
})

test('a module that is not a plugin is refused with its file named', async (t) => {
  const { root, satchel } = await openProject(t)
  await mkdir(join(root, 'p'))
  const cases: [string, string, number, string][] = [
    ['none.js', 'export {}', 3, 'plugin_shape'],
    [
      'old.js',
      "export default { name: 'a', version: '1', apiVersion: 2, setup() {}, config: {} }",
      3,
      'plugin_api',
    ],
    ['throws.js', "throw new Error('secret of import')", 1, 'plugin_load'],
  ]
  const told: readonly (readonly [source: string, message: RegExp])[] = [
    ['export {}', /it has no default export/],
    ['export default () => 1', /its default export is not an object made by definePlugin/],
    ['export default { default: { name: "a" } }', /it is CommonJS with a member default: assign the plugin/],
    ['export default { name: "", version: "1", apiVersion: 1 }', /it states no name and version/],
    ['export default { name: "a", version: "1", apiVersion: "1" }', /apiVersion "1"; this satchel has 1/],
    ['export default { name: }', /:1: SyntaxError: Unexpected token '\}'\. Correct the plugin\.$/],
  ]
  for (const [index, [source, message]] of told.entries()) {
    await writeFile(join(root, 'p', `told-${index}.mjs`), source)
    const ran = await satchel(['plugin', 'check', join('p', `told-${index}.mjs`), '--json'])
    assert.match(JSON.parse(ran.out).error.message, message)
  }
  for (const [name, source, code, reason] of cases) {
    await writeFile(join(root, 'p', name), source)
    const ran = await satchel(['plugin', 'check', join('p', name), '--json'])
    const { error } = JSON.parse(ran.out)
    assert.deepEqual([ran.code, error.reason, error.message.includes(name)], [code, reason, true], name)
    assert.doesNotMatch(ran.out, /secret of import/)
    if (name === 'throws.js') assert.match(ran.err, /secret of import/, 'the log has the cause')
  }
  assert.equal((await satchel(['plugin', 'check', 'nowhere'])).code, 4)
})

test('a plugin whose declarations are not those of the contract is refused with the member that is wrong', async (t) => {
  const { root, satchel } = await openProject(t)
  const contract = pathToFileURL(join(import.meta.dirname, '../../plugin.ts')).href
  const tool = (change: string) => `
    import { z } from '${import.meta.resolve('zod')}'
    import { definePlugin } from '${contract}'
    const tool = {
      name: 'greet', title: 'Greet', description: 'Greets.', profile: 'core',
      input: z.object({ name: z.string() }), output: z.object({ greeting: z.string() }),
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      example: { name: 'Ada' }, handler: async (_ctx, { name }) => ({ greeting: name }), headline: () => 'said',
    }
    const declared = (tools) => ({ tools })
    export default definePlugin({
      name: 'greeter', version: '1.0.0', apiVersion: 1, config: z.object({}), setup: async () => ${change},
    })`
  const cases: readonly (readonly [string, RegExp])[] = [
    ['undefined', /its setup gave no object of declarations/],
    ['declared(tool)', /tools must be a list/],
    ['declared([greet])'.replace('greet', '"greet"'), /tool 0: is not an object made by defineTool/],
    ['declared([{ ...tool, name: "Greet Me!" }])', /tool "Greet Me!": name must be 1 to 48 of a-z/],
    ['declared([{ ...tool, description: "" }])', /tool "greet": description must be a text/],
    ['declared([{ ...tool, input: {} }])', /input must be a zod object/],
    [
      'declared([{ ...tool, annotations: { readOnly: true } }])',
      /annotations.destructive must be true or false/,
    ],
    ['declared([{ ...tool, headline: "x" }])', /headline must be a function/],
    ['declared([{ ...tool, http: { method: "GET", path: "greet" } }])', /http.path must begin with \//],
    [
      'declared([{ ...tool, http: { method: "GET", path: "/g/{nam}" } }])',
      /http.path names "nam", which is not a field/,
    ],
    ['declared([{ ...tool, cli: { verb: "Greet" } }])', /cli.verb must be one or two words/],
    ['declared([{ ...tool, cli: { verb: "greet", positional: ["[nam]"] } }])', /cli.positional names "nam"/],
    [
      'declared([{ ...tool, input: z.object({ at: z.date() }), example: {} }])',
      /tool "greet": input.at has no JSON Schema \(Date/,
    ],
  ]
  await mkdir(join(root, 'p'))
  for (const [index, [change, message]] of cases.entries()) {
    const file = join('p', `case-${index}.mjs`)
    await writeFile(join(root, file), tool(change))
    const ran = await satchel(['plugin', 'check', file, '--json'])
    const { error } = JSON.parse(ran.out)
    assert.deepEqual([ran.code, error.reason], [3, 'plugin_shape'], change)
    assert.match(error.message, message, change)
  }
})

/** The source of a plugin whose one tool has these further members. */
function pluginOf(members: string, name = 'greeter'): string {
  return `
    import { z } from '${import.meta.resolve('zod')}'
    import { definePlugin } from '${pathToFileURL(join(import.meta.dirname, '../../plugin.ts')).href}'
    const tool = {
      name: 'greet', title: 'Greet', description: 'Greets. Use it to greet. Returns a greeting.', profile: 'core',
      input: z.object({}), output: z.object({ greeting: z.string() }),
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      example: {}, handler: async () => ({ greeting: 'Hello' }), headline: () => 'said', ${members}
    }
    export default definePlugin({
      name: '${name}', version: '1.0.0', apiVersion: 1, config: z.object({}), setup: async () => ({ tools: [tool] }),
    })`
}

test('plugin check tells of names that nothing reads and of a headline that is not a text', async (t) => {
  const { root, satchel } = await openProject(t)
  await mkdir(join(root, 'p'))
  for (const [name, members] of [
    ['none', 'headline: () => undefined'],
    ['fails', "headline: () => { throw new Error('no line') }"],
    ['twice', "http: [{ method: 'GET', path: '/greet' }, { method: 'GET', path: '/greet' }]"],
  ] as const)
    await writeFile(join(root, 'p', `${name}.mjs`), pluginOf(members))

  const none = await satchel(['plugin', 'check', join('p', 'none.mjs')])
  const fails = await satchel(['plugin', 'check', join('p', 'fails.mjs')])
  const twice = await satchel(['plugin', 'check', join('p', 'twice.mjs')])
  const unknown = await satchel(['plugin', 'check', join('p', 'none.mjs'), '--settings', '{"lound": true}'])
  await writeFile(
    join(root, 'p', 'passed.mjs'),
    pluginOf('').replace(/tools: \[tool\] \}\),/, "tool: [tool] }), env: { GREETER_LOUD: 'lound' },"),
  )
  const passed = await satchel(['plugin', 'check', join('p', 'passed.mjs')])
  await writeFile(
    join(root, 'p', 'unserved.mjs'),
    pluginOf("task: true, http: { method: 'GET', path: '/greet', listeners: ['apis', 'owner'] }"),
  )
  const unserved = await satchel(['plugin', 'check', join('p', 'unserved.mjs')])

  assert.match(none.out, /example +greet: the headline of the example is not a text/)
  assert.match(fails.out, /example +greet: the headline of the example fails: no line/)
  assert.match(twice.err, /The plugin "greeter" declares the route "GET \/greet" twice/)
  assert.match(passed.out, /setup gives "tool", which nothing reads: is it "tools"\?/)
  assert.match(passed.out, /env names "lound" for GREETER_LOUD, which is not a setting/)
  assert.match(
    unserved.out,
    /GET \/greet is served at "apis", which nothing opens: Did you mean "api"\?\n.*greet may start tasks, and setup gives no tasks/,
  )
  assert.doesNotMatch(unserved.out, /"owner"/)
  assert.deepEqual([unknown.code, unknown.err.includes('unknown key "plugins.greeter.lound"')], [3, true])
})

test('a verb or path of satchel itself is refused wherever the plugin is loaded', async (t) => {
  const { root, satchel } = await openProject(t)
  const cases: readonly (readonly [string, string])[] = [
    ["http: { method: 'POST', path: '/mcp' }", 'route "POST /mcp"'],
    ["http: { method: 'GET', path: '/health' }", 'route "GET /health"'],
    ["cli: { verb: 'serve' }", 'verb "serve"'],
    ["cli: { verb: 'handoff greet' }", 'verb "handoff greet"'],
  ]
  for (const [index, [members, name]] of cases.entries()) {
    await writeFile(join(root, `taken-${index}.mjs`), pluginOf(members))
    await writeFile(join(root, `taken-${index}.yaml`), `plugins: { ./taken-${index}.mjs: {} }\n`)

    const checked = await satchel(['plugin', 'check', `taken-${index}.mjs`, '--json'])
    const listed = await satchel(['tools', '--json', '-c', `taken-${index}.yaml`])

    for (const ran of [checked, listed]) {
      const { error } = JSON.parse(ran.out)
      assert.deepEqual([ran.code, error.reason, error.details.name], [5, 'name_taken', name])
    }
  }
})

test('plugin check finds the names that a built-in plugin has', async (t) => {
  const { root, satchel } = await openProject(t)
  let count = 0
  const findings = async (source: string) => {
    const file = `mine-${count++}.mjs` // a module is loaded once
    await writeFile(join(root, file), source)
    const { findings: found } = JSON.parse((await satchel(['plugin', 'check', file, '--json'])).out)
    return found.map(({ rule, detail }: { rule: string; detail: string }) => `${rule}: ${detail}`)
  }

  assert.match(
    String(await findings(pluginOf("name: 'handoff_create'"))),
    /^name: the tool "handoff_create" is taken/,
  )
  assert.match(
    String(await findings(pluginOf("http: { method: 'GET', path: '/handoffs' }"))),
    /route "GET \/handoffs" is taken by the plugin "handoff"/,
  )
  assert.match(String(await findings(pluginOf('', 'handoff'))), /plugin "handoff" is taken/)
  assert.deepEqual(await findings(pluginOf("cli: { verb: 'greet' }")), [])
})

test('plugin new refuses a name whose verb is taken', async (t) => {
  const { root, satchel } = await openProject(t)
  for (const name of ['handoff', 'satchel-handoff', '@acme/serve', 'help', 'satchel-modules']) {
    const ran = await satchel(['plugin', 'new', name, '--json'])
    assert.deepEqual([ran.code, JSON.parse(ran.out).error.reason], [5, 'name_taken'], name)
  }
  assert.deepEqual(await readdir(root), ['satchel.yaml'])
})

test('a field named like another flag is set by --input only, which check and help say', async (t) => {
  const { root, satchel } = await openProject(t)
  const field = "z.string().optional().describe('x')"
  const names = ['json', 'config', 'storage', 'help', 'dry_run', 'dryRun', 'plain']
  const input = `z.object({ ${names.map((name) => `${name}: ${field}`).join(', ')} })`
  await writeFile(join(root, 'mine.mjs'), pluginOf(`cli: { verb: 'greet' }, input: ${input}`))
  await writeFile(join(root, 'mine.yaml'), 'plugins: { ./mine.mjs: {} }\n')

  const checked = await satchel(['plugin', 'check', 'mine.mjs', '--json'])
  const help = await satchel(['greet', '--help', '-c', 'mine.yaml'])
  const ran = await satchel(['greet', '--plain', 'x', '--json', '-c', 'mine.yaml'])

  assert.equal(checked.code, 3)
  const flags = JSON.parse(checked.out).findings.filter(({ rule }: { rule: string }) => rule === 'flag')
  assert.deepEqual(
    flags.map(({ detail }: { detail: string }) => /^"(\w+)" has no flag at greet/.exec(detail)?.[1]),
    ['json', 'config', 'storage', 'help', 'dryRun'],
  )
  assert.match(help.out, /Only --input sets: json, config, storage, help, dryRun/)
  assert.deepEqual(JSON.parse(ran.out), { greeting: 'Hello' })
})

test('a tool with schemas of zod/mini has its verb', async (t) => {
  const { root, satchel } = await openProject(t)
  const schemas = `input: mini.object({ name: mini.string() }), output: mini.object({ greeting: mini.string() })`
  const members = `${schemas}, example: { name: 'Ada' }, cli: { verb: 'greet', positional: ['name'] },
    handler: async (_ctx, { name }) => ({ greeting: name })`
  const file = `import * as mini from '${import.meta.resolve('zod/mini')}'\n${pluginOf(members)}`
  await writeFile(join(root, 'mini.mjs'), file)
  await writeFile(join(root, 'satchel.yaml'), 'plugins: { ./mini.mjs: {} }\n')

  const ran = await satchel(['greet', 'Ada', '--json'])

  assert.deepEqual([ran.code, JSON.parse(ran.out)], [0, { greeting: 'Ada' }])
})
