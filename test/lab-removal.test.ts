import { test } from 'node:test'
import { FROM_SOURCES } from './from-sources.ts'
import { BESIDE_THE_LAB, copyWithoutLab, succeeds } from './product-copy.ts'

test('without the lab all else compiles and keeps to the rules', async (t) => {
  const folder = await copyWithoutLab(t, BESIDE_THE_LAB)

  succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.', '--singleThreaded'])
  succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', 'server/cli'])
  succeeds(folder, [...FROM_SOURCES, 'scripts/check-layers.ts'])
})
