import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { copyWithoutLab, removePlugin, succeeds } from './product-copy.ts'

// Each plugin works alone with the server, so any of the others may be removed.
for (const { name } of BUILTIN_PLUGINS) {
  test(`the server and the plugin ${name} compile, keep the style and serve without the other plugins`, async (t) => {
    const others = BUILTIN_PLUGINS.filter((plugin) => plugin.name !== name)
    const folder = await copyWithoutLab(t, ['test'])
    for (const other of others) removePlugin(folder, other.name)
    // The tests of the whole product need all plugins; of `test`, only what the tests of the plugin import is compiled.
    const compiled = {
      extends: join(import.meta.dirname, '../tsconfig.json'),
      include: ['server', 'plugins', 'generated'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compiled))
    // Without a room, the workspace plugin serves no tools.
    if (name === 'workspace') writeFileSync(join(folder, 'satchel.yaml'), 'workspace: { file: room.md }\n')

    succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.'])
    succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', 'server/builtin-plugins.ts'])
    succeeds(folder, ['--import', 'tsx', '--test', 'server/host.test.ts'])
    const help = succeeds(folder, ['--import', 'tsx', 'server/main.ts', '--help'])
    const tools = succeeds(folder, ['--import', 'tsx', 'server/main.ts', 'tools', '--json'])

    assert.match(tools, new RegExp(`"plugin": "${name}"`))
    for (const other of others) {
      assert.doesNotMatch(tools, new RegExp(`"plugin": "${other.name}"`))
      for (const { verb } of other.verbs) assert.ok(!help.includes(`\n  ${verb} `), `${verb} is still listed`)
    }
  })
}
