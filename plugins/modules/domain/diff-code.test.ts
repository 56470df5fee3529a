import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { diffModules } from './diff.ts'
import type { ModuleCode } from './module-code.ts'
import type { Variable } from './summary.ts'

type Blocks = Readonly<Record<string, Readonly<Record<string, string>>>>

function codeOf(blocks: Blocks, more: Partial<ModuleCode> = {}): ModuleCode {
  return {
    files: new Map([['main.tf', JSON.stringify(blocks)]]),
    blocks: Object.entries(blocks).map(([address, attributes]) => ({ address, attributes })),
    uses: new Map(),
    nested: new Map(),
    ...more,
  }
}

function diff(before: ModuleCode, after: ModuleCode, variables: readonly Variable[] = []): string[] {
  const { changes } = diffModules(
    { summary: EMPTY_SUMMARY, code: before },
    { summary: { ...EMPTY_SUMMARY, variables }, code: after },
  )
  return changes.map((change) => `${change.class} ${change.code} ${change.subject}`)
}

const INPUT: Variable = { name: 'size', type: 'number', description: '', default: 3, required: false }

const ROWS: Readonly<Record<string, [before: Blocks, after: Blocks, expected: string]>> = {
  'an argument changes': [{ 'a.b': { x: 'c.d' } }, { 'a.b': { x: 'e.f' } }, 'review block_changed a.b'],
  'an argument goes': [{ 'a.b': { x: '1' } }, { 'a.b': {} }, 'review block_changed a.b'],
  'an argument comes': [{ 'a.b': {} }, { 'a.b': { x: 'var.y' } }, 'minor block_changed a.b'],
  'the number of instances changes': [
    { 'a.b': { count: '1' } },
    { 'a.b': { count: 'var.a?1:0' } },
    'review block_changed a.b',
  ],
  'instances get keys': [{ 'a.b': {} }, { 'a.b': { for_each: 'var.a' } }, 'breaking block_changed a.b'],
  'a security group is described otherwise': [
    { 'aws_security_group.this': { description: '"a"' } },
    { 'aws_security_group.this': { description: '"b"' } },
    'breaking block_changed aws_security_group.this',
  ],
  'a local changes': [
    { 'local.a': { value: '1' } },
    { 'local.a': { value: '2' } },
    'review block_changed local.a',
  ],
  'a version mark changes': [
    { 'local.v': { value: '"1.0.0"' } },
    { 'local.v': { value: '"1.0.1"' } },
    'patch block_changed local.v',
  ],
  'the version that a module tells its provider changes': [
    { terraform: { 'provider_meta.google.module_name': '"blueprints/sql/v1.0.0"' } },
    { terraform: { 'provider_meta.google.module_name': '"blueprints/sql/v2.0.0"' } },
    'patch block_changed terraform',
  ],
  'an output guards its reference otherwise': [
    { 'output.id': { value: 'concat(a.b[*].id,[""])[0]' } },
    { 'output.id': { value: 'try(a.b[0].id,null)' } },
    'minor block_changed output.id',
  ],
  'an output has another value': [
    { 'output.id': { value: 'a.b.id' } },
    { 'output.id': { value: 'a.b.arn' } },
    'review block_changed output.id',
  ],
  'a nested module has another minor version': [
    { 'module.m': { version: '"1.2.0"' } },
    { 'module.m': { version: '"1.3.0"' } },
    'minor block_changed module.m',
  ],
  'a nested module has another major version': [
    { 'module.m': { version: '"~>1.2"' } },
    { 'module.m': { version: '"~>2.0"' } },
    'review block_changed module.m',
  ],
  'a nested module has another minor version by its ref': [
    { 'module.m': { source: '"git::https://g.example/m.git?ref=tags/0.1.0"' } },
    { 'module.m': { source: '"git::https://g.example/m.git?ref=tags/0.2.0"' } },
    'minor block_changed module.m',
  ],
  'a nested module has another source': [
    { 'module.m': { source: '"git::https://g.example/m.git?ref=0.1.0"' } },
    { 'module.m': { source: '"git::https://g.example/n.git?ref=0.2.0"' } },
    'review block_changed module.m',
  ],
  'a data source comes': [{}, { 'data.a.b': {} }, 'minor block_added data.a.b'],
  'a provider block comes': [{}, { 'provider.aws': {} }, 'review block_added provider.aws'],
  'a check changes': [{ 'check.a': { x: '1' } }, { 'check.a': { x: '2' } }, 'minor block_changed check.a'],
  'a move comes': [{}, { 'moved.a.b': { from: 'a.b' } }, 'patch block_added moved.a.b'],
  'a digest changes': [{ 'a.b': { x: '#one' } }, { 'a.b': { x: '#two' } }, 'review block_changed a.b'],
}

for (const [what, [before, after, expected]] of Object.entries(ROWS)) {
  test(`code: ${what}`, () => assert.deepEqual(diff(codeOf(before), codeOf(after)), [expected]))
}

test('what only a new optional input brings in is minor', () => {
  const before = codeOf({ 'a.b': { size: '3', count: 'var.create?1:0' } })
  const after = codeOf({ 'a.b': { size: 'var.size', count: 'var.create&&var.size>0?1:0' } })

  assert.deepEqual(diff(before, after, [INPUT]), [
    'minor optional_input_added size',
    'minor block_changed a.b',
  ])
  assert.deepEqual(diff(before, after), ['review block_changed a.b'])
})

test('an expression that moves to a local is the same expression', () => {
  const before = codeOf({ 'a.b': { count: 'var.on?1:0' }, 'local.on': { value: 'var.on' } })
  const after = codeOf({ 'a.b': { count: 'local.on?1:0' }, 'local.on': { value: 'var.on' } })

  assert.deepEqual(diff(before, after), ['patch block_changed a.b'])
})

test('a change names block and attribute, with both values where they are short', () => {
  const { changes } = diffModules(
    { summary: EMPTY_SUMMARY, code: codeOf({ 'a.b': { x: 'c', y: 'z'.repeat(100) } }) },
    { summary: EMPTY_SUMMARY, code: codeOf({ 'a.b': { x: 'd', y: 'z'.repeat(101) } }) },
  )

  assert.deepEqual(
    changes.map(({ message }) => message),
    ['a.b: x changed from c to d; y changed.'],
  )
})

test('what a removed block only forgets is not destroyed', () => {
  const forgets = { from: 'a.b', 'lifecycle.destroy': 'false' }
  const ends: [removed: Blocks, expected: string][] = [
    [{ 'removed.a.b': forgets }, 'review address_gone'],
    [{ 'removed.a.b': { ...forgets, 'lifecycle.destroy': 'true' } }, 'breaking address_gone'],
    [{ 'removed.a.b': { from: 'a.b' } }, 'breaking address_gone'],
    [{ 'removed.a.c': { ...forgets, from: 'a.c' } }, 'breaking address_gone'],
  ]
  const held = { ...EMPTY_SUMMARY, resources: [{ type: 'a', name: 'b' }] }

  for (const [removed, expected] of ends) {
    const before = { summary: held, code: codeOf({ 'a.b': {} }) }
    const { changes } = diffModules(before, { summary: EMPTY_SUMMARY, code: codeOf(removed) })
    const lost = changes.filter(({ code }) => code === 'address_gone')
    assert.deepEqual(
      lost.map((one) => `${one.class} ${one.code}`),
      [expected],
    )
    const nested = (blocks: Blocks, digest: string): ModuleCode =>
      codeOf({}, { uses: new Map([['m', digest]]), nested: new Map([['m', codeOf(blocks)]]) })
    const inside = diff(nested({ 'a.b': {} }, '1'), nested(removed, '2'))
    assert.ok(inside.includes(`${expected} m: a.b`), inside.join(', '))
  }
})

test('the code of a nested module counts, and so does a template', () => {
  const nested = (blocks: Blocks): ReadonlyMap<string, ModuleCode> => new Map([['modules/m', codeOf(blocks)]])
  const before = codeOf(
    {},
    {
      uses: new Map([
        ['modules/m', '1'],
        ['t.sh', '1'],
      ]),
      nested: nested({ 'a.b': {}, 'a.c': {}, 'null_resource.d': {} }),
    },
  )
  const after = codeOf(
    {},
    {
      uses: new Map([
        ['modules/m', '2'],
        ['t.sh', '2'],
      ]),
      nested: nested({ 'a.b': { x: '1' } }),
    },
  )

  assert.deepEqual(diff(before, after), [
    'breaking address_gone modules/m: a.c',
    'minor address_gone modules/m: null_resource.d',
    'minor block_changed modules/m: a.b',
    'review used_file_changed t.sh',
  ])
})

test('other bytes of equal code are a patch, equal bytes are nothing, unknown code is for review', () => {
  const one = codeOf({ 'a.b': { x: '1' } })
  const other = { ...one, files: new Map([['main.tf', 'other']]) }
  const unknown = diffModules(
    { summary: EMPTY_SUMMARY, code: undefined },
    { summary: EMPTY_SUMMARY, code: one },
  )

  assert.deepEqual(diff(one, other), ['patch format_changed module'])
  assert.deepEqual(diff(one, one), [])
  assert.equal(unknown.verdict, 'review')
})
