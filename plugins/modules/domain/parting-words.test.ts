import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partingWords, successorIn } from './parting-words.ts'

const NAMES = new Set(['cidr', 'subnet_ids', 'subnet_arns', 'prefix', 'old_name'])

const ROWS: Readonly<Record<string, string | undefined>> = {
  'DEPRECATED: Use `cidr` instead. A list of subnet_ids': 'cidr',
  '(Deprecated, no longer used), see subnet_ids.': 'subnet_ids',
  'DEPCRECATED: Replaced by `subnet_ids`.': 'subnet_ids',
  'OBSOLETE and never implemented. Replaced with `cidr`.': 'cidr',
  '[DEPRECATED] See subnet_ids.': 'subnet_ids',
  'Deprecated in favor of `prefix`': 'prefix',
  'DEPRECATED, use `cidr instead`': undefined,
  'DEPRECATED: use `subnet_ids` or `subnet_arns` instead': undefined,
  'DEPRECATED: use `subnet_ids.first` instead': undefined,
  'DEPRECATED: use cidr instead': undefined,
  'DEPRECATED: use `old_name` instead': undefined,
  'DEPRECATED: use `gone_name` instead': undefined,
  'DEPRECATED: see the guide\nMust be more than `subnet_ids`': undefined,
  'Use `cidr` instead': undefined,
}

for (const [description, expected] of Object.entries(ROWS)) {
  test(`the successor that a description names: ${description.replace('\n', ' / ')}`, () =>
    assert.equal(successorIn({ name: 'old_name', description }, NAMES), expected))
}

test('parting words are the line that sends elsewhere, or what the author wrote as deprecated', () => {
  const of = (description: string, deprecated?: string) =>
    partingWords({ name: 'a', description, ...(deprecated !== undefined && { deprecated }) })

  assert.equal(
    of('DEPRECATED: see [the guide](./guide.md)\nA schedule.'),
    'DEPRECATED: see [the guide](./guide.md)',
  )
  assert.equal(of('A schedule.', 'It goes soon.'), 'It goes soon.')
  assert.equal(of('DEPRECATED, (Optional) A list of taints.'), undefined)
  assert.equal(of('Whether to use it instead.'), undefined)
})
