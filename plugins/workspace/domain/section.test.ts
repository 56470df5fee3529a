import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { leastCpuMsAtRest } from '../../../test/harness/cpu-time.ts'
import { findHeadings } from './heading.ts'
import { outlineOf } from './outline.ts'
import { sectionsOf } from './section.ts'
import { outlineRows, readTarget, writeTarget } from './span.ts'
import { formatTarget, overlaps, parseTarget } from './target.ts'
import { partsOf } from './text-parts.ts'

const DOCUMENT = `---
title: x
---
# Plan
intro
## Goals
one
### Near
two
## Goals
again
Wide
====
- item
  # inside the item
\`\`\`
# code
\`\`\`
<!--
# comment
-->
    # indented
# a/b #
last`

test('the outline names every heading by its path, once', () => {
  const paths = sectionsOf(DOCUMENT).map(({ path }) => path)

  assert.deepEqual(paths, ['Plan', 'Plan/Goals', 'Plan/Goals/Near', 'Plan/Goals#2', 'again Wide', 'a%2Fb'])
})

test('a section runs to the next heading of the same or a higher level', () => {
  assert.equal(
    readTarget(DOCUMENT, parseTarget('section:Plan/Goals'), outlineOf),
    '## Goals\none\n### Near\ntwo\n',
  )
  assert.equal(readTarget(DOCUMENT, parseTarget('section:a%2Fb'), outlineOf), '# a/b #\nlast')
})

test('replacing a section leaves every other byte alone and keeps the next heading on its own line', () => {
  const crlf = '\ufeff# A\r\ntext\r\n# B\r\nend'

  const changed = writeTarget(crlf, parseTarget('section:A'), '# A\r\nnew', outlineOf)

  assert.equal(changed, '\ufeff# A\r\nnew\r\n# B\r\nend')
  assert.equal(writeTarget(crlf, parseTarget('section:B'), 'x', outlineOf), '\ufeff# A\r\ntext\r\nx')
})

test('a target that names no section is refused as invalid_region', () => {
  for (const text of ['section:', 'section:None', 'nonsense', '']) {
    assert.throws(() => readTarget(DOCUMENT, parseTarget(text), outlineOf), {
      code: 'invalid',
      reason: 'invalid_region',
    })
  }
})

test('a target may have 512 characters and not one more', () => {
  const path = 'x'.repeat(512 - 'section:'.length)

  assert.equal(formatTarget(parseTarget(`section:${path}`)), `section:${path}`)
  assert.throws(() => parseTarget(`section:${path}x`), { code: 'invalid', reason: 'limit_exceeded' })
})

test('the whole document overlaps everything, a path its ancestors and descendants only', () => {
  const cases: [string, string, boolean][] = [
    ['workspace', 'section:A', true],
    ['*', 'workspace', true],
    ['section:A', 'section:A/B', true],
    ['section:A/B', 'section:A', true],
    ['section:A', 'section:A', true],
    ['section:A', 'section:AB', false],
    ['section:A/B', 'section:A/C', false],
  ]
  for (const [a, b, expected] of cases) {
    assert.equal(overlaps(parseTarget(a), parseTarget(b)), expected, `${a} and ${b}`)
    assert.equal(overlaps(parseTarget(b), parseTarget(a)), expected, `${b} and ${a}`)
  }
})

test('sizes in the outline are those of the spans', () => {
  assert.deepEqual(outlineRows(outlineOf('# A\nx\n## B\ny\n'), { maxDepth: 1, limit: 9 }).rows, [
    { target: 'section:A', level: 1, line: 1, lines: 4, bytes: 13 },
  ])
})

const LINES = [
  '# one',
  '## two ##',
  ' ### three',
  '#no',
  'text',
  'more text',
  '===',
  '---',
  '',
  '> quote',
  '> # quoted',
  '>',
  '- item',
  '  # in item',
  '  text in item',
  '1. first',
  '   # in first',
  '2) second',
  '-',
  '```',
  '~~~ js',
  '~~~',
  '    # code\n\nend\n',
  '\t# tab\n\nend\n',
  '<!-- one line -->',
  '<!--',
  '-->',
  '<div>',
  '</div>',
  '[a]: /b',
  ' [b]: <c> "title"',
  '[c]:',
  '/d',
  '"title"',
  "'open",
  '[e]: (f) (g) h',
  '* * *',
  '* - nested',
  '> - both',
  '  ',
]

/** The same question asked of a full CommonMark parser. */
function headingsByParser(text: string): { level: number; line: number }[] {
  return fromMarkdown(text).children.flatMap((node) =>
    node.type === 'heading' && node.position
      ? // The parser counts the definitions of links before a heading's text to the heading.
        [{ level: node.depth, line: (node.children[0]?.position ?? node.position).start.line }]
      : [],
  )
}

// A paragraph follows indented code, and `<b>` is left out: there the parser differs from the specification it follows.
test('the scanner finds the headings that a CommonMark parser finds', () => {
  const documents = fc
    .array(fc.constantFrom(...LINES), { maxLength: 9 })
    .map((lines) => `x\n\n${lines.join('\n')}\n`)

  fc.assert(
    fc.property(documents, (text) => {
      const found = findHeadings(text).map(({ level, line }) => ({ level, line }))
      assert.deepEqual(found, headingsByParser(text), JSON.stringify(text))
    }),
    { numRuns: 3000 },
  )
})

test('a text is cut into parts between its sections and paragraphs, and in nothing that goes on', () => {
  const parts = ['# A\n', '## B\n- a\n\n  b\n\n- c\n\ntext\n\n', '```\n\n# no\n```\n', '# C\n> q\n\n', 'end']

  assert.deepEqual(partsOf(parts.join(''), 1), parts)
  assert.deepEqual(partsOf('a\n\n'.repeat(6), 6), Array(2).fill('a\n\na\n\n').concat(['a\n\na\n\n']))
  assert.deepEqual(partsOf('', 1), [''])
})

test('a heading is where a part begins, also behind a list, a quote or a paragraph', () => {
  const parts = [
    '# A\n- a\n  - b\n',
    '# B\n- c\n\n',
    '# D\n> q\n',
    '# E\ntext\n',
    '# F\n1. a\n   ```\n   # no\n',
  ]

  assert.deepEqual(partsOf(parts.join(''), 1), parts)
})

const WORST: Readonly<Record<string, string>> = {
  'nested items': '- '.repeat(500_000),
  'nested quotes': '> '.repeat(500_000),
  headings: '# a\n'.repeat(250_000),
  'headings and parts': '# a\n## b\n'.repeat(110_000),
  'one paragraph': 'x\n'.repeat(500_000),
  underlines: '=\n'.repeat(500_000),
  'open tags': '<a '.repeat(340_000),
  'one tag': `<a ${'a '.repeat(500_000)}`,
  'carriage returns': '\r'.repeat(1_000_000),
  'blanks in a heading': `# a${'\t'.repeat(1_000_000)}x`,
  'blanks and a line separator in a heading': `# ${'\t'.repeat(1_000_000)}\u2028x`,
  definitions: `${'[a]: /b "t"\n'.repeat(90_000)}===\n`,
  'definitions with open titles': `${'[a]: /b "\n'.repeat(100_000)}===\n`,
  'one long definition': `[a]: /b "${'\\"'.repeat(500_000)}\n===\n`,
  'labels that never end': `${'[a\n'.repeat(300_000)}===\n`,
  'open parentheses': `[a]: ${'('.repeat(1_000_000)}\n===\n`,
  'closing marks': `# ${' #'.repeat(500_000)}x`,
  'accents in a heading': `# a${'\u0301\u0327'.repeat(250_000)}`,
  'parts of a long heading': `# ${'y'.repeat(500_000)}\n${'## x\n'.repeat(100_000)}`,
}

for (const [what, text] of Object.entries(WORST)) {
  test(`1 MiB of the worst input is scanned within a second: ${what}`, () => {
    const spent = leastCpuMsAtRest(() => sectionsOf(text), 1000)

    assert.ok(spent < 1000, `${spent} ms`)
  })
}

test('a definition of a link is not a heading, with any underline', () => {
  const headingsOf = (text: string) => findHeadings(text).map(({ text: own, line }) => [own, line])

  assert.deepEqual(headingsOf('[a]: /b\n---\n'), [])
  assert.deepEqual(headingsOf('[a]: /b\n===\n'), [])
  assert.deepEqual(headingsOf("[a]:\n  </b c>\n 't\n  u'\n[c]: d\ntext\n---\n"), [['text', 6]])
  assert.deepEqual(headingsOf('[a]: /b "t" x\n---\n'), [['[a]: /b "t" x', 1]])
  assert.deepEqual(headingsOf('[a]: /b\n"t" x\n---\n'), [['"t" x', 2]])
  assert.deepEqual(headingsOf(`[${'x'.repeat(999)}]: /b\n---\n`), [])
  assert.equal(headingsOf(`[${'x'.repeat(1000)}]: /b\n---\n`).length, 1)
})

test('a heading ends before its closing marks, and a line separator does not end it', () => {
  const headings = ['# a #', '# a#', '# a ##\t', '# #', '# # b #', '#\ta\u2028b']
  const texts = findHeadings(headings.join('\n')).map(({ text }) => text)

  assert.deepEqual(texts, ['a', 'a#', 'a', '', '# b', 'ab'])
})

test('a new text does not swallow the heading after it', () => {
  const after = (text: string, content: string) =>
    sectionsOf(writeTarget(text, parseTarget('section:A'), content, outlineOf)).map(({ path }) => path)

  assert.deepEqual(after('A\n---\none\n\nB\n---\ntwo\n', 'A\n---\nnew\n'), ['A', 'B'])
  assert.deepEqual(after('# A\r\none\r\n\r\nB\r\n===\r\n', '# A\r\nnew'), ['A', 'B'])
  assert.deepEqual(after('# A\none\n# B\ntwo\n', '# A\n<div>new</div>'), ['A', 'B'])
  assert.deepEqual(after('text\n# A\none\n\nB\n===\n', ''), ['B'])
  assert.equal(
    writeTarget('# A\n\n# B\n', parseTarget('section:A'), '# A\n```\n', outlineOf),
    '# A\n```\n# B\n',
  )
})
