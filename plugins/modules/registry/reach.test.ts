import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReach } from './reach.ts'
import { parseRemote, type RegistryRemote } from './remote.ts'

function registryAt(host: string): RegistryRemote {
  const remote = parseRemote(`${host}/acme/net/aws`, '/')
  assert.ok(remote.scheme === 'registry')
  return remote
}

const PUBLIC = registryAt('93.184.215.14')
const PRIVATE = registryAt('10.1.2.3:8443')
const operator = { kind: 'operator' } as const

test('what a registry on the public internet names has to be public, unless the configuration names its host', async () => {
  const reach = await openReach(PUBLIC, operator, new Set(['10.9.9.9:443']))

  for (const url of [
    'https://127.0.0.1/x',
    'https://[::1]:8443/x',
    'https://169.254.169.254/latest',
    'http://localhost:1/x',
  ]) {
    await assert.rejects(reach.resolverOf(new URL(url)), { code: 'forbidden', reason: 'host_refused' }, url)
  }
  assert.equal(await reach.resolverOf(new URL('https://10.9.9.9/x')), undefined)
  assert.equal(typeof (await reach.resolverOf(new URL('https://93.184.215.15/x'))), 'function')
  assert.equal(await reach.resolverOf(new URL('https://93.184.215.14/x')), undefined)
  assert.equal(reach.named.kind, 'caller')
  await assert.rejects(async () => reach.named.kind === 'caller' && reach.named.resolvePath('/etc'), {
    reason: 'package_address_refused',
  })
})

test('a private registry of the configuration may name private hosts', async () => {
  const reach = await openReach(PRIVATE, operator, new Set())

  assert.equal(await reach.resolverOf(new URL('https://127.0.0.1/x')), undefined)
  assert.equal(reach.named.kind, 'operator')
})

test('the address that was checked is the one that is connected', async () => {
  const resolveHost = async (host: string): Promise<readonly string[]> =>
    host === 'good.example.com' ? ['93.184.215.14', '2606:2800:21f::1'] : ['93.184.215.14', '127.0.0.1']
  const resolvePath = async (path: string): Promise<string> => path
  const trust = { kind: 'caller' as const, known: new Set<string>(), resolvePath, resolveHost }
  const reach = await openReach(registryAt('good.example.com'), trust, new Set())
  const lookup = await reach.resolverOf(new URL('https://good.example.com/x'))

  const given = await new Promise((resolve) => {
    lookup?.('anything', { all: true }, (_error, addresses) => resolve(addresses))
  })
  assert.deepEqual(given, [
    { address: '93.184.215.14', family: 4 },
    { address: '2606:2800:21f::1', family: 6 },
  ])
  await assert.rejects(reach.resolverOf(new URL('https://both.example.com/x')), { reason: 'host_refused' })
})
