import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openProject, refusalOf } from '../testing/run-cli.ts'

test('config show prints the effective values and their origins', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http:\n  port: 8001\n  token: a-long-token\n')

  const ran = await satchel(['config', 'show', '--origin', '--json'], { env: { SERVER_HOST: '127.0.0.1' } })

  const values: { key: string; value: unknown; origin: string }[] = JSON.parse(ran.out).values
  const of = (key: string) => values.find((one) => one.key === key)
  assert.deepEqual(of('http.host'), { key: 'http.host', value: '127.0.0.1', origin: 'SERVER_HOST' })
  assert.equal(of('http.port')?.origin, `${join(root, 'satchel.yaml')}:2`)
  assert.equal(of('http.token')?.value, '[redacted]')
  assert.equal(of('tools.answer_tokens')?.value, 4000)
  assert.equal(of('tools.profile')?.origin, 'default')
})

test('config show prints the settings of third-party plugins, as written if a plugin cannot be loaded', async (t) => {
  const { root, satchel } = await openProject(t)
  const probe = join(import.meta.dirname, '../testing/probe-plugin.ts')
  const lines = [
    'plugins:',
    `  ${probe}: { hang: true }`,
    '  "@acme/absent": { team: core, api_key: abc }',
    '  ./bare.js:',
  ]
  await writeFile(join(root, 'satchel.yaml'), `${lines.join('\n')}\n`)

  const ran = await satchel(['config', 'show', '--origin', '--json'])

  const values: { key: string }[] = JSON.parse(ran.out).values
  const file = join(root, 'satchel.yaml')
  assert.equal(ran.code, 0)
  assert.deepEqual(
    values.filter(({ key }) => key.startsWith('plugins.')),
    [
      { key: `plugins.${probe}.fail_setup`, value: false, origin: 'default' },
      { key: `plugins.${probe}.hang`, value: true, origin: `${file}:2` },
      { key: 'plugins.@acme/absent.team', value: 'core', origin: `${file}:3` },
      { key: 'plugins.@acme/absent.api_key', value: '[redacted]', origin: `${file}:3` },
      { key: 'plugins../bare.js', value: {}, origin: `${file}:4` },
    ],
  )
  assert.match(ran.err, /"@acme\/absent" was not found.*Its settings are shown as written/)
})

test('a configuration error names key, line and nearest key, with exit 3', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http:\n  prot: 8001\n')

  const ran = await satchel(['config', 'show', '--json'])

  assert.equal(ran.code, 3)
  assert.deepEqual(refusalOf(ran).error.details, { key: 'http.prot', line: 2, nearest: 'port' })
})
