import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHost } from '../test/harness/open-host.ts'
import { BUILTIN_PLUGINS } from './builtin-plugins.ts'

/** Words that belong to one plugin; the plugin's own names come from the table. */
const OTHER_WORDS = ['room', 'terraform']
const WORDS = [...BUILTIN_PLUGINS.map(({ name }) => name), ...OTHER_WORDS]
const SPOKEN = new RegExp(`\\b(${WORDS.join('|')})s?(\\b|_)`, 'i')
/** The one file of the host that may name a plugin. */
const TABLE = 'builtin-plugins.ts'

/** Comments and texts; the one that begins first wins. */
const TOKEN = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** The texts of a source that name a plugin or its subject; comments and paths of imports may. */
function spokenIn(name: string, source: string): string[] {
  const tokens = source.replaceAll(/ from '[^']*'/g, '').match(TOKEN) ?? []
  return tokens.filter((text) => !text.startsWith('/') && SPOKEN.test(text)).map((text) => `${name}: ${text}`)
}

test('no text of the host names a plugin: such texts come from the plugin or its row in the table', () => {
  const folder = import.meta.dirname
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|testing\//.test(name) && name !== TABLE,
  )

  assert.ok(names.length > 100)
  assert.deepEqual(
    names.flatMap((name) => spokenIn(name, readFileSync(join(folder, name), 'utf8'))),
    [],
  )
})

test('a text about a room or a tool of a plugin is found, and a comment, an import or node_modules is not', () => {
  const planted = [
    "import { a } from '../plugins/handoff/index.ts' // the room's",
    "const folder = 'node_modules' /* a 'room' */",
    'const message = `Join the room first.`',
    "const next = { tool: 'workspace_status' }",
  ].join('\n')

  assert.deepEqual(spokenIn('planted.ts', planted), [
    'planted.ts: `Join the room first.`',
    "planted.ts: 'workspace_status'",
  ])
})

test('every key of a plugin at the top level of a configuration file is known before the plugin is loaded', async () => {
  const rows = BUILTIN_PLUGINS.filter(({ section }) => 'keys' in section)

  assert.ok(rows.length > 0)
  for (const { name, section, load } of rows) {
    const { config } = await load()
    assert.deepEqual('keys' in section && section.keys, Object.keys(config.shape), name)
  }
})

/** Plugins whose verbs people and hooks start often. */
const SOON = ['handoff', 'modules']

test('a verb of one tool makes the schemas of no other: each is made when it is first read', async (t) => {
  for (const { load } of BUILTIN_PLUGINS.filter(({ name }) => SOON.includes(name))) {
    const { host } = await openHost(t, { plugins: [await load()] })
    const eager = host.registry.tools.flatMap(({ tool }) =>
      (['input', 'output'] as const)
        .filter((schema) => Object.getOwnPropertyDescriptor(tool, schema)?.get === undefined)
        .map((schema) => `${tool.name}: ${schema}`),
    )
    assert.ok(host.registry.tools.length > 10)
    assert.deepEqual(eager, [])
  }
})
