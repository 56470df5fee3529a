import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { outlineOf } from './outline.ts'
import { sectionsOf } from './section.ts'
import { outlineRows } from './span.ts'

const text = fc
  .array(
    fc.constantFrom('# A', '## B', '### C', '# A', '#', '## B/C', 'text', '', 'Wide\n===', '```', '# ñ 𝌆'),
  )
  .map((lines) => lines.join('\n'))

test('a packed outline says of every section what the scan found', () => {
  fc.assert(
    fc.property(text, (document) => {
      const sections = sectionsOf(document)
      const outline = outlineOf(document)

      assert.deepEqual(
        Array.from({ length: outline.size }, (_, index) => outline.at(index)),
        sections,
      )
      for (const section of sections) {
        assert.deepEqual(outline.find(section.path), section)
        assert.ok(outline.startsAt(section.start))
      }
      const starts = new Set(sections.map(({ start }) => start))
      for (let at = 0; at <= document.length; at += 1) assert.equal(outline.startsAt(at), starts.has(at))
    }),
  )
})

test('what is not a whole path finds no section', () => {
  const outline = outlineOf('# A\n# B\n')

  for (const path of ['', 'A\nB', '\nA', 'A\n', 'AB', '/A']) assert.equal(outline.find(path), undefined)
})

test('rows end at the limit and say so', () => {
  const outline = outlineOf('# A\n# B\n## C\n# D\n')
  const rows = (limit: number, maxDepth = 6) => {
    const found = outlineRows(outline, { maxDepth, limit })
    return [found.rows.map(({ target }) => target.slice('section:'.length)), found.more]
  }

  assert.deepEqual(rows(2), [['A', 'B'], true])
  assert.deepEqual(rows(3, 1), [['A', 'B', 'D'], false])
})
