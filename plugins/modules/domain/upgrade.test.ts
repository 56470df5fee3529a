import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import type { GivenInput } from './check.ts'
import type { ModuleVersion } from './diff.ts'
import type { Json, Variable } from './summary.ts'
import { planUpgrade } from './upgrade.ts'

function version(value: string): ModuleVersion {
  const blocks = Array.from({ length: 25 }, (_, at) => ({ address: `local.x${at}`, attributes: { value } }))
  return { summary: EMPTY_SUMMARY, code: { files: new Map(), uses: new Map(), nested: new Map(), blocks } }
}

test('of many blocks to be reviewed the first are named and the others counted', () => {
  const call = { block: { name: 'a', line: 1, inputs: [] }, outputs: [] }

  const plan = planUpgrade(call, version('f(1)'), version('g(2)'))
  const same = planUpgrade(call, version('f(1)'), version('f(1)'))

  assert.deepEqual([plan.verdict, plan.changes.length, plan.others], ['review', 10, 15])
  assert.deepEqual([same.verdict, same.changes.length, same.others], ['none', 0, 0])
})

function withInputs(
  inputs: Readonly<Record<string, string>>,
  mode: string,
  region = 'var.region',
): ModuleVersion {
  const variables = Object.entries(inputs).map(
    ([name, type]): Variable => ({ name, type, description: '', default: null, required: false }),
  )
  const blocks = [{ address: 'a_stream.this', attributes: { mode, region } }]
  return {
    summary: { ...EMPTY_SUMMARY, variables },
    code: { files: new Map(), uses: new Map(), nested: new Map(), blocks },
  }
}

test('an input that became an attribute of another is found where the code uses it in the same place', () => {
  const before = withInputs({ stream_mode: 'string', region: 'string' }, 'upper(var.stream_mode)')
  const stream = { stream: 'object({ mode = optional(string), name = string })', region: 'string' }
  const given = { name: 'stream_mode', line: 3, value: { kind: 'literal', value: 'async' } } as const
  const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }
  const said = (after: ModuleVersion) =>
    planUpgrade(call, before, after).changes.find(({ code }) => code === 'input_removed')?.message

  const removed = 'The input stream_mode was removed.'
  const nested = `${removed} Perhaps it is an attribute now, stream.mode (a guess: the code uses it in the same place).`
  assert.equal(said(withInputs(stream, 'upper(var.stream.mode)')), nested)
  assert.equal(said(withInputs(stream, 'lower(var.stream.mode)')), removed)
  assert.equal(said(withInputs(stream, 'upper(var.stream.other)')), removed)
  assert.equal(said(withInputs({ ...stream, stream: 'any' }, 'upper(var.stream.mode)')), removed)
  // Two places that disagree tell nothing.
  const twice = withInputs({ stream_mode: 'string' }, 'var.stream_mode', 'var.stream_mode')
  const after = withInputs(stream, 'var.stream.mode', 'var.stream.name')
  const [change] = planUpgrade(call, twice, after).changes
  assert.equal(change?.message, removed)
})

test('an attribute that is read behind a guard is found too, and its object is not given the value', () => {
  const before = withInputs({ subnet_id: 'string' }, 'var.subnet_id', 'var.subnet_id!=null')
  const inputs = { subnet: 'object({ id = string })' }
  const given = { name: 'subnet_id', line: 3, value: { kind: 'expression' } } as const
  const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }
  const planned = (mode: string) => {
    const plan = planUpgrade(call, before, withInputs(inputs, mode, 'var.subnet!=null'))
    return [plan.changes.find(({ code }) => code === 'input_removed')?.message, plan.renames, plan.edit]
  }

  const removed = 'The input subnet_id was removed. Perhaps it is'
  const why = '(a guess: the code uses it in the same place).'
  const edit = { renamed: [], retired: ['subnet_id'], added: [] }
  const nested = [`${removed} an attribute now, subnet.id ${why}`, [], edit]
  assert.deepEqual(planned('try(var.subnet.id,null)'), nested)
  assert.deepEqual(planned('var.subnet==null?null:var.subnet.id'), nested)
  assert.deepEqual(planned('lower(var.subnet.id)'), [
    `${removed} subnet now ${why} Its type is another: object({…}).`,
    [],
    edit,
  ])
})

test('a flag is not renamed to a text, nor one value to several, but the name is told', () => {
  const renamed = (from: string, to: string, type: string) => {
    const given = { name: 'subnet_cidr', line: 3, value: { kind: 'expression' } } as const
    const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }
    const plan = planUpgrade(call, withInputs({ subnet_cidr: from }, '1'), withInputs({ [to]: type }, '1'))
    const { message = '' } = plan.changes.find(({ code }) => code === 'input_removed') ?? {}
    return [plan.renames.map((one) => one.to), /Perhaps.*/.exec(message)?.[0]]
  }

  const told = 'Perhaps it is subnet_cidrs now (a guess: the names are alike).'
  assert.deepEqual(renamed('string', 'subnet_cidrs', 'string'), [['subnet_cidrs'], told])
  assert.deepEqual(renamed('string', 'subnet_cidrs', 'list(string)'), [
    [],
    `${told} Its type is another: list(string).`,
  ])
  assert.deepEqual(renamed('bool', 'subnet_cidrs', 'string'), [[], undefined])
  assert.deepEqual(renamed('string', 'subnet_cidrs', 'bool'), [[], undefined])
})

test('what the older description said of a removed input is told, and where it sends to', () => {
  const described = (description: string, type = 'string'): ModuleVersion => {
    const { summary, ...version } = withInputs({ cidr: type, primary_cidr: 'string' }, '1')
    const variables = summary.variables.map((one) => (one.name === 'cidr' ? { ...one, description } : one))
    return { ...version, summary: { ...summary, variables } }
  }
  const cidr = { name: 'cidr', line: 3, value: { kind: 'expression' } } as const
  const planned = (before: ModuleVersion, ...inputs: GivenInput[]) => {
    const call = { block: { name: 'a', line: 1, inputs }, outputs: [] }
    const plan = planUpgrade(call, before, withInputs({ primary_cidr: 'string' }, '1'))
    return [plan.changes.find(({ code }) => code === 'input_removed')?.message, plan.edit.renamed.length]
  }

  const words = 'DEPRECATED: Use `primary_cidr` instead.'
  const said = `The input cidr was removed. Its description said: "${words}"`
  const guess = 'Perhaps it is primary_cidr now (a guess: its description names it).'
  assert.deepEqual(planned(described(words), cidr), [`${said} ${guess}`, 1])
  assert.deepEqual(planned(described(words), cidr, { ...cidr, name: 'primary_cidr' }), [said, 0])
  assert.deepEqual(planned(described(words, 'list(string)'), cidr), [
    `${said} ${guess} Its type is another: string.`,
    0,
  ])
  assert.deepEqual(planned(described('The network.'), cidr), ['The input cidr was removed.', 0])
})

test('of inputs that take anything the defaults tell whether a list became a map', () => {
  const given = { name: 'https_listeners', line: 3, value: { kind: 'expression' } } as const
  const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }
  const withDefault = (name: string, value: Json): ModuleVersion => {
    const { summary, ...version } = withInputs({ [name]: 'any' }, '1')
    const variables = summary.variables.map((one) => ({ ...one, default: value }))
    return { ...version, summary: { ...summary, variables } }
  }
  const planned = (value: Json) => {
    const plan = planUpgrade(call, withDefault('https_listeners', []), withDefault('listeners', value))
    const { message = '' } = plan.changes.find(({ code }) => code === 'input_removed') ?? {}
    return [plan.renames.length, message.includes('Perhaps it is listeners')]
  }

  assert.deepEqual(planned([]), [1, true])
  assert.deepEqual(planned(null), [1, true])
  assert.deepEqual(planned({}), [0, false])
})

test('where authors send to another word the value may be another, so the name is told only', () => {
  const description = '[DEPRECATED - use `ami_type` instead]'
  const old = withInputs({ platform: 'string', ami_type: 'string' }, '1')
  const variables = old.summary.variables.map((one) => ({ ...one, description }))
  const given = { name: 'platform', line: 3, value: { kind: 'expression' } } as const
  const call = { block: { name: 'a', line: 1, inputs: [given] }, outputs: [] }

  const before = { ...old, summary: { ...old.summary, variables } }
  const plan = planUpgrade(call, before, withInputs({ ami_type: 'string' }, '1'))

  assert.match(
    plan.changes.find(({ code }) => code === 'input_removed')?.message ?? '',
    /Perhaps it is ami_type/,
  )
  assert.deepEqual([plan.renames, plan.edit.retired], [[], ['platform']])
})
