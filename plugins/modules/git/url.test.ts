import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { isSatchelError } from '../../../server/plugin.ts'
import { admit } from './admission.ts'
import { isPublicAddress } from './public-address.ts'
import { endpoint, nameFromUrl, parseRemoteUrl } from './url.ts'

const parse = (url: string) => parseRemoteUrl(url, '/work')

test('https, ssh, scp-like, file URLs and local paths are read', () => {
  assert.deepEqual(
    [
      'https://github.com/a/terraform-x.git',
      'ssh://git@github.com:2222/a/x',
      'git@github.com:a/x.git',
      'file:///srv/git/x.git',
      '/srv/git/x.git',
      './x',
      'http://git.example.com/x',
    ].map((typed) => {
      const { url, fetchUrl, scheme } = parse(typed)
      return [url, fetchUrl, scheme]
    }),
    [
      ['https://github.com/a/terraform-x.git', 'https://github.com/a/terraform-x.git', 'https'],
      ['ssh://git@github.com:2222/a/x', 'ssh://git@github.com:2222/a/x', 'ssh'],
      ['git@github.com:a/x.git', 'git@github.com:a/x.git', 'ssh'],
      ['file:///srv/git/x.git', 'file:///srv/git/x.git', 'file'],
      ['/srv/git/x.git', 'file:///srv/git/x.git', 'file'],
      ['/work/x', 'file:///work/x', 'file'],
      ['http://git.example.com/x', 'http://git.example.com/x', 'http'],
    ],
  )
})

test('a secret in a URL is in no form of the parsed URL', () => {
  const remote = parse('https://x-access-token:ghp_CANARY0123456789@github.com/a/x.git')

  assert.equal(remote.url, 'https://github.com/a/x.git')
  assert.deepEqual(remote.credential?.(), { user: 'x-access-token', password: 'ghp_CANARY0123456789' })
  assert.doesNotMatch(inspect(remote, { depth: 9 }) + JSON.stringify(remote), /CANARY/)
})

test('a refusal never repeats what was typed', () => {
  for (const typed of ['ftp://u:CANARY@h/x', 'https://u:CANARY@h h/x', 'http://u:CANARY@h/x', 'CANARY']) {
    assert.throws(
      () => parse(typed),
      (error) =>
        isSatchelError(error) && error.reason === 'url_refused' && !inspect(error).includes('CANARY@'),
    )
  }
})

test('a local path with a blank is refused with the form that is read', () => {
  assert.throws(() => parse('/srv/my modules/x.git'), /write the path as a file:\/\/\/ URL, with %20/)
  assert.throws(
    () => parse('https://h.example/a b'),
    (error) => error instanceof Error && !error.message.includes('file:'),
  )

  assert.equal(parse('file:///srv/my%20modules/x.git').localPath, '/srv/my modules/x.git')
})

test('an address of ssh without a user is refused with the two forms that are read', () => {
  assert.throws(() => parse('git.example.com:team/net.git'), {
    reason: 'url_refused',
    message: /user@host:path or ssh:\/\/host\/path/,
  })
  assert.equal(parse('ssh://git.example.com/team/net.git').fetchUrl, 'ssh://git.example.com/team/net.git')
})

test('any input is read or refused as a URL, never as anything else', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (typed) => {
      try {
        const { fetchUrl } = parse(typed)
        assert.ok(!fetchUrl.startsWith('-') && !/\s|::/.test(fetchUrl.replace(/\[.*?\]/, '')))
      } catch (thrown) {
        assert.ok(isSatchelError(thrown) && thrown.reason === 'url_refused', inspect(thrown))
      }
    }),
  )
})

test('a repository is called by the last part of its URL', () => {
  assert.deepEqual(
    [
      'https://h/a/terraform-aws-vpc.git',
      'git@h:x.git',
      'https://h/a/b/',
      '/srv/My.Mod.git/',
      '/srv/git/net/.git',
    ].map(nameFromUrl),
    ['terraform-aws-vpc', 'x', 'b', 'My.Mod', 'net'],
  )
})

test('only addresses of the public internet count as public', () => {
  const hidden = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    'fe80::1%eth0',
    'nonsense',
  ]
  assert.deepEqual(hidden.filter(isPublicAddress), [])
  assert.deepEqual(
    ['140.82.121.4', '8.8.8.8', '2606:4700::1111'].filter((a) => !isPublicAddress(a)),
    [],
  )
})

test('a caller reaches public hosts, pinned to the address that was checked, and hosts the operator named', async () => {
  const addresses: Record<string, string[]> = {
    'github.com': ['140.82.121.4', '2606:4700::1111'],
    'evil.example': ['140.82.121.4', '127.0.0.1'],
    'inner.corp': ['10.0.0.1'],
  }
  const trust = {
    kind: 'caller',
    known: new Set([endpoint(parse('https://inner.corp/a')) ?? '']),
    resolvePath: async (path: string) => path,
    resolveHost: async (host: string) => addresses[host] ?? [],
  } as const

  const admitted = await admit(parse('https://github.com/a/b'), trust)
  const inner = await admit(parse('https://inner.corp/other'), trust)

  assert.deepEqual(admitted.config, [
    'http.curloptResolve=github.com:443:140.82.121.4,[2606:4700::1111]',
    'http.followRedirects=false',
  ])
  assert.deepEqual(inner.config, [])
  for (const url of [
    'https://evil.example/x',
    'https://127.0.0.1/x',
    'https://[::ffff:7f00:1]/x',
    'https://169.254.169.254/latest',
    'https://inner.corp:8443/x',
    'ssh://git@10.0.0.1/x',
    'git@inner.corp:x',
    'https://nowhere.example/x',
  ]) {
    await assert.rejects(admit(parse(url), trust), { reason: 'host_refused' }, url)
  }
  await assert.rejects(admit(parse('http://github.com/a/b'), trust), { reason: 'url_refused' })
})
