import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ArgumentEdits, editCall } from './edit-call.ts'
import { readOutputUses } from './output-uses.ts'

const NONE: ArgumentEdits = { replaced: new Map(), renamed: [], retired: [], added: [] }
const TEXT = `module "a" {
  source = "x"
  note   = <<-EOT
    old = 1
  EOT
  old = { # why
    b = [1, 2]
  }
}

resource "r" "s" {}
`

test('an edit changes what it names and nothing else', () => {
  const edits: ArgumentEdits = {
    replaced: new Map([['source', '"y"']]),
    renamed: [{ from: 'note', to: 'text', note: 'n' }],
    retired: [{ name: 'old', note: 'removed' }],
    added: [
      { name: 'new', value: '{}', note: 'required' },
      { name: 'secret', note: 'secret is sensitive' },
    ],
  }

  const edited = editCall(TEXT, 1, edits)
  const windows = editCall(TEXT.replaceAll('\n', '\r\n'), 1, edits)

  assert.equal(
    edited?.text,
    `module "a" {
  source = "y"
  # n
  text   = <<-EOT
    old = 1
  EOT
  # removed
  # old = { # why
  #   b = [1, 2]
  # }
  # required
  new = {}
  # secret is sensitive
}

resource "r" "s" {}
`,
  )
  assert.equal(windows?.text, edited?.text.replaceAll('\n', '\r\n'))
})

test('an argument is added below another one, behind the comment beside it', () => {
  const below = { ...NONE, added: [{ name: 'version', value: '"1"', below: 'source' }] }
  const text = 'module "a" {\n  source = "x" # why\n  b = 2\n}\n'

  const edited = editCall(text, 1, below)
  const windows = editCall(text.replaceAll('\n', '\r\n'), 1, below)

  assert.equal(edited?.text, 'module "a" {\n  source = "x" # why\n  version = "1"\n  b = 2\n}\n')
  assert.equal(windows?.text, edited?.text.replaceAll('\n', '\r\n'))
  for (const odd of ['module "a" { source = "x" }\n', 'module "a" {\n  b = 1\n}\n'])
    assert.equal(editCall(odd, 1, below), undefined, odd)
})

test('what cannot be edited for sure is not edited', () => {
  const retire = { ...NONE, retired: [{ name: 'a', note: 'n' }] }
  const add = { ...NONE, added: [{ name: 'b', value: '1' }] }
  const rows: [string, ArgumentEdits][] = [
    ['module "a" { source = "x" }\n', add],
    ['module "a" {\n  source = "x"\n  a = 1 }\n', retire],
    ['module "a" {\n  source = "x" }\n', add],
    ['module "a" {\n  source = "x"\n}\n', retire],
    ['module "a" {\n  source = "x"\n  b = 2\n}\n', add],
    ['resource "a" "b" {}\n', NONE],
  ]

  for (const [text, edits] of rows) assert.equal(editCall(text, 1, edits), undefined, text)
  const short = editCall('module "a" { source = "x" }\n', 1, {
    ...NONE,
    replaced: new Map([['source', '"y"']]),
  })
  assert.equal(short?.text, 'module "a" { source = "y" }\n')
})

test('outputs are read in expressions and templates, never in comments or plain text', () => {
  const uses = readOutputUses(`locals {
  a = module.net.id
  b = "\${module.net["x"].arn}-$\${module.net.no} module.net.no" # module.net.no
  c = [
    for m in module.net[*].list : m # module.net.no
  ]
  d = <<-EOT
    module.net.no \${join(",", module.other[each.value["k"]].deep.more)}
  EOT
  e = other.module.net.no
  f = module.net.*.splat
}
`)

  const found = [...uses].map(([call, list]) => [call, list.map(({ name, line }) => `${name} ${line}`)])
  assert.deepEqual(found, [
    ['net', ['id 2', 'arn 3', 'list 5', 'splat 11']],
    ['other', ['deep 8']],
  ])
})

test('what try and can read is tried, wherever in their arguments it is', () => {
  const texts: readonly [expression: string, isTried: boolean][] = [
    ['try(module.x.y, "f")', true],
    ['try( module.x.y, "f")', true],
    ['try("f", module.x.y)', true],
    ['can(module.x.y)', true],
    ['upper(try(module.x.y, "f"))', true],
    ['"a-${try(module.x.y, "f")}"', true],
    ['try(upper(module.x.y), "f")', true],
    ['[try("f"), module.x.y]', false],
    ['retry(module.x.y)', false],
    ['module.x.y', false],
  ]

  for (const [expression, isTried] of texts) {
    const [use] = readOutputUses(`locals {\n  a = ${expression}\n}\n`).get('x') ?? []
    assert.deepEqual(use, { name: 'y', line: 2, ...(isTried && { isTried }) }, expression)
  }
})
