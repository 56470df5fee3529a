import { test } from 'node:test'
import { FROM_SOURCES } from './from-sources.ts'
import { copyWithoutLab, succeeds } from './product-copy.ts'

test('without the lab all else compiles, keeps to the rules, builds and answers', async (t) => {
  const beside = ['test', 'scripts', 'examples', 'tsup.config.ts', '.dependency-cruiser.cjs']
  const folder = await copyWithoutLab(t, beside)

  succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded'])
  succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', 'server/cli'])
  succeeds(folder, [...FROM_SOURCES, 'scripts/check-layers.ts'])
  succeeds(folder, ['node_modules/tsup/dist/cli-default.js', '--silent'])
  succeeds(folder, ['dist/satchel.js', '--help'])
  succeeds(folder, [...FROM_SOURCES, 'scripts/test.ts', 'server/host.test.ts', 'test/cli-terminal.test.ts'])
})
