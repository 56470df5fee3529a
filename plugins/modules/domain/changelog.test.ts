import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changelogBetween } from './changelog.ts'

const LOG = `# Changelog
Text of 9.9.9 before any version.

## [Unreleased]

# [v3.0.0] - 2026

Third.

## 2.1.0 (2025-02-02)

\`\`\`
## 2.5.0
\`\`\`
Second and a bit.

<a name="2.0.0"></a>
## Release 2.0.0

### BREAKING CHANGES
- drops x
### Added
- y

## 1.0.0
First.
`

test('the part between two refs is what their headings enclose', () => {
  const rows: [from: string, to: string, versions: string[] | undefined][] = [
    ['v1.0.0', 'v2.1.0', ['2.1.0', '2.0.0']],
    ['1.0.0', 'v3.0.0', ['v3.0.0', '2.1.0', '2.0.0']],
    ['v2.1.0', 'v2.1.0', undefined],
    ['v3.0.0', 'v1.0.0', undefined],
    ['main', 'v2.0.0', undefined],
    ['v3.0.0', 'v4.0.0', undefined],
  ]

  for (const [from, to, versions] of rows)
    assert.deepEqual(changelogBetween(LOG, from, to)?.versions, versions)

  assert.match(
    changelogBetween(LOG, 'v2.0.0', 'v2.1.0')?.text ?? '',
    /^## 2\.1\.0[\s\S]+## 2\.5\.0[\s\S]+a bit\./,
  )
})

test('a long part is what its authors call breaking, and hostile text costs bounded time and length', () => {
  const long = LOG.replace('- y', '- y\n'.repeat(3000))
  const hostile = [
    `## 2.0.0\n${'<!--'.repeat(200_000)}`,
    `## 2.0.0\n${'['.repeat(500_000)}`,
    '## 2.0.0\n'.repeat(60_000),
    `## 2.0.0\n<!-- a -->${'\u0000\u202e'.repeat(100_000)}`,
    `## ${'<a '.repeat(100_000)}2.0.0`,
  ]

  const part = changelogBetween(long, 'v1.0.0', 'v2.0.0')
  const texts = hostile.map((text) => changelogBetween(text, 'v1.0.0', 'v2.0.0')?.text ?? '')

  assert.equal(part?.shortened, true)
  assert.match(part?.text ?? '', /drops x/)
  assert.doesNotMatch(part?.text ?? '', /- y/)
  for (const text of texts) assert.ok(text.length <= 4000)
})
