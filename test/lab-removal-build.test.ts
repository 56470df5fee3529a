import { test } from 'node:test'
import { FROM_SOURCES } from './from-sources.ts'
import { BESIDE_THE_LAB, copyWithoutLab, succeeds } from './product-copy.ts'

test('without the lab all else builds and answers, and its tests pass', async (t) => {
  const folder = await copyWithoutLab(t, BESIDE_THE_LAB)

  succeeds(folder, ['node_modules/tsup/dist/cli-default.js', '--silent'])
  succeeds(folder, ['dist/satchel.js', '--help'])
  succeeds(folder, [...FROM_SOURCES, 'scripts/test.ts', 'server/host.test.ts', 'test/cli-terminal.test.ts'])
})
