import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { openWholeHost } from '../../test/harness/whole-host.ts'
import { overview } from './help.ts'
import { helpColumns, helpItem } from './help-item.ts'
import { leavesOf, shapeOf } from './plugin-verbs.ts'
import { parseVerb } from './verb-parser.ts'

test('the help of every verb fits terminals of 40, 80 and 200 columns, but for commands and long words', async (t) => {
  const host = await openWholeHost(await temporaryFolder(t))
  t.after(() => host.stop())
  for (const columns of [40, 80, 200]) {
    const texts = leavesOf(host.registry).map((leaf) => {
      const parsed = parseVerb(shapeOf(leaf), ['--help'], columns)
      return parsed.kind === 'help' ? (parsed.text.split('Example:\n')[0] ?? '') : ''
    })
    for (const text of [overview(columns), ...texts]) assert.deepEqual(tooLong(text, columns), [])
  }
})

test('a text goes under its term where too few columns are left beside it', () => {
  assert.equal(helpItem('--a <text>', 10, 'one two', 80), '  --a <text>  one two')
  assert.equal(helpItem('--long-name <text>', 18, 'one two', 40), '  --long-name <text>\n      one two')
  assert.equal(helpItem('a', 1, '', 40), '  a')
  assert.deepEqual([10, 60, 500].map(helpColumns), [40, 60, 200])
})

/** Lines over the width that could have been wrapped. */
function tooLong(text: string, columns: number): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.length > columns && !/^(Usage|More on a verb|Example):/.test(line))
    .filter((line) => line.trim().split(/\s+/).length > 2)
}
