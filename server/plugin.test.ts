import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const CONTRACT = join(import.meta.dirname, 'contract')
const FIRST_CIRCLE_MAX_LINES = 350

test('the first circle of the contract has at most 350 lines', () => {
  const files = readdirSync(CONTRACT).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const lines = files.flatMap((name) => readFileSync(join(CONTRACT, name), 'utf8').trimEnd().split('\n'))

  assert.ok(files.includes('plugin.ts') && files.includes('tool.ts'))
  assert.ok(lines.length <= FIRST_CIRCLE_MAX_LINES, `${lines.length} lines`)
})

/** The groups of the exports in their order, a group named once for each run of its lines. */
function groupsOf(source: string): readonly string[] {
  const groups = [...source.matchAll(/ from '\.\/(contract\/(?:advanced\/)?|)[\w/-]+\.ts'/g)].map(
    ([, folder]) => folder || 'platform',
  )
  return groups.filter((group, at) => group !== groups[at - 1])
}

test('a plugin finds the first circle first, then the advanced one, and the platform last', () => {
  const source = readFileSync(join(import.meta.dirname, 'plugin.ts'), 'utf8')
  const [first = '', ...rest] = source.split('\n').filter((line) => line.startsWith('export'))

  assert.deepEqual(groupsOf(source), ['contract/', 'contract/advanced/', 'platform'])
  assert.notDeepEqual(groupsOf([...rest, first].join('\n')), groupsOf(source))
})
