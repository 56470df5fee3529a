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

test('the refusal of a plugin names an import that is not found, and a file that Node.js does not read', async (t) => {
  const folder = await temporaryFolder(t)
  const configFile = join(folder, 'satchel.yaml')
  await writeFile(join(folder, 'lost.mjs'), "import 'not-there'\n")
  await writeFile(join(folder, 'misspelt.mjs'), "import { raedFile } from 'node:fs/promises'\nraedFile()\n")
  await writeFile(join(folder, 'plugin.unread'), 'x')

  for (const [name, message] of [
    ['lost.mjs', /lost\.mjs cannot be imported: Cannot find package 'not-there'/],
    ['plugin.unread', /plugin\.unread cannot be imported: Unknown file extension/],
    ['misspelt.mjs', /misspelt\.mjs: SyntaxError: .*raedFile/],
  ] as const) {
    const refusal = { code: 'invalid', reason: 'plugin_load', message }
    await assert.rejects(loadPlugin(`./${name}`, configFile), refusal)
  }
})

test('a file that is listed like a package is told from a package that is not installed', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'mine.mjs'), '')
  const configFile = join(folder, 'satchel.yaml')

  const message = /write "\.\/mine\.mjs"/
  await assert.rejects(loadPlugin('mine.mjs', configFile), { reason: 'plugin_not_found', message })
  await assert.rejects(loadPlugin('other.mjs', configFile), { message: /Install it there/ })
})

test('a name that no scope of a token can hold, or that is the host’s own, is refused', async (t) => {
  const folder = await temporaryFolder(t)
  const configFile = join(folder, 'satchel.yaml')
  const shape =
    'config: { shape: {}, safeParse: () => ({ success: true, data: {} }) }, setup: async () => ({})'
  const load = async (name: string) => {
    const file = `./${Buffer.from(name).toString('hex')}.mjs`
    const text = `export default { name: ${JSON.stringify(name)}, version: '1.0.0', apiVersion: 1, ${shape} }`
    await writeFile(join(folder, file), text)
    return (await loadPlugin(file, configFile)).plugin.name
  }

  for (const name of ['host', 'My Plugin', '../x', 'a:b']) {
    await assert.rejects(load(name), { reason: 'plugin_shape', message: /its name must be a-z/ }, name)
  }
  for (const name of ['word-count', 'word_count', '@acme/jira', '2fa']) assert.equal(await load(name), name)
})

test('all that the exported object lacks is told together, and another contract before its shape', async (t) => {
  const folder = await temporaryFolder(t)
  const configFile = join(folder, 'satchel.yaml')
  await writeFile(join(folder, 'empty.mjs'), 'export default {}\n')
  await writeFile(
    join(folder, 'next.mjs'),
    "export default { name: 'next', version: '1.0.0', apiVersion: 2 }\n",
  )

  await assert.rejects(loadPlugin('./empty.mjs', configFile), {
    reason: 'plugin_shape',
    message: /it states no name and version; it has no setup function; its config is not a zod object\.$/,
  })
  await assert.rejects(loadPlugin('./next.mjs', configFile), { reason: 'plugin_api' })
})
