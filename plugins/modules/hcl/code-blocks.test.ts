import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalText } from './canonical-text.ts'
import { readCode } from './code-blocks.ts'

test('expressions that mean the same have one text', () => {
  const same: string[][] = [
    ['[ "a", # one\n "b",\n]', '["a","b"]'],
    ['{\n  a = 1\n  b = 2 // two\n}', '{ a = 1, b = 2 }', '{a=1,b=2,}'],
    ['"${var.name}"', 'var.name', ' var.name '],
    ['aws_vpc.this.*.id', 'aws_vpc.this[*].id'],
    ['aws_vpc.this.0.id', 'aws_vpc.this[0].id'],
    ['a ? b : c', 'a?b:c'],
    ['{\n  a = [\n    1,\n    2\n  ]\n}', '{a=[1,2]}'],
  ]
  const other: [string, string][] = [
    ['"a b"', '"a  b"'],
    ['"${var.a}${var.b}"', 'var.a'],
    ['[for x in y : x]', '[forx in y : x]'],
    ['<<EOT\na\nEOT', '<<EOT\n a\nEOT'],
    ['1.5', '15'],
    ['"# a"', '"#b"'],
  ]

  for (const texts of same) assert.equal(new Set(texts.map(canonicalText)).size, 1, texts.join(' | '))
  for (const [a, b] of other) assert.notEqual(canonicalText(a), canonicalText(b), `${a} | ${b}`)
})

test('every block has an address, and what is nested in it a path', () => {
  const text = `
terraform {
  required_version = ">= 1.3"
}
locals {
  a = 1
}
resource "aws_vpc" "this" {
  for_each = var.vpcs
  lifecycle {
    ignore_changes = [tags]
  }
  dynamic "ingress" {
    for_each = []
    content {}
  }
}
data "aws_ami" "this" {}
module "label" {
  source = "./modules/label"
}
moved {
  from = aws_vpc.a
  to   = aws_vpc.this
}
provider "aws" {
  alias = "dns"
}
check "up" {
  assert {
    condition = file("\${path.module}/up.txt") == ""
  }
}
`

  const { blocks, uses } = readCode('main.tf', Buffer.from(text))

  assert.deepEqual(
    blocks.map(({ address, attributes }) => `${address}: ${Object.keys(attributes).join(' ')}`),
    [
      'terraform: required_version',
      'local.a: value',
      'aws_vpc.this: for_each lifecycle.ignore_changes dynamic.ingress.for_each dynamic.ingress.content',
      'data.aws_ami.this: ',
      'module.label: source',
      'moved.aws_vpc.a: from to',
      'provider.aws.dns: alias',
      'check.up: assert.condition',
    ],
  )
  assert.deepEqual(uses, ['./modules/label', 'up.txt'])
})

test('odd names are ordinary, and what cannot be read is compared as a whole', () => {
  const odd = readCode('a.tf', Buffer.from('resource "x" "y" {\n  __proto__ = 1\n}\n'))
  const broken = readCode('b.tf', Buffer.from('resource "x" {{{'))
  const json = readCode('c.tf.json', Buffer.from('{"locals":{"a":1},"check":{"up":{}}}'))

  assert.deepEqual(Object.entries(odd.blocks[0]?.attributes ?? {}), [['__proto__', '1']])
  assert.ok(broken.blocks.some(({ address }) => address === 'file.b.tf'))
  assert.deepEqual(
    json.blocks.map(({ address }) => address),
    ['local.a', 'file.c.tf.json'],
  )
})
