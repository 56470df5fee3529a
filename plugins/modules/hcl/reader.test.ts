import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cpuMsOf } from '../../../test/harness/cpu-time.ts'
import { describe, openingOf } from '../domain/description.ts'
import type { Json } from '../domain/summary.ts'
import { statedSource } from './attribute.ts'
import type { Block, Body } from './body.ts'
import { splitList, splitObject } from './collections.ts'
import { extractFacts } from './facts.ts'
import { readJsonModule } from './json-module.ts'
import { readLiteral } from './literals.ts'
import { readHcl } from './reader.ts'
import { topComment } from './top-comment.ts'

const SEED = 20_240_611

test('a block keeps its labels, its attributes in order and its lines', () => {
  const { blocks, problems, doubts } = readHcl(
    '\n# c\nresource "a_b" c {\n  z = 1\n  a = [\n    2,\n  ]\n}\n',
  )

  assert.deepEqual([problems, doubts], [[], []])
  assert.deepEqual(blocks, [
    {
      type: 'resource',
      labels: ['a_b', 'c'],
      line: 3,
      endLine: 8,
      body: {
        attributes: new Map([
          ['z', { kind: 'source', text: '1', line: 4 }],
          ['a', { kind: 'source', text: '[\n    2,\n  ]', line: 5 }],
        ]),
        blocks: [],
      },
    },
  ])
})

test('comments between items are kept with their lines, comments beside and in values are not', () => {
  const { comments } = readHcl('# one\na = 1 # beside\n/* two\nlines */\nb = [ // in the list\n]\n')

  assert.deepEqual(comments, [
    { text: '# one', line: 1, endLine: 1 },
    { text: '/* two\nlines */', line: 3, endLine: 4 },
  ])
})

const value: fc.Memo<Json> = fc.memo((depth) =>
  depth <= 1
    ? leaf
    : fc.oneof(
        leaf,
        fc.array(value(), { maxLength: 4 }),
        fc.dictionary(fc.string(), value(), { maxKeys: 4 }),
      ),
)
const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
  fc.string({ unit: 'grapheme' }),
)

/** JSON as HCL source: the same value with every string quoted and templates escaped. */
function print(json: Json): string {
  if (typeof json === 'string') return quote(json)
  if (json === null || typeof json !== 'object') return JSON.stringify(json).replace('e+', 'e')
  if (Array.isArray(json)) return `[${json.map(print).join(', ')}]`
  return `{${Object.entries(json)
    .map(([key, inner]) => `${quote(key)} = ${print(inner)}`)
    .join(', ')}}`
}

function quote(text: string): string {
  const escaped = text.replace(/[\u0000-\u001f"\\\u007f-\u009f]/g, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${escaped.replace(/[$%]\{/g, (marker) => `${marker[0]}${marker}`)}"`
}

function normalized(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_, inner) =>
    typeof inner === 'string' ? inner.normalize('NFC') : inner,
  )
}

test('any JSON value written as HCL reads back as that value', () => {
  fc.assert(
    fc.property(value(4), (json) => {
      const source = print(json)
      const file = readHcl(`variable "x" {\n  default = ${source}\n}\n`)

      assert.deepEqual([file.problems, file.doubts], [[], []])
      const { facts } = extractFacts(file)
      assert.deepEqual(facts.variables[0]?.default, { value: normalized(json) })
    }),
    { seed: SEED, numRuns: 300 },
  )
})

const token = fc.constantFrom(
  ...[
    'variable "x" {',
    '}',
    '{',
    '[',
    ']',
    '(',
    ')',
    '"',
    '${',
    '%{',
    '$${',
    '\\',
    '<<EOT',
    '<<-E',
    'EOT',
    'E',
    '\n',
    '\r\n',
  ],
  ...[
    '=',
    '==',
    '=>',
    ',',
    ':',
    '#',
    '//',
    '/*',
    '*/',
    'a',
    'a = 1',
    'default',
    '1e400',
    '\t',
    ' ',
    '\u0000',
    'é',
    '\uFEFF',
    '<<<<<<<',
  ],
)

test('no text makes the reader throw, and everything it reports lies inside the text', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
      const source = tokens.join('')
      const file = readHcl(source)
      const lines = source.split('\n').length

      for (const { line } of [...file.problems, ...file.doubts]) assert.ok(line >= 1 && line <= lines)
      for (const { offset } of file.problems) assert.ok(offset >= 0 && offset <= source.length)
      for (const { line, endLine } of file.comments)
        assert.ok(line >= 1 && line <= endLine && endLine <= lines)
      eachBlock(file, (block) => {
        assert.ok(
          (block.line ?? 0) >= 1 &&
            (block.endLine ?? 0) >= (block.line ?? 0) &&
            (block.endLine ?? 0) <= lines,
        )
      })
      extractFacts(file)
      topComment(file)
    }),
    { seed: SEED, numRuns: 3_000 },
  )
})

function eachBlock(body: Body, check: (block: Block) => void): void {
  for (const block of body.blocks) {
    check(block)
    eachBlock(block.body, check)
  }
}

test('literals, collections and JSON modules take any text without throwing', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
      const source = tokens.join('')
      readLiteral(source)
      splitList(source)
      splitObject(source)
      statedSource({ kind: 'source', text: source, line: 1 })
      readJsonModule(source)
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})

const MIB = 1024 * 1024
const HOSTILE: Readonly<Record<string, string>> = {
  'one string': `a = "${'x'.repeat(MIB)}"\n`,
  'open brackets': `a = ${'['.repeat(MIB)}`,
  'open brackets on lines': `a = ${'[\n'.repeat(MIB / 2)}`,
  'open templates': `a = "${'${'.repeat(MIB / 2)}`,
  'open template strings': `a = ${'"${'.repeat(MIB / 3)}`,
  'open blocks': 'a {\n'.repeat(MIB / 4),
  'open blocks that hold values': 'a {\nb = 1\n'.repeat(MIB / 10),
  'heredocs without end': 'a {\nb = <<E\n}\n'.repeat(MIB / 13),
  'heredocs of many names': Array.from({ length: MIB / 18 }, (_, at) => `a {\nb = <<E${at}\n}\n`).join(''),
  'templates in heredocs': `a = <<E\n${'${\n'.repeat(MIB / 3)}`,
  'comments without end': 'a {\n/*\n'.repeat(MIB / 7),
  'strings without end': 'a {\nb = "\n}\n'.repeat(MIB / 11),
  'closing braces': '}'.repeat(MIB),
  labels: `a ${'"b" '.repeat(MIB / 4)}`,
  'label blanks': `${`a${' '.repeat(1000)}\n`.repeat(MIB / 1002)}`,
  'top attributes': 'a=1\n'.repeat(MIB / 4),
  'many names': Array.from({ length: MIB / 16 }, (_, at) => `variable v${at} {}\n`).join(''),
  'one name': 'variable "x" {\n}\n'.repeat(MIB / 17),
  dollars: `a = "${'$'.repeat(MIB)}"\n`,
  escapes: `a = "${'\\n'.repeat(MIB / 2)}"\n`,
  'bad escapes': `variable "x" {\n default = "${'\\q'.repeat(MIB / 2)}"\n}\n`,
  numbers: `variable "x" {\n default = [${'1,'.repeat(MIB / 2)}]\n}\n`,
  zeros: `variable "x" {\n default = 1${'0'.repeat(MIB)}\n}\n`,
  keys: `variable "x" {\n default = {${Array.from({ length: MIB / 12 }, (_, at) => `k${at}=1`).join(',')}}\n}\n`,
  'blank lines': `variable "x" {\n default = <<-E\n${' \n'.repeat(MIB / 2)}E\n}\n`,
  'carriage returns': '\r'.repeat(MIB),
  'conflict markers': `a {\n${'<<<<<<<\n'.repeat(MIB / 8)}}\n`,
  'garbage lines': '@\n'.repeat(MIB / 2),
  quotes: '"'.repeat(MIB),
  marks: `a${'\u0301'.repeat(MIB / 2)} = 1\n`,
}

/** Linear reading takes a tenth of this on a slow machine, quadratic reading minutes. */
const CPU_LIMIT_MS = 2_000

for (const [name, source] of Object.entries(HOSTILE)) {
  test(`a mebibyte of ${name} is read in linear time`, () => {
    const spent = cpuMsOf(() => {
      const file = readHcl(source)
      extractFacts(file)
      topComment(file)
    })

    assert.ok(spent < CPU_LIMIT_MS, `${spent} ms`)
  })
}

const HOSTILE_README: Readonly<Record<string, string>> = {
  'open links': '['.repeat(MIB),
  'half links': '[](('.repeat(MIB / 4),
  'open tags': '<a '.repeat(MIB / 3),
  'nested elements': `${'<div>'.repeat(MIB / 11)}${'</div>'.repeat(MIB / 11)}`,
  'open comments': '<!--'.repeat(MIB / 4),
  fences: '```\n'.repeat(MIB / 4),
  'table rules': `${'|-'.repeat(MIB / 2)}`,
  dashes: `a\n${'-'.repeat(MIB)}`,
  'front matter': `---\n${'x\n'.repeat(MIB / 2)}`,
  'docs markers': '<!-- BEGIN_TF_DOCS -->\n'.repeat(MIB / 23),
  emphasis: '**'.repeat(MIB / 2),
  blanks: ' '.repeat(MIB),
  hashes: '#'.repeat(MIB),
  'list of hashes': '# \n'.repeat(MIB / 3),
  'paragraph lines': 'word\n'.repeat(MIB / 5),
}

for (const [name, readme] of Object.entries(HOSTILE_README)) {
  test(`a mebibyte README of ${name} is described in linear time`, () => {
    const spent = cpuMsOf(() =>
      describe({ readme: openingOf(readme), topComments: [readme.slice(0, 8_000)] }),
    )

    assert.ok(spent < CPU_LIMIT_MS, `${spent} ms`)
  })
}
