import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { openWholeHost } from '../../test/harness/whole-host.ts'
import { commandRows } from './example-line.ts'
import { groupHelp, overview } from './help.ts'
import { helpColumns, helpItem } from './help-item.ts'
import { HOST_VERBS } from './host-verbs.ts'
import { leavesOf, shapeOf } from './plugin-verbs.ts'
import { parseVerb } from './verb-parser.ts'

test('the help of every verb fits terminals of 40, 80, 160 and 200 columns', async (t) => {
  const host = await openWholeHost(await temporaryFolder(t))
  t.after(() => host.stop())
  const ofHost = (await Promise.all(HOST_VERBS.map((row) => row.load()))).flat()
  const shapes = [...ofHost, ...leavesOf(host.registry).map(shapeOf)]
  const groups = [...new Set(shapes.flatMap(({ path }) => (path.length > 1 ? path[0] : [])))]
  for (const columns of [40, 80, 160, 200]) {
    const texts = shapes.map((shape) => {
      const parsed = parseVerb(shape, ['--help'], columns)
      return parsed.kind === 'help' ? parsed.text : ''
    })
    const ofGroups = groups.map((group = '') => {
      const rows = shapes.filter(({ path }) => path[0] === group)
      return groupHelp(
        [group],
        rows.map(({ path, summary }) => ({ verb: path[1] ?? '', summary })),
        columns,
      )
    })
    for (const text of [overview(columns), ...ofGroups, ...texts])
      assert.deepEqual(tooLong(text, columns), [])
  }
})

test('a row that is too long is found', () => {
  const text = "Usage: one two three four five six\nExample:\n  satchel a --b 'c d' --e 'f g h i j k l' \\\n"

  assert.equal(tooLong(text, 39).length, 1)
  assert.equal(tooLong(text, 30).length, 2)
  assert.deepEqual(tooLong(`Example:\n    '${'long '.repeat(20)}' \\\n`, 40), [])
})

test('a command goes on in the next row between words that the shell takes as one', async () => {
  const command = "satchel probe echo 'it'\\''s one' -t 'a b' --claim '{\"by\": \"ada lovelace\"}' --dry-run"

  const rows = commandRows(command, 40)

  assert.equal(
    rows,
    [
      "  satchel probe echo 'it'\\''s one' \\",
      "    -t 'a b' \\",
      '    --claim \'{"by": "ada lovelace"}\' \\',
      '    --dry-run',
    ].join('\n'),
  )
  assert.equal(commandRows(command, 200), `  ${command}`)
})

test('a text goes under its term where too few columns are left beside it', () => {
  assert.equal(helpItem('--a <text>', 10, 'one two', 80), '  --a <text>  one two')
  assert.equal(helpItem('--long-name <text>', 18, 'one two', 40), '  --long-name <text>\n      one two')
  assert.equal(helpItem('a', 1, '', 40), '  a')
  assert.deepEqual([10, 60, 500].map(helpColumns), [40, 60, 200])
})

/** Rows over the width, but for those of an example that are one word of the shell. */
function tooLong(text: string, columns: number): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.length > columns)
    .filter((line) => !/^ {4}(?:'[^']*'|[^\s'])+(?: \\)?$/.test(line))
}
