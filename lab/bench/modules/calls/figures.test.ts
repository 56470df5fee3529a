import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ModuleSummary } from '../../../../plugins/modules/domain/summary.ts'
import { openModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import { buildRemote } from '../../../../plugins/modules/testing/build-remote.ts'
import { EMPTY_SUMMARY } from '../../../../plugins/modules/testing/empty-summary.ts'
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { keeps } from '../../figure.ts'
import { asWritten, callFigures, comparisons, mistakeTable, outcomesOf, terraformFigure } from './figures.ts'
import { MISTAKES } from './mistakes.ts'
import { readRealCalls } from './real-calls.ts'
import { type AskedCall, askTerraform } from './terraform.ts'

const MODULE = `variable "cluster_name" { type = string }
variable "node_count" {
  type = number
  default = 1
}
variable "tags" {
  type = list(string)
  default = []
}
variable "rules" {
  type = list(object({ port = number, description = optional(string) }))
  default = []
}
output "cluster_arn" { value = "x" }
`
const EXAMPLE = `module "one" {
  source = "../../"
  cluster_name = "a"
  node_count = 2
  tags = ["a"]
  rules = [{ port = 80, description = "web" }]
}
module "two" {
  source = "../../"
  cluster_name = var.name
  node_cuont = 2
}
module "elsewhere" {
  source = "acme/x/aws"
}
`

test('the calls of a repository are read, and mistakes of every kind are seeded into them and found', async (t) => {
  const dir = await temporaryFolder(t)
  const path = join(dir, 'terraform-aws-shop.git')
  await buildRemote(path, [
    { files: { 'main.tf': MODULE, 'examples/all/main.tf': EXAMPLE }, tags: ['v1.0.0'] },
  ])
  const reader = await openModuleReader()
  t.after(() => reader.close())
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const context = { env: process.env, signal: new AbortController().signal, log, note() {} }

  const calls = await readRealCalls(path, reader, { ...context, program: ['node'] })
  const { clean, found } = asWritten(calls)
  const outcomes = clean.flatMap(outcomesOf)

  assert.deepEqual(
    calls.map(({ block, file }) => [block.name, file]),
    [
      ['one', 'examples/all/main.tf'],
      ['two', 'examples/all/main.tf'],
    ],
  )
  assert.deepEqual(
    found.map(({ call, finding }) => [call.block.name, finding.code]),
    [['two', 'unknown_input']],
  )
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(Object.keys(MISTAKES)))
  assert.deepEqual(
    outcomes.filter((one) => !one.found || one.isWrong),
    [],
  )
  assert.match(mistakeTable(outcomes), /^camel case\s+1\s+1\s+1\s+0$/m)
})

test('a mistake that is missed, a wrong suggestion and a finding in a call as written miss their figures', () => {
  const seeded = { kind: 'camel case', block: { name: 'a', line: 1, inputs: [] } } as const
  const right = { ...seeded, code: 'unknown_input', about: 'a', right: 'b' } as const
  const summary = moduleOf('a', 'string')
  const good = {
    kind: 'camel case',
    found: true,
    suggestion: 'b',
    isWrong: false,
    seeded: right,
    summary,
  } as const
  const missed = (findings: number, ...outcomes: Parameters<typeof callFigures>[2]): string[] =>
    callFigures(10, findings, outcomes)
      .filter((figure) => !keeps(figure, 'goal'))
      .map(({ name }) => name)

  assert.deepEqual(missed(0, good), [])
  assert.deepEqual(missed(1, good), ['modules.check_as_written'])
  assert.deepEqual(missed(0, good, { ...good, found: false }), ['modules.check_found'])
  assert.deepEqual(missed(0, good, { ...good, isWrong: true }), ['modules.check_wrong'])
})

/** A module with one required input. */
function moduleOf(name: string, type: string): ModuleSummary {
  return {
    ...EMPTY_SUMMARY,
    repository: 'file:///a.git',
    name: 'a',
    variables: [{ name, type, description: '', default: null, required: true }],
  }
}

/**
 * In place of Terraform: refuses a module that has the type `broken` when it loads it, then the first call that it sees
 * of those with an argument `wrong`.
 */
const REFUSING = `#!/usr/bin/env node
const { readdirSync, readFileSync } = require('node:fs')
const isInit = process.argv[2] === 'init'
const has = (name, word) => readFileSync(name, 'utf8').includes(word)
const files = readdirSync('.').filter((name) => name.startsWith('c')).sort()
const loaded = readdirSync('modules').map((name) => 'modules/' + name + '/main.tf.json')
const file = isInit ? loaded.find((name) => has(name, '"broken"')) : files.find((name) => has(name, '"wrong"'))
const isCalled = !isInit || files.some((name) => has(name, 'modules/m1'))
const found = file && isCalled ? [{ severity: 'error', summary: 'No', detail: 'never', range: { filename: file } }] : []
if (isInit) for (const one of found) console.log(JSON.stringify({ diagnostic: one }))
else console.log(JSON.stringify({ diagnostics: found }))
process.exitCode = found.length
`

test('Terraform is asked until it refuses nothing more, and another verdict than ours misses the figure', async (t) => {
  const dir = await temporaryFolder(t)
  const terraform = join(dir, 'terraform')
  await writeFile(terraform, REFUSING)
  await chmod(terraform, 0o755)
  const summary = moduleOf('size', 'number')
  const callOf = (name: string, of = summary): AskedCall => {
    const input = { name, line: 2, value: { kind: 'literal', value: 1 } } as const
    return { block: { name: 'x', line: 1, inputs: [input] }, summary: of }
  }
  const calls = [callOf('size'), callOf('wrong'), callOf('wrong'), callOf('size', moduleOf('size', 'broken'))]

  const asking = { env: process.env, signal: new AbortController().signal, terraform }
  const answers = await askTerraform(calls, asking)
  const judged = comparisons(calls, answers)

  const refused = { kind: 'known', error: 'No: never' }
  assert.deepEqual(answers, [{ kind: 'known' }, refused, refused, { kind: 'unknown' }])
  assert.equal(judged.length, 3)
  assert.ok(keeps(terraformFigure(judged), 'goal'))
  const missed = comparisons([callOf('wrong')], [{ kind: 'known' }])
  const invented = comparisons([callOf('size')], [refused as never])
  for (const planted of [missed, invented]) assert.ok(!keeps(terraformFigure(planted), 'gate'))
})
