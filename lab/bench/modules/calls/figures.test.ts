import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import { buildRemote } from '../../../../plugins/modules/testing/build-remote.ts'
import { keeps } from '../../figure.ts'
import { asWritten, callFigures, mistakeTable, outcomesOf } from './figures.ts'
import { MISTAKES } from './mistakes.ts'
import { readRealCalls } from './real-calls.ts'

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
  const dir = await mkdtemp(join(tmpdir(), 'satchel-calls-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
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
  const good = { kind: 'camel case', found: true, suggestion: 'b', isWrong: false, seeded: right } as const
  const missed = (findings: number, ...outcomes: Parameters<typeof callFigures>[2]): string[] =>
    callFigures(10, findings, outcomes)
      .filter((figure) => !keeps(figure, 'goal'))
      .map(({ name }) => name)

  assert.deepEqual(missed(0, good), [])
  assert.deepEqual(missed(1, good), ['modules.check_as_written'])
  assert.deepEqual(missed(0, good, { ...good, found: false }), ['modules.check_found'])
  assert.deepEqual(missed(0, good, { ...good, isWrong: true }), ['modules.check_wrong'])
})
