import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openHost } from '../../test/harness/open-host.ts'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { BUILTIN_PLUGINS, type BuiltinPlugin } from '../builtin-plugins.ts'
import { loadConfig } from '../config.ts'
import type { RunningHost } from '../host.ts'
import { loadBuiltins, loadEntries } from '../plugin-entries.ts'
import { configuredInstructions, hostInstructions, instructionsFor } from './instructions.ts'

const ALL_TOOLS = Object.assign({}, ...BUILTIN_PLUGINS.map(({ tools }) => tools)) as BuiltinPlugin['tools']

/** The tools that the text names. */
const namedIn = (text: string): string[] =>
  Object.keys(ALL_TOOLS).filter((name) => new RegExp(`\\b${name}\\b`).test(text))

/** A room has no tools without a file. */
const settingsOf = (plugin: string) => (plugin === 'workspace' ? { file: 'idea.md' } : {})

const offeredBy = (host: RunningHost): string[] =>
  host.registry.tools.filter((owned) => host.offers(owned)).map(({ tool }) => tool.name)

const subjectsIn = (text: string): string[] =>
  ['Handoffs (', 'Modules: ', 'Room (', 'Find: '].filter((subject) => text.includes(subject))

describe('the instructions', () => {
  test('each tool that a sentence names is one that it needs, and is declared as the table says', async (t) => {
    const loaded = await loadBuiltins()
    const plugins = loaded.map(({ plugin }) => ({ plugin, settings: settingsOf(plugin.name) }))
    const { host } = await openHost(t, { plugins })

    for (const { name, instructions, tools } of BUILTIN_PLUGINS) {
      for (const { text, needs } of instructions)
        assert.deepEqual(namedIn(text).sort(), [...needs].sort(), text)
      for (const [tool, facts] of Object.entries(tools)) {
        const owned = host.registry.tool(tool)
        assert.equal(owned?.plugin, name, tool)
        const { profile, annotations } = owned?.tool ?? {}
        assert.deepEqual({ profile, readOnly: annotations?.readOnly }, facts, tool)
      }
    }
  })

  test('a host with one plugin is told about that one only', async (t) => {
    for (const [at, { plugin }] of (await loadBuiltins()).entries()) {
      const { host } = await openHost(t, { plugins: [{ plugin, settings: settingsOf(plugin.name) }] })

      const text = hostInstructions(host)

      assert.equal(subjectsIn(text).length, 1, plugin.name)
      assert.deepEqual(namedIn(text), Object.keys(BUILTIN_PLUGINS[at]?.tools ?? {}), plugin.name)
    }
  })

  for (const [what, flags] of Object.entries({
    'the default': {},
    'a room': { 'workspace.file': 'idea.md' },
    core: { 'workspace.file': 'idea.md', 'tools.profile': 'core' },
    read_only: { 'workspace.file': 'idea.md', 'tools.read_only': true },
    'modules only': { 'tools.exclude': Object.keys(ALL_TOOLS).filter((name) => name.startsWith('handoff_')) },
    'excluded tools': { 'tools.exclude': ['handoff_create', 'get_module'] },
    'included tools': {
      'workspace.file': 'idea.md',
      'tools.profile': 'core',
      'tools.include': ['workspace_commit'],
    },
  })) {
    test(`those of a configuration are those of its host, and name only its tools: ${what}`, async (t) => {
      const cwd = await temporaryFolder(t)
      const config = await loadConfig({ cwd, env: {}, flags })
      const { profile, read_only: readOnly, include, exclude } = config.tools
      const entries = await loadEntries(config, { kind: 'served' })
      const plugins = entries.map(({ plugin, config: settings }) => ({ plugin, settings }))
      const { host } = await openHost(t, { plugins, filter: { profile, readOnly, include, exclude } })

      const text = configuredInstructions(config)

      const offered = offeredBy(host)
      assert.equal(text, hostInstructions(host))
      assert.deepEqual(
        namedIn(text),
        Object.keys(ALL_TOOLS).filter((name) => offered.includes(name)),
      )
      assert.ok(text.length <= 1900, `${text.length} characters`)
    })
  }

  test('without tools they say how answers are read, and no more', () => {
    const text = instructionsFor(() => false)

    assert.deepEqual([subjectsIn(text), namedIn(text)], [[], []])
    assert.match(text, /page\.next/)
  })
})
