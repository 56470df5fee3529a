import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInputs, checkSource } from '../domain/check.ts'
import {
  canonicalRepository,
  type IndexedModule,
  parseSource,
  resolveSource,
} from '../domain/module-source.ts'
import type { ModuleSummary, Variable } from '../domain/summary.ts'
import { moduleSource, moduleUsage } from '../domain/usage.ts'
import { readModuleBlocks } from './module-blocks.ts'

const TESTDATA = join(import.meta.dirname, '..', 'testdata')

function fixture(name: string): ModuleSummary {
  return JSON.parse(readFileSync(join(TESTDATA, name, 'expected.json'), 'utf8'))
}

function variable(name: string, type: string, fields: Partial<Variable> = {}): Variable {
  return { name, type, description: '', default: null, required: false, ...fields }
}

test('the usage of a module is a minimal block', () => {
  const usage = moduleUsage(fixture('basics'), false)

  assert.equal(
    usage.text,
    `module "network" {
  source = "git::https://git.example.com/acme/terraform-aws-network?ref=v1.0.0"

  # Name of the network
  name = "TODO"
  anything = "TODO"
}
`,
  )
  assert.deepEqual(usage.required, ['name', 'anything'])
  assert.deepEqual(usage.sensitive, ['password'])
})

test('descriptions lose what a reader cannot see before they are put into a comment', () => {
  const hidden = variable('name', 'string', {
    required: true,
    description: 'Na\u202eme\u200b <!-- order --> of it\u{e0041}',
  })

  const { text } = moduleUsage({ ...fixture('basics'), variables: [hidden] }, false)

  assert.match(text, /\n {2}# Name of it\n {2}name = /)
})

test('optional inputs follow as comments with their defaults, secrets only by name', () => {
  const { text } = moduleUsage(fixture('basics'), true)

  assert.match(text, /\n {2}# Address range\n {2}# cidr = "10\.0\.0\.0\/16"\n {2}# subnets = \{\}\n/)
  assert.match(text, /\n {2}# password: sensitive, pass it from/)
})

test('aliases that a module wants are passed in providers', () => {
  assert.match(
    moduleUsage(fixture('rare'), false).text,
    /\n {2}providers = \{\n {4}aws\.primary = aws\.primary\n {4}aws\.replica = aws\.replica\n {2}\}\n/,
  )
})

test('every usage block reads back, and the only thing the check finds are secrets left out', () => {
  for (const entry of readdirSync(TESTDATA, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const { name } = entry
    const summary = fixture(name)
    for (const withOptional of [false, true]) {
      const usage = moduleUsage(summary, withOptional)
      const { blocks, problems } = readModuleBlocks(usage.text)
      const [block] = blocks

      assert.deepEqual(problems, [], `${name}\n${usage.text}`)
      assert.equal(block?.source?.text, usage.source)
      const findings = block ? checkInputs(block, summary) : []
      const expected = summary.variables.filter(({ required, sensitive }) => required && sensitive === true)
      assert.deepEqual(
        findings.filter(({ code }) => code !== 'deprecated_input').map(({ code }) => code),
        expected.map(() => 'missing_input'),
        name,
      )
    }
  }
})

test('a source keeps the path as it is, which Terraform does not decode, and encodes the ref, which it does', () => {
  const module = { repository: 'https://git.example.com/acme/net', path: 'größe + a', ref: 'feature/a+b#1' }

  const source = moduleSource(module)

  assert.equal(source, 'git::https://git.example.com/acme/net//größe + a?ref=feature/a%2Bb%231')
  assert.deepEqual(parseSource(source), {
    kind: 'git',
    repository: 'git.example.com/acme/net',
    path: module.path,
    ref: module.ref,
  })
})

test('hostile names, descriptions and refs cannot break out of the block', () => {
  const summary: ModuleSummary = {
    ...fixture('basics'),
    ref: 'a"${file("x")}\n',
    variables: [
      variable('ok', 'string', { required: true, description: 'one\n}\nresource "x" "y" {\u2028}' }),
      variable('bad"\n}\nevil', 'string', { required: true }),
      variable('object', 'object({ "a\\" = {}" = string })', { required: true }),
      variable('text', 'string', { default: '"${evil}\n}' }),
    ],
  }

  const { blocks, problems } = readModuleBlocks(moduleUsage(summary, true).text)

  assert.deepEqual(problems, [])
  assert.deepEqual(
    blocks.map(({ inputs }) => inputs.map(({ name }) => name)),
    [['ok', 'object']],
  )
})

const INPUTS = [
  variable('name', 'string', { required: true, nullable: false }),
  variable('count_of', 'number'),
  variable('enabled', 'bool', { nullable: false }),
  variable('zones', 'list(string)'),
  variable('tags', 'map(string)'),
  variable('rules', 'list(object({ port = number, note = optional(string) }))'),
  variable('pair', 'tuple([string, number])'),
  variable('old', 'string', { deprecated: 'Use name.' }),
  variable('free', 'any'),
]

/** Findings of one argument line in an otherwise complete block, as `line code`. */
function check(argument: string): string[] {
  const { blocks } = readModuleBlocks(`module "x" {\n  source = "./x"\n  name   = "n"\n  ${argument}\n}\n`)
  return blocks
    .flatMap((block) => checkInputs(block, { variables: INPUTS }))
    .map(({ line, code }) => `${line} ${code}`)
}

const FINDINGS: Readonly<Record<string, readonly string[]>> = {
  'zonse = ["a"]': ['4 unknown_input'],
  'count_of = "three"': ['4 wrong_type'],
  'count_of = "3"': [],
  'count_of = true': ['4 wrong_type'],
  'count_of = var.count': [],
  'enabled = "yes"': ['4 wrong_type'],
  'enabled = "true"': [],
  'enabled = "1"': [],
  'enabled = 1': ['4 wrong_type'],
  'enabled = null': [],
  'count_of = null': [],
  'zones = "a"': ['4 wrong_type'],
  'zones = [["a"]]': ['4 wrong_type'],
  'zones = ["a", var.b]': [],
  'zones = { a = "b" }': ['4 wrong_type'],
  'tags = ["a"]': ['4 wrong_type'],
  'tags = { a = 1, b = var.x }': [],
  'tags = { a = ["x"] }': ['4 wrong_type'],
  'rules = [{ port = "http" }]': ['4 wrong_type'],
  'rules = [{ port = var.port, note = {} }]': ['4 wrong_type'],
  'rules = [{ note = "x" }]': ['4 wrong_type'],
  'rules = [{ port = 80 }]': [],
  'rules = [{ port = 80, nte = "x" }]': ['4 unknown_attribute'],
  'rules = [{ port = 80, nte = var.note }, { port = var.b, other = 1 }]': [
    '4 unknown_attribute',
    '4 unknown_attribute',
  ],
  'rules = [{ port = 80, "${var.key}" = 1 }]': [],
  'rules = [for p in [80] : { port = p }]': [],
  'pair = ["a"]': ['4 wrong_type'],
  'pair = ["a", "b"]': ['4 wrong_type'],
  'pair = ["a", 1]': [],
  'old = "x"': ['4 deprecated_input'],
  'free = [1, { a = null }]': [],
  'providers = { aws = aws.x }': [],
  'depends_on = [aws_vpc.this]': [],
}

test('null is refused only where there is no default to take', () => {
  const { blocks } = readModuleBlocks('module "x" {\n  source = "./x"\n  name = null\n  enabled = null\n}\n')

  const findings = blocks.flatMap((block) => checkInputs(block, { variables: INPUTS }))

  assert.deepEqual(
    findings.map(({ line, code }) => `${line} ${code}`),
    ['3 null_not_allowed'],
  )
})

for (const [argument, expected] of Object.entries(FINDINGS)) {
  test(`check of ${argument}: ${expected.join(', ') || 'nothing found'}`, () => {
    assert.deepEqual(check(argument), expected)
  })
}

test('a missing required input is named with a line that would fill it; an unknown one with the nearest name', () => {
  const { blocks } = readModuleBlocks('\nmodule "x" {\n  source = "./x"\n  nmae = "n"\n}\n')

  const findings = blocks.flatMap((block) => checkInputs(block, { variables: INPUTS }))

  assert.deepEqual(
    findings.map(({ line, code, suggestion }) => [line, code, suggestion]),
    [
      [2, 'missing_input', 'name = "TODO"'],
      [4, 'unknown_input', 'name'],
    ],
  )
})

test('a near name has the same last word, and a suggestion keeps what was written', () => {
  const names = ['name', 'cluster_tags', 'subnet_ids', 'enable_nat_gateway', 'create_role', 'create_rule']
  const inputs = [...names.map((name) => variable(name, 'any')), variable('zones', 'list(string)')]
  const cases: [argument: string, suggestion: string | undefined][] = [
    ['cluster_name = 1', 'name'],
    ['subnetids = 1', 'subnet_ids'],
    ['subent_ids = 1', 'subnet_ids'],
    ['nat_gateway = 1', 'enable_nat_gateway'],
    ['something_else = 1', undefined],
    ['zones = "a"', 'zones = ["a"]'],
    ['zones = { a = 1 }', undefined],
  ]

  for (const [argument, suggestion] of cases) {
    const { blocks } = readModuleBlocks(`module "x" {\n  source = "./x"\n  ${argument}\n}\n`)
    const [finding] = blocks.flatMap((block) => checkInputs(block, { variables: inputs }))
    assert.equal(finding?.suggestion, suggestion, argument)
  }
})

test('a text made to keep the check busy is answered in bounded time', () => {
  const inputs = Array.from({ length: 236 }, (_, at) => variable(`name_of_input_${at}`, 'string'))
  const lines = Array.from({ length: 20_000 }, (_, at) => `  unknown_${at} = [{ a = [x] }]\n`).join('')
  const deep = `${'['.repeat(60)}${'x,'.repeat(50_000)}${']'.repeat(60)}`
  const blocks = 'module "y" {\n}\n'.repeat(300)
  const start = process.cpuUsage()

  const proposed = readModuleBlocks(`module "x" {\n${lines}  deep = ${deep}\n}\n${blocks}`)
  const findings = proposed.blocks.flatMap((block) => checkInputs(block, { variables: inputs }))

  const { user, system } = process.cpuUsage(start)
  assert.ok((user + system) / 1_000 < 5_000, `${(user + system) / 1_000} ms`)
  assert.equal(findings.filter(({ code }) => code === 'unknown_input').length, 20_001)
  assert.deepEqual([proposed.blocks.length, proposed.problems.length], [100, 1])
})

const INDEX: readonly IndexedModule[] = [
  indexed('v1.0.0', '.', false),
  indexed('v1.2.0', '.', true),
  indexed('v2.0.0-rc1', '.', false),
  { ...indexed('main', '.', false), ref_kind: 'branch' },
  indexed('v1.2.0', 'modules/zone', true),
  indexed('v1.2.0', 'größe + a', true),
]

function indexed(ref: string, path: string, latest: boolean): IndexedModule {
  const repository = 'https://git.example.com/acme/terraform-aws-network.git'
  return { id: `${ref}:${path}`, repository, ref, ref_kind: 'tag', path, latest, commit: commitOf(ref) }
}

/** The branch has the commit of a tag. */
function commitOf(ref: string): string {
  return createHash('sha1')
    .update(ref === 'main' ? 'v1.0.0' : ref)
    .digest('hex')
}

function resolved(source: string, version?: string): string {
  const resolution = resolveSource(parseSource(source), version, INDEX)
  if (resolution.kind === 'found') return resolution.module.id
  return resolution.kind === 'unknown_ref' ? `unknown, latest ${resolution.latest?.id}` : resolution.kind
}

test('a source leads to the indexed version it means, in every spelling', () => {
  const cases: [source: string, id: string, version?: string][] = [
    ['git::https://git.example.com/acme/terraform-aws-network.git?ref=v1.0.0', 'v1.0.0:.'],
    [
      'git::https://git.example.com/acme/terraform-aws-network//modules/zone?ref=v1.2.0',
      'v1.2.0:modules/zone',
    ],
    ['git::ssh://git@git.example.com/acme/terraform-aws-network.git?ref=v1.0.0&depth=1', 'v1.0.0:.'],
    ['git@git.example.com:acme/terraform-aws-network.git?ref=v1.0.0', 'v1.0.0:.'],
    ['git::git@git.example.com:acme/terraform-aws-network?ref=refs/tags/v1.0.0', 'v1.0.0:.'],
    ['git::https://git.example.com/acme/terraform-aws-network?ref=tags/v1.0.0', 'v1.0.0:.'],
    ['git::https://git.example.com/acme/terraform-aws-network?ref=HEAD', 'main:.'],
    [
      'git::https://git.example.com/acme/terraform-aws-network//./modules//zone?ref=v1.2.0',
      'v1.2.0:modules/zone',
    ],
    ['https://GIT.example.com/acme/terraform-aws-network/?ref=main', 'main:.'],
    ['git.example.com/acme/terraform-aws-network', 'main:.'],
    ['git::https://git.example.com/acme/terraform-aws-network?ref=v9', 'unknown, latest v1.2.0:.'],
    ['git::https://git.example.com/acme/other?ref=v1.0.0', 'not_indexed'],
    ['git::https://git.example.com/acme/terraform-aws-network//nowhere?ref=v1.0.0', 'not_indexed'],
    ['acme/network/aws', 'v1.2.0:.'],
    ['acme/network/aws', 'v1.0.0:.', '~> 1.0.0'],
    ['acme/network/aws//modules/zone', 'v1.2.0:modules/zone', '>= 1.0'],
    ['acme/network/aws', 'unknown, latest v1.2.0:.', '>= 2.0'],
    ['tfr:///acme/network/aws?version=1.0.0', 'v1.0.0:.'],
    ['tfr://registry.example.com/acme/network/aws//modules/zone', 'v1.2.0:modules/zone'],
    ['tfr:///acme/network/aws?version=7.0.0', 'unknown, latest v1.2.0:.'],
    ['git::https://git.example.com/acme/terraform-aws-network//größe + a?ref=v1.2.0', 'v1.2.0:größe + a'],
    ['./local', 'local'],
    ['nonsense', 'not_indexed'],
  ]

  for (const [source, id, version] of cases) assert.equal(resolved(source, version), id, source)
  assert.equal(canonicalRepository('ssh://git@h.example.com:2222/a/b.git'), 'h.example.com:2222/a/b')
})

test('a call that is pinned by a commit means the tag of that commit; the start of one is not enough', () => {
  const address = 'git::https://git.example.com/acme/terraform-aws-network?ref='
  const commit = commitOf('v1.0.0')
  const { blocks } = readModuleBlocks(`module "x" {\n  source = "${address}${commit.slice(0, 8)}"\n}\n`)
  const [block] = blocks
  assert.ok(block)

  assert.equal(resolved(`${address}${commit}`), 'v1.0.0:.')
  assert.equal(resolved(`${address}${commit.slice(0, 8)}`), 'short_commit')
  assert.equal(resolved(`${address}${'0'.repeat(40)}`), 'unknown, latest v1.2.0:.')
  assert.deepEqual(
    checkSource(block, resolveSource(parseSource(block.source?.text ?? ''), undefined, INDEX)).map(
      ({ code, suggestion }) => [code, suggestion],
    ),
    [['short_commit', commit]],
  )
})

test('findings about a source name its line and the latest version', () => {
  const [block] = readModuleBlocks(
    'module "x" {\n  source = "acme/network/aws"\n  version = "9.0.0"\n}\n',
  ).blocks
  const [bare] = readModuleBlocks('module "x" {\n}\n').blocks
  assert.ok(block && bare)
  const resolve = (source: string) => resolveSource(parseSource(source), block.version, INDEX)

  const unknown = checkSource(block, resolve(block.source?.text ?? ''))

  assert.deepEqual(
    unknown.map(({ line, code, suggestion }) => [line, code, suggestion]),
    [[2, 'unknown_ref', 'v1.2.0']],
  )
  assert.deepEqual(
    checkSource(block, resolve('acme/other/aws')).map(({ code }) => code),
    ['module_not_indexed'],
  )
  assert.deepEqual(checkSource(block, resolve('./x')), [])
  assert.deepEqual(
    checkSource(bare, { kind: 'not_indexed' }).map(({ code }) => code),
    ['source_missing'],
  )
})

test('a module block with no label or two is not passed over in silence', () => {
  const { blocks, problems } = readModuleBlocks('module {\n}\nmodule "a" {\n}\nmodule "a" "b" {\n}\n')

  assert.deepEqual([blocks.length, ...problems.map(({ line }) => line)], [1, 1, 5])
})
