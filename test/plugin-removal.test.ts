import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { copyWithoutLab, removePlugin, succeeds } from './product-copy.ts'

// The whole-product tests are about all plugins and stay behind.
for (const { name } of BUILTIN_PLUGINS) {
  test(`without the plugin ${name} all else compiles, keeps to the style and passes its tests`, async (t) => {
    const folder = await copyWithoutLab(t, ['test/harness'])
    removePlugin(folder, name)
    const others = readdirSync(join(folder, 'plugins')).map((plugin) => join('plugins', plugin, 'domain'))
    const tested = others.filter((path) =>
      readdirSync(join(folder, path)).some((file) => file.endsWith('.test.ts')),
    )

    succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.'])
    succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', '.'])
    succeeds(folder, [
      '--import',
      'tsx',
      join(import.meta.dirname, '../scripts/test.ts'),
      'server/host.test.ts',
      ...tested,
    ])
  })
}
