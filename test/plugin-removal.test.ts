import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { copyWithOnly, succeeds } from './product-copy.ts'

for (const { name } of BUILTIN_PLUGINS) {
  test(`the server and the plugin ${name} compile and keep the style without the other plugins`, async (t) => {
    const folder = await copyWithOnly(t, name)
    // The tests of the whole product need all plugins; of `test`, only what the tests of the plugin import is compiled.
    const compiled = {
      extends: join(import.meta.dirname, '../tsconfig.json'),
      include: ['server', 'plugins', 'generated'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compiled))

    succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded'])
    succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', 'server/builtin-plugins.ts'])
  })
}
