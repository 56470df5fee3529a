import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownSource } from './shown-source.ts'

test('a source is shown without what may be a secret, and otherwise as it is', () => {
  const shown = [
    [
      'git::https://user:s3cret@host.example/a/b.git//sub?ref=v1',
      'git::https://***@host.example/a/b.git//sub?ref=v1',
    ],
    ['https://s3cret@host.example/a', 'https://***@host.example/a'],
    ['https://user:s3@cret@host.example/a', 'https://***@host.example/a'],
    ['git::ssh://git:s3cret@host.example/a.git', 'git::ssh://***@host.example/a.git'],
    [
      'https://host.example/m.zip?X-Token=s3cret&archive=zip',
      'https://host.example/m.zip?X-Token=***&archive=zip',
    ],
    [
      's3::https://h.example/b?aws_access_key_secret=s3cret',
      's3::https://h.example/b?aws_access_key_secret=***',
    ],
    [
      'git::ssh://git@host.example/a.git?ref=v1&sshkey=s3cret',
      'git::ssh://git@host.example/a.git?ref=v1&sshkey=***',
    ],
  ]
  for (const [typed = '', wanted] of shown) assert.equal(shownSource(typed), wanted)
  const plain = [
    './modules/a',
    'acme/net/aws',
    'git@host.example:a/b.git',
    'git::ssh://git@host.example/a.git?ref=v1.2',
    'oci://host.example/a?tag=1.2',
  ]
  for (const typed of plain) assert.equal(shownSource(typed), typed)
})
