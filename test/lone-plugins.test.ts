import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { FROM_SOURCES } from './from-sources.ts'
import { copyWithOnly, succeeds } from './product-copy.ts'

for (const { name } of BUILTIN_PLUGINS) {
  test(`the server and the plugin ${name} serve without the other plugins`, async (t) => {
    const folder = await copyWithOnly(t, name)
    // Without a room, the workspace plugin serves no tools.
    if (name === 'workspace') writeFileSync(join(folder, 'satchel.yaml'), 'workspace: { file: room.md }\n')

    succeeds(folder, [...FROM_SOURCES, '--test', 'server/host.test.ts'])
    const help = succeeds(folder, [...FROM_SOURCES, 'server/main.ts', '--help'])
    const tools = succeeds(folder, [...FROM_SOURCES, 'server/main.ts', 'tools', '--json'])

    assert.match(tools, new RegExp(`"plugin": "${name}"`))
    for (const other of BUILTIN_PLUGINS.filter((plugin) => plugin.name !== name)) {
      assert.doesNotMatch(tools, new RegExp(`"plugin": "${other.name}"`))
      for (const { verb } of other.verbs) assert.ok(!help.includes(`\n  ${verb} `), `${verb} is still listed`)
    }
  })
}
