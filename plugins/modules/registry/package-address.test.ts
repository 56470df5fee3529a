import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSatchelError } from '../../../server/plugin.ts'
import { parsePackageAddress } from './package-address.ts'

const BASE = new URL('https://registry.example.com/v1/modules/acme/net/aws/1.0.0/download')

/** `kind url//subdirectory details`, or the reason of the refusal. */
function read(text: string): string {
  try {
    const address = parsePackageAddress(text, BASE)
    const place = `${address.kind} ${address.kind === 'git' ? address.url : address.url.href}//${address.subdirectory}`
    if (address.kind === 'git') return `${place} ${address.ref ?? ''}`.trim()
    const { format = '', checksum } = address
    return `${place} ${format} ${checksum ? `${checksum.algorithm}:${checksum.digest}` : ''}`.trim()
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return thrown.reason
  }
}

test('an address of a package is read as Terraform reads it', () => {
  const md5 = 'a'.repeat(32)
  const sha256 = 'AB'.repeat(32)
  const cases: Readonly<Record<string, string>> = {
    'https://h.example.com/a.tar.gz': 'archive https://h.example.com/a.tar.gz//.',
    'https://h.example.com/a.zip?archive=zip&sig=a+b%2F':
      'archive https://h.example.com/a.zip?sig=a+b%2F//. zip',
    'https://h.example.com/tarball/v1//*?archive=tar.gz':
      'archive https://h.example.com/tarball/v1//* tar.gz',
    'https://h.example.com/a//modules/b/?x=1//2': 'archive https://h.example.com/a?x=1//2//modules/b',
    './a.tar.gz': 'archive https://registry.example.com/v1/modules/acme/net/aws/1.0.0/a.tar.gz//.',
    '../../x/a.tgz?archive=tgz': 'archive https://registry.example.com/v1/modules/acme/net/x/a.tgz//. tgz',
    '/files/a.zip//sub': 'archive https://registry.example.com/files/a.zip//sub',
    [`https://h.example.com/a?checksum=${md5}`]: `archive https://h.example.com/a//.  md5:${md5}`,
    [`https://h.example.com/a?checksum=sha256:${sha256}`]: `archive https://h.example.com/a//.  sha256:${sha256.toLowerCase()}`,
    [`https://h.example.com/a?checksum=sha1:${md5}`]: 'package_address_refused',
    'git::https://h.example.com/team/net.git?ref=v1.0.0&depth=1':
      'git https://h.example.com/team/net.git//. v1.0.0',
    'git::https://h.example.com/team/net//modules/sub': 'git https://h.example.com/team/net//modules/sub',
    'git::ssh://git@h.example.com/team/net?ref=x': 'git ssh://git@h.example.com/team/net//. x',
    'git@github.com:team/net.git?ref=x': 'git git@github.com:team/net.git//. x',
    'github.com/team/net//sub?ref=x': 'git https://github.com/team/net//sub x',
    'https://h.example.com/team/net.git?ref=x': 'git https://h.example.com/team/net.git//. x',
    'git::file:///etc': 'package_address_refused',
    'git::../x': 'package_address_refused',
    'git::--upload-pack=x': 'package_address_refused',
    'file:///etc/passwd': 'package_address_refused',
    '//h.example.com/x': 'package_address_refused',
    '//git::https://': 'package_address_refused',
    '//h.example.com/x://y': 'package_address_refused',
    's3::https://s3.example.com/x': 'package_address_refused',
    'hg::https://h.example.com/x': 'package_address_refused',
    'https://h.example.com/a b': 'package_address_refused',
    'https://u:p@h.example.com/a': 'package_address_refused',
    'https://h.example.com/a//../../b': 'path_refused',
    [`https://h.example.com/${'a'.repeat(9000)}`]: 'package_address_refused',
    '': 'package_address_refused',
  }

  for (const [text, wanted] of Object.entries(cases)) assert.equal(read(text), wanted, text.slice(0, 80))
})

test('any text is an address or refused, and no refusal repeats it', () => {
  const part = fc.constantFrom(
    'git::',
    'https://',
    'http://',
    '//',
    '/',
    '..',
    '?ref=',
    '?checksum=',
    '&',
    '@',
    ':',
    '*',
    'h.example.com',
    'SECRET',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 5 })), { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      try {
        parsePackageAddress(text, BASE)
      } catch (thrown) {
        assert.ok(isSatchelError(thrown), String(thrown))
        assert.ok(!thrown.message.includes('SECRET'))
      }
    }),
    { numRuns: 2000 },
  )
})
