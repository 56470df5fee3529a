import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { loadHostTokens, tokenVariable } from './host-tokens.ts'

test('a token is found in the environment, in .terraformrc and in what terraform login saved, in this order', async (t) => {
  const home = await temporaryFolder(t)
  await mkdir(join(home, '.terraform.d'))
  const saved = { 'app.terraform.io': { token: 'saved' }, 'only.example.com': { token: 'login' } }
  await writeFile(join(home, '.terraform.d', 'credentials.tfrc.json'), JSON.stringify({ credentials: saved }))
  await writeFile(
    join(home, '.terraformrc'),
    [
      'plugin_cache_dir = "/tmp/x"',
      'credentials "app.terraform.io" {\n  token = "block"\n}',
      'credentials "Registry.Example.com:8443" {\n  token = "port"\n}',
      'credentials "helper.example.com" {\n  token = some.expression\n}',
      'credentials "my-registry.example.com" { token = "block" }',
    ].join('\n'),
  )
  const env = { HOME: home, TF_TOKEN_my__registry_example_com: 'variable', TF_TOKEN_empty_example_com: '' }

  const tokenOf = await loadHostTokens(env)

  const hosts = [
    'app.terraform.io',
    'APP.terraform.io',
    'registry.example.com:8443',
    'registry.example.com',
    'my-registry.example.com',
    'only.example.com',
    'helper.example.com',
    'empty.example.com',
    'other.example.com',
  ]
  assert.deepEqual(hosts.map(tokenOf), [
    'block',
    'block',
    'port',
    undefined,
    'variable',
    'login',
    undefined,
    undefined,
    undefined,
  ])
  assert.equal(tokenVariable('my-registry.example.com'), 'TF_TOKEN_my__registry_example_com')
})

test('TF_CLI_CONFIG_FILE names the file in place of the usual one, and damaged files have no tokens', async (t) => {
  const home = await temporaryFolder(t)
  await mkdir(join(home, '.terraform.d'))
  await writeFile(join(home, '.terraform.d', 'credentials.tfrc.json'), '{"credentials": [')
  await writeFile(join(home, '.terraformrc'), 'credentials "a.example.com" {\n  token = "usual"\n}\n')
  await writeFile(
    join(home, 'own.tfrc'),
    'credentials "b.example.com" {\n  token = "own"\n}\n}}} credentials {',
  )
  const named = await loadHostTokens({ HOME: home, TF_CLI_CONFIG_FILE: join(home, 'own.tfrc') })
  const missing = await loadHostTokens({ HOME: home, TF_CLI_CONFIG_FILE: join(home, 'none.tfrc') })

  assert.deepEqual(['a.example.com', 'b.example.com'].map(named), [undefined, 'own'])
  assert.equal(missing('a.example.com'), undefined)
})

test('a process without HOME, as a service, reads the files in the home of its user, never those of its folder', async (t) => {
  const home = await temporaryFolder(t)
  await writeFile(join(home, '.terraformrc'), 'credentials "a.example.com" {\n  token = "own"\n}\n')
  const before = process.env['HOME']

  process.env['HOME'] = home // what the system says of this user, as long as the folder is asked for
  const reading = [loadHostTokens({}), loadHostTokens({ HOME: '' })]
  if (before === undefined) delete process.env['HOME']
  else process.env['HOME'] = before

  for (const tokenOf of await Promise.all(reading)) assert.equal(tokenOf('a.example.com'), 'own')
})
