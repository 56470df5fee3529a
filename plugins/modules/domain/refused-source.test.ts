import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNoRepository, refusedSource } from './refused-source.ts'

test('a source that Terraform refuses is told, with what was meant where that is plain', () => {
  const sources: readonly [source: string, suggestion?: string][] = [
    ['ssh://git@github.com/a/b.git', 'git::ssh://git@github.com/a/b.git'],
    ['git+ssh://git@h.example/a/b.git?ref=v1', 'git::ssh://git@h.example/a/b.git?ref=v1'],
    ['git+https://h.example/a/b', 'git::https://h.example/a/b'],
    ['https://github.com/a/b?ref=v1', 'git::https://github.com/a/b?ref=v1'],
    ['https://github.com/a/b.git//sub', 'git::https://github.com/a/b.git//sub'],
    ['https://gitlab.com/a/b/c.git', 'git::https://gitlab.com/a/b/c.git'],
    ['git::ssh://git@github.com:a/b.git?ref=v1', 'git::ssh://git@github.com/a/b.git?ref=v1'],
    ['git::https://github.com/a/b?tag=v1', 'git::https://github.com/a/b?ref=v1'],
    ['git@github.com:a/b.git//sub?depth=1&branch=main', 'git@github.com:a/b.git//sub?depth=1&ref=main'],
    ['git::https://github.com/a/b//../c'],
    ['github.com/a/b//c/../../d'],
    ['a/b/aws?ref=v1.2.0', 'a/b/aws'],
    ['a/b/aws//modules/c?version=1.2.0', 'a/b/aws//modules/c'],
    ['a/b/aws@1.2.0', 'a/b/aws'],
    ['registry.terraform.io/a/b/aws/1.2.0', 'registry.terraform.io/a/b/aws'],
    ['gitlab.com/a/b', 'git::https://gitlab.com/a/b'],
    ['git.example.com/a/b//c?ref=v1', 'git::https://git.example.com/a/b//c?ref=v1'],
    ['a/b/aws/', './a/b/aws/'],
    ['a/b/AWS', './a/b/AWS'],
    ['~/b', './~/b'],
    ['modules/b', './modules/b'],
    [' ./b', './b'],
    [''],
  ]

  for (const [source, suggestion] of sources) {
    const refused = refusedSource(source)
    assert.ok(refused, source)
    assert.equal(refused.suggestion, suggestion, source)
  }
  assert.match(
    refusedSource('a/b/aws?ref=v1.2.0')?.message ?? '',
    /Write a\/b\/aws and version = "1\.2\.0"\.$/,
  )
})

test('what Terraform may take is not refused', () => {
  const sources = [
    ...['.', '..', './a', '../a', './a?ref=1', './/a', '/opt/a', 'file:///opt/a'],
    ...['a/b/aws', 'a/b/aws//c', 'app.terraform.io/a/b/aws', 'gitlab.com/a/b/aws', 'h.example:8443/a/b/aws'],
    ...['github.com/a/b', 'github.com/a/b//c?ref=v1', 'bitbucket.org/a/b', 'git@h.example:a/b.git?ref=v1'],
    ...['git::https://h.example/a/b?ref=v1&depth=1', 'git::ssh://git@h.example:22/a/b', 'git::a@h.example:b'],
    ...['git::https://h.example/a/b//c/../d', 'git::https://h.example/a/b?ref=x//../y', 'git::file:///a//b'],
    ...[
      'https://h.example/a.zip',
      'https://h.example/a',
      'https://h.example/a.zip?version=1',
      'http::https://h/a',
    ],
    ...[
      'https://github.com/a/b/archive/refs/tags/v1.tar.gz//b-1',
      'https://github.com/a/b/archive/main?archive=zip',
    ],
    ...['https://gitlab.com/api/v4/projects/1/file', 's3::https://s3.amazonaws.com/a/b.zip'],
    ...['s3-eu-west-1.amazonaws.com/a/b.zip', 'www.googleapis.com/storage/v1/a/b.zip', 'oci://h.example/a'],
    ...['tfr:///a/b/aws?version=1.0.0', 'tfr://h.example/a/b/aws'],
  ]

  for (const source of sources) assert.equal(refusedSource(source), undefined, source)
})

test('a source of neither a repository nor a registry is told apart', () => {
  const others = [
    's3::https://h.example/b.zip',
    'gcs::https://h.example/b',
    'hg::http://h.example/a',
    'oci://h.example/a',
  ]
  for (const source of [
    ...others,
    'https://h.example/a.zip',
    'https://h.example/a?archive=zip',
    '/opt/a',
    'C:\\a',
  ])
    assert.ok(isNoRepository(source), source)
  for (const source of [
    'git::https://h.example/a.zip',
    'a/b/aws',
    'git@h.example:a/b',
    'https://h.example/a',
    'github.com/a/b',
  ])
    assert.ok(!isNoRepository(source), source)
})
