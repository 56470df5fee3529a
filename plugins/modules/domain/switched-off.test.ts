import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCode } from '../hcl/code-blocks.ts'
import { readModuleBlocks } from '../hcl/module-blocks.ts'
import type { ModuleCode } from './module-code.ts'
import { type RealCall, smallestCalls } from './real-calls.ts'
import { createSwitchedOff } from './switched-off.ts'

const CODE = `locals { create = var.create_function && !var.layer_only }
resource "aws_lambda_function" "this" { count = local.create ? 1 : 0 }
resource "aws_lambda_alias" "this" { for_each = local.create && var.create_alias ? var.aliases : {} }
resource "aws_sqs_queue" "dead" { count = (var.create_queue || var.create_alias) ? 1 : 0 }
resource "aws_s3_object" "package" { count = var.use_package ? 0 : 1 }
module "role" {
  source = "./role"
  create = local.create
}
output "arn" { value = try(aws_lambda_function.this[0].arn, "") }
output "role" { value = module.role.arn }
output "queue" { value = try(aws_sqs_queue.dead[0].arn, aws_lambda_function.this[0].arn) }
`

const NAMES = ['create_function', 'create_alias', 'create_queue', 'use_package', 'layer_only']
const variables = [
  ...NAMES.map((name) => ({
    name,
    type: 'bool',
    description: '',
    default: name !== 'layer_only',
    required: false,
  })),
  ...['name', 'handler'].map((name) => ({
    name,
    type: 'string',
    description: '',
    default: null,
    required: false,
  })),
]

const code: ModuleCode = {
  files: new Map(),
  uses: new Map(),
  nested: new Map(),
  blocks: readCode('main.tf', Buffer.from(CODE)).blocks,
}

function call(body: string, file = 'examples/a/main.tf'): RealCall {
  const text = `module "m" {\n  source = "../.."\n${body}\n}\n`
  const [block] = readModuleBlocks(text).blocks
  assert.ok(block)
  return { file, block, size: text.length }
}

test('the part of a module that a call switches off is known from what its inputs guard', () => {
  const offIn = createSwitchedOff({ variables }, code)
  const parts: [body: string, off: number][] = [
    ['name = "x"', 0],
    ['create_function = true', 0],
    ['create_function = var.on', 0],
    ['create_function = false', 2 / 3], // of the outputs; 3 of 5 resources
    ['create_alias = false', 1 / 5],
    ['create_queue = false', 0], // the other side of the choice
    ['use_package = false', 0], // switches on
    ['layer_only = false', 0], // is off by default
  ]

  for (const [body, off] of parts) assert.equal(offIn(call(body).block), off, body)
  assert.equal(createSwitchedOff({ variables }, undefined)(call('create_function = false').block), 0)
})

test('a call that switches most of the module off is not shown, and one with the usual inputs is the first', () => {
  const module = { repository: 'https://h/terraform-aws-lambda', path: '.', variables }
  const calls = [
    call('create_function = false'),
    call('name = "a"'),
    call('name = "usual"\n  handler = "h"'),
    call('name = "longer"\n  handler = "handler"\n  create_alias = false'),
  ]
  const shown = (given: readonly RealCall[]) =>
    smallestCalls(given, module, code).map(({ block }) => block.inputs.map(({ name }) => name).join(' '))

  assert.deepEqual(shown(calls), ['name handler', 'name', 'name handler create_alias'])
  assert.deepEqual(shown(calls.slice(0, 1)), [])
})
