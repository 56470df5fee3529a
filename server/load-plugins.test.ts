import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/harness/index.ts'
import { loadPlugin } from './load-plugins.ts'

test('a plugin that is never loaded to the end is refused after 30 s, so that a server answers', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'odd.mjs'), 'await new Promise(() => {})\n')
  t.mock.timers.enable({ apis: ['setTimeout'] })

  const loading = loadPlugin('./odd.mjs', join(folder, 'satchel.yaml'))
  t.mock.timers.tick(30_000)

  await assert.rejects(loading, { code: 'unavailable', reason: 'plugin_load_timeout', message: /odd\.mjs/ })
})
