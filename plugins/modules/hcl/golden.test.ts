import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Ajv } from 'ajv'
import { findLicences } from '../domain/licence.ts'
import { moduleFlavour } from '../domain/module-files.ts'
import { findReadme } from '../domain/readme.ts'
import { summarize } from '../domain/summarize.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { parseModuleFile } from './parse-file.ts'

const TESTDATA = join(import.meta.dirname, '..', 'testdata')
const cases = readdirSync(TESTDATA, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const { openReference } = await import('./reference.lazy.ts')
const reference = openReference()
after(() => reference.close())

async function summaryOf(name: string, reversed = false): Promise<ModuleSummary> {
  const names = readdirSync(join(TESTDATA, name))
  const read = (file: string) => readFileSync(join(TESTDATA, name, file))
  const modules = names.filter((file) => moduleFlavour(file) !== undefined)
  const readme = findReadme(names)
  const files = await Promise.all(
    modules.map(async (file) => ({ name: file, facts: await parseModuleFile(file, read(file), reference) })),
  )
  return summarize({
    repository: 'https://git.example.com/acme/terraform-aws-network',
    ref: 'v1.0.0',
    refKind: 'tag',
    commit: '0123456789abcdef0123456789abcdef01234567',
    path: '.',
    name: 'terraform-aws-network',
    kind: 'root',
    files: reversed ? files.reverse() : files,
    ...(readme === undefined
      ? {}
      : { readme: { name: readme, bytes: read(readme), size: read(readme).length } }),
    licences: findLicences(names).map(read),
  })
}

for (const name of cases) {
  test(`the summary of testdata/${name} is the one expected`, async () => {
    const path = join(TESTDATA, name, 'expected.json')

    const text = `${JSON.stringify(await summaryOf(name), null, 2)}\n`

    if (process.env['UPDATE'] === '1') writeFileSync(path, text)
    assert.equal(text, readFileSync(path, 'utf8'))
  })
}

test('every expected summary fits the published schema, and a wrong one does not', () => {
  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../schemas/module-summary.json'), 'utf8'),
  )
  const validate = new Ajv({ strict: true }).compile(schema)

  for (const name of cases) {
    const summary = JSON.parse(readFileSync(join(TESTDATA, name, 'expected.json'), 'utf8'))
    assert.equal(validate(summary), true, `${name}: ${JSON.stringify(validate.errors)}`)
    assert.equal(validate({ ...summary, surprise: 1 }), false)
    assert.equal(validate({ ...summary, kind: 'other' }), false)
  }
})

test('the same files in another order give the same bytes', async () => {
  for (const name of ['overrides', 'tofu', 'duplicates', 'basics']) {
    assert.equal(JSON.stringify(await summaryOf(name)), JSON.stringify(await summaryOf(name, true)))
  }
})

test('the mistakes that other readers make are not made here (design modules 10.3)', async () => {
  const commented = await summaryOf('commented-out')
  const broken = await summaryOf('broken-middle')
  const input = (summary: ModuleSummary, name: string) => summary.variables.find((one) => one.name === name)

  const nullDefault = input(commented, 'null_default')
  assert.deepEqual([nullDefault?.required, nullDefault?.default], [false, null])
  assert.deepEqual(input(commented, 'not_in_variables_tf')?.default, ['a', 'b', 'c'])
  assert.deepEqual([commented.resources, commented.providers], [[], []])
  assert.deepEqual(
    commented.modules.map(({ version }) => version),
    ['1.2.3'],
  )
  assert.equal(commented.description, 'Creates buckets that forget nothing, with a lifecycle for each.')
  assert.deepEqual(
    broken.variables.map(({ name }) => name),
    ['other_file', 'before', 'broken', 'after'],
  )
  assert.deepEqual(
    broken.diagnostics.map(({ code, file, line }) => [code, file, line]),
    [['parse_error', 'main.tf', 8]],
  )
})

test('versions that old modules state in several places all count', async () => {
  const files = Object.entries({
    'main.tf': 'terraform {\n  required_version = ">= 0.13"\n}\nprovider "aws" {\n  region  = "x"\n}\n',
    'other.tf':
      'provider "aws" {\n  alias   = "b"\n  version = "~> 2.0"\n}\nprovider "google" {\n  version = "1.0"\n}\n',
    'versions.tf':
      'terraform {\n  required_version = ">= 1.5"\n  required_providers {\n    google = ">= 3"\n  }\n}\nterraform {\n  required_version = ">= 0.13"\n}\n',
  })
  const { required_version, providers } = summarize({
    repository: 'r',
    ref: 'v1',
    refKind: 'tag',
    commit: 'c',
    path: '.',
    name: 'r',
    kind: 'root',
    files: await Promise.all(
      files.map(async ([name, text]) => ({
        name,
        facts: await parseModuleFile(name, Buffer.from(text), reference),
      })),
    ),
  })

  assert.equal(required_version, '>= 0.13, >= 1.5')
  assert.deepEqual(
    providers.map(({ name, version, inferred }) => [name, version, inferred]),
    [
      ['google', '>= 3', undefined],
      ['aws', '~> 2.0', true],
    ],
  )
})

/** One file for each rule that makes our reader ask (design modules 3.3); every other fixture asks nothing. */
const ASKED: readonly string[] = [
  'broken-heredoc/main.tf',
  'broken-heredoc/unended.tf',
  'broken-middle/main.tf',
  'broken-stray/comment.tf',
  'broken-stray/main.tf',
  'broken-string/empty.tf',
  'broken-string/main.tf',
  'broken-string/template.tf',
  'broken-unclosed-block/main.tf',
  'conflict-markers/main.tf',
  'doubt-comma/equals.tf',
  'doubt-comma/main.tf',
  'doubt-name/dotted.tf',
  'doubt-name/main.tf',
  'doubt-name/quoted.tf',
  'doubt-two-items/closing.tf',
  'doubt-two-items/main.tf',
  'doubt-two-items/nested.tf',
  'duplicates/c.tf',
  'unsure-depth/main.tf',
  'unsure-escape/main.tf',
  'unsure-heredoc/cr.tf',
  'unsure-heredoc/main.tf',
  'unsure-object/broken.tf',
  'unsure-object/main.tf',
]

test('the reference is asked once about each doubtful file and never about another', async () => {
  const asked: string[] = []
  for (const name of cases) {
    for (const file of readdirSync(join(TESTDATA, name)).filter(
      (entry) => moduleFlavour(entry) !== undefined,
    )) {
      const facts = await parseModuleFile(file, readFileSync(join(TESTDATA, name, file)), reference)
      asked.push(...Array.from({ length: facts.referenceReads }, () => `${name}/${file}`))
    }
  }

  assert.deepEqual(asked.sort(), ASKED)
})

test('a long README is stored up to 256 KiB and marked', async () => {
  const bytes = Buffer.from('word '.repeat(100_000))
  const summary = summarize({
    repository: 'https://git.example.com/acme/x',
    ref: 'main',
    refKind: 'branch',
    commit: '0'.repeat(40),
    path: '.',
    name: 'x',
    kind: 'root',
    files: [],
    readme: { name: 'README.md', bytes: bytes.subarray(0, 256 * 1024), size: bytes.length },
    diagnostics: [
      { severity: 'warning', code: 'symlink_skipped', message: 'b', file: 'b.tf' },
      { severity: 'warning', code: 'symlink_skipped', message: 'a', file: 'a.tf' },
    ],
  })

  assert.equal(summary.readme_content.length, 256 * 1024)
  assert.equal(summary.readme_truncated, true)
  assert.deepEqual(
    summary.diagnostics.map(({ file }) => file),
    ['a.tf', 'b.tf'],
  )
})
