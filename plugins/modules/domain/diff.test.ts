import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { admits, floorOf, newestAdmitted, parseVersion, refusesMore } from './constraint.ts'
import { diffModules as diffVersions, type ModuleDiff } from './diff.ts'
import type { ModuleCode } from './module-code.ts'
import type { ModuleSummary, Output, Variable } from './summary.ts'
import { compareTypes } from './type-change.ts'
import { parseType } from './type-constraint.ts'

const NO_CODE: ModuleCode = { files: new Map(), blocks: [], uses: new Map(), nested: new Map() }

/** Compares summaries whose code is the same. */
function diffModules(before: ModuleSummary, after: ModuleSummary): ModuleDiff {
  return diffVersions({ summary: before, code: NO_CODE }, { summary: after, code: NO_CODE })
}

const BASE: ModuleSummary = {
  ...EMPTY_SUMMARY,
  description: 'Queues',
  variables: [variable('name', { required: true }), variable('size', { type: 'number', default: 1 })],
  outputs: [output('id'), output('arn')],
  providers: [{ name: 'aws', source: 'hashicorp/aws', version: '>= 5.0' }],
  modules: [{ name: 'label', source: 'acme/label/null', version: '1.0.0' }],
  readme_content: '# Queues',
  required_version: '>= 1.3',
  resources: [{ type: 'aws_sqs_queue', name: 'this' }],
}

function variable(name: string, fields: Partial<Variable> = {}): Variable {
  return { name, type: 'string', description: '', default: null, required: false, ...fields }
}

function output(name: string, fields: Partial<Output> = {}): Output {
  return { name, description: '', value: null, sensitive: false, ...fields }
}

/** BASE with its first input replaced. */
function withInput(fields: Partial<Variable>): Partial<ModuleSummary> {
  return { variables: [variable('name', { required: true, ...fields }), ...BASE.variables.slice(1)] }
}

interface Row {
  readonly before?: Partial<ModuleSummary>
  readonly after: Partial<ModuleSummary>
  readonly expected: readonly string[]
}

const ROWS: Readonly<Record<string, Row>> = {
  'an input goes': {
    after: { variables: BASE.variables.slice(0, 1) },
    expected: ['breaking input_removed size'],
  },
  'a required input is added': {
    after: { variables: [...BASE.variables, variable('zone', { required: true })] },
    expected: ['breaking required_input_added zone'],
  },
  'an input becomes required': {
    before: withInput({ required: false }),
    after: {},
    expected: ['breaking input_became_required name'],
  },
  'a type changes': { after: withInput({ type: 'list(string)' }), expected: ['breaking type_changed name'] },
  'a text becomes a flag': {
    before: withInput({ required: false, default: 'true' }),
    after: withInput({ type: 'bool', required: false, default: 'true' }),
    expected: ['review type_stated name'],
  },
  'a text that was not a flag becomes one': {
    before: withInput({ required: false, default: 'auto' }),
    after: withInput({ type: 'bool', required: false, default: 'auto' }),
    expected: ['breaking type_changed name'],
  },
  'a type narrows': {
    before: withInput({ type: 'any' }),
    after: {},
    expected: ['review type_stated name'],
  },
  'an object type gains a required attribute': {
    before: withInput({ type: 'object({ a = string })' }),
    after: withInput({ type: 'object({ a = string, b = string })' }),
    expected: ['breaking type_changed name'],
  },
  'an object type gains an optional attribute': {
    before: withInput({ type: 'object({ a = string })' }),
    after: withInput({ type: 'object({\n a = string # same\n b = optional(string, "x")\n})' }),
    expected: ['minor type_widened name'],
  },
  'a type becomes any': { after: withInput({ type: 'any' }), expected: ['minor type_widened name'] },
  'null is refused from now on': {
    after: withInput({ nullable: false }),
    expected: ['breaking input_not_nullable name'],
  },
  'null means the default from now on': {
    before: withInput({ required: false, default: 'x' }),
    after: withInput({ required: false, default: 'x', nullable: false }),
    expected: ['minor input_null_is_default name'],
  },
  'a type that Terraform converts to changes': {
    before: withInput({ type: 'bool' }),
    after: {},
    expected: ['minor type_widened name'],
  },
  'the caller has to pass another provider': {
    after: {
      providers: [
        { name: 'aws', source: 'hashicorp/aws', version: '>= 5.0', configuration_aliases: ['aws.dns'] },
      ],
    },
    expected: ['breaking provider_alias_added aws'],
  },
  'a Terraform version is required for the first time': {
    before: { required_version: null },
    after: {},
    expected: ['review required_version_added terraform'],
  },
  'an output goes': { after: { outputs: [output('id')] }, expected: ['breaking output_removed arn'] },
  'an output becomes sensitive': {
    after: { outputs: [output('id', { sensitive: true }), output('arn')] },
    expected: ['breaking output_became_sensitive id'],
  },
  'a resource goes': { after: { resources: [] }, expected: ['breaking address_gone aws_sqs_queue.this'] },
  'a resource is renamed with a moved block': {
    after: {
      resources: [{ type: 'aws_sqs_queue', name: 'main' }],
      moved: [{ from: 'aws_sqs_queue.this[0]', to: 'aws_sqs_queue.main' }],
    },
    expected: ['minor resource_added aws_sqs_queue.main'],
  },
  'the provider needs another major version': {
    after: { providers: [{ name: 'aws', source: 'hashicorp/aws', version: '~> 6.0' }] },
    expected: ['breaking provider_major_raised aws'],
  },
  'the provider has to be newer within a major version: the one that is locked may not be': {
    after: { providers: [{ name: 'aws', source: 'hashicorp/aws', version: '>= 5.40, < 7.0' }] },
    expected: ['minor provider_constraint_changed aws'],
  },
  'the provider may be of more versions': {
    after: { providers: [{ name: 'aws', source: 'hashicorp/aws', version: '>= 4.60' }] },
    expected: ['patch provider_constraint_changed aws'],
  },
  'a newer Terraform is refused': {
    after: { required_version: '>= 1.3, < 1.9' },
    expected: ['review required_version_changed terraform'],
  },
  'a newer Terraform is needed': {
    after: { required_version: '~> 1.5' },
    expected: ['breaking required_version_raised terraform'],
  },
  'an older Terraform is enough': {
    after: { required_version: '>= 1.0' },
    expected: ['patch required_version_changed terraform'],
  },
  'OpenTofu may be older, which says nothing of Terraform': {
    before: { files: ['versions.tofu'] },
    after: { required_version: '>= 1.0' },
    expected: ['review required_version_changed terraform'],
  },
  'the provider may be of more versions with OpenTofu': {
    after: {
      providers: [
        {
          ...{ name: 'aws', source: 'hashicorp/aws', version: '>= 4.60' },
          position: { file: 'versions.tofu', line: 3 },
        },
      ],
    },
    expected: ['review provider_constraint_changed aws'],
  },
  'an optional input is added': {
    after: { variables: [...BASE.variables, variable('zone')] },
    expected: ['minor optional_input_added zone'],
  },
  'an output is added': {
    after: { outputs: [...BASE.outputs, output('url')] },
    expected: ['minor output_added url'],
  },
  'a default changes': {
    after: {
      variables: [BASE.variables[0] ?? variable('name'), variable('size', { type: 'number', default: 2 })],
    },
    expected: ['minor default_changed size'],
  },
  'a default of text becomes the same text as expression': {
    before: withInput({ required: false, default: 'a.b' }),
    after: withInput({ required: false, default: 'a.b', default_expression: true }),
    expected: ['minor default_changed name'],
  },
  'a validation is added': {
    after: withInput({ validations: [{ condition: 'true', error_message: 'x' }] }),
    expected: ['minor validation_added name'],
  },
  'an input is deprecated': {
    after: withInput({ deprecated: 'Use id.' }),
    expected: ['minor input_deprecated name'],
  },
  'a provider is added': {
    after: { providers: [...BASE.providers, { name: 'null', source: 'hashicorp/null', version: '' }] },
    expected: ['minor provider_added null'],
  },
  'a nested module is added': {
    after: { modules: [...BASE.modules, { name: 'dlq', source: './dlq', version: null }] },
    expected: ['minor module_added dlq'],
  },
  'a nested module goes': {
    before: { modules: [{ name: 'dlq', source: './dlq', version: null }] },
    after: { modules: [] },
    expected: ['breaking address_gone module.dlq'],
  },
  'resources go whose removal destroys nothing': {
    before: {
      resources: [
        ...BASE.resources,
        { type: 'azapi_update_resource', name: 'a' },
        { type: 'aws_default_security_group', name: 'a' },
        { type: 'azurerm_resource_group_template_deployment', name: 'telemetry' },
      ],
    },
    after: {},
    expected: [
      'minor address_gone azapi_update_resource.a',
      'minor address_gone aws_default_security_group.a',
      'minor address_gone azurerm_resource_group_template_deployment.telemetry',
    ],
  },
  'a nested module goes that only computes names': {
    after: { modules: [] },
    expected: ['minor address_gone module.label'],
  },
  'the public registry is stated': {
    after: { providers: [{ name: 'aws', source: 'registry.terraform.io/hashicorp/aws', version: '>= 5.0' }] },
    expected: [],
  },
  'a nested module moves': {
    after: {
      modules: [{ name: 'labels', source: 'acme/label/null', version: '1.0.0' }],
      moved: [{ from: 'module.label', to: 'module.labels' }],
    },
    expected: ['minor module_added labels'],
  },
  'a provider comes from elsewhere': {
    after: { providers: [{ name: 'aws', source: 'acme/aws', version: '>= 5.0' }] },
    expected: ['breaking provider_source_changed aws'],
  },
  'a provider goes': { after: { providers: [] }, expected: ['patch provider_removed aws'] },
  'a provider gets its first constraint': {
    before: { providers: [{ name: 'aws', source: 'hashicorp/aws', version: '' }] },
    after: {},
    expected: ['minor provider_constraint_added aws'],
  },
  'null is taken from now on': {
    before: withInput({ nullable: false }),
    after: {},
    expected: ['minor input_nullable name'],
  },
  'an output is no longer sensitive, another is deprecated': {
    before: { outputs: [output('id', { sensitive: true }), output('arn')] },
    after: { outputs: [output('id'), output('arn', { deprecated: 'Use id.' })] },
    expected: ['minor output_deprecated arn', 'patch output_not_sensitive id'],
  },
  'a required input becomes optional': {
    after: withInput({ required: false, default: 'x' }),
    expected: ['minor default_changed name'],
  },
  'texts change': {
    after: { ...withInput({ description: 'Name' }), description: 'More queues', readme_content: '# More' },
    expected: [
      'patch description_changed name',
      'patch description_changed module',
      'patch readme_changed module',
    ],
  },
  'the order changes': {
    after: { outputs: [output('arn'), output('id')] },
    expected: ['patch order_changed outputs'],
  },
  'only the commit changes': { after: { commit: '1'.repeat(40), ref: 'v1.0.1' }, expected: [] },
}

for (const [what, { before, after, expected }] of Object.entries(ROWS)) {
  test(`diff: ${what}`, () => {
    const { verdict, changes } = diffModules({ ...BASE, ...before }, { ...BASE, ...after })

    assert.deepEqual(
      changes.map((change) => `${change.class} ${change.code} ${change.subject}`),
      expected,
    )
    assert.equal(verdict, expected[0]?.split(' ')[0] ?? 'none')
  })
}

test('the verdict is the worst class, and changes are sorted from worst to least', () => {
  const { verdict, changes } = diffModules(BASE, {
    ...BASE,
    readme_content: '',
    outputs: [output('id'), output('url')],
  })

  assert.equal(verdict, 'breaking')
  assert.deepEqual(
    changes.map((change) => change.class),
    ['breaking', 'minor', 'patch'],
  )
})

test('the floor of a constraint is the lowest version it admits', () => {
  const floors = {
    '>= 1.2.3': '1.2.3',
    '~> 4.1': '4.1',
    '= 2.0': '2.0',
    '3': '3',
    '< 5': '0',
    '': '0',
    '>= 1.0, >= 1.5, < 2': '1.5',
  }

  for (const [constraint, floor] of Object.entries(floors))
    assert.equal(floorOf(constraint).join('.'), floor, constraint)
})

test('a constraint refuses more where a version that was admitted is not any more', () => {
  const cases: [old: string, now: string, refuses: boolean][] = [
    ['>= 2.54', '>= 2.54, != 4.0.0, != 4.1.0', true],
    ['>= 4.0', '>= 4.40', true],
    ['>= 4.0', '>= 4.0, < 6.0', true],
    ['~> 4.1', '~> 4.1.2', true],
    ['~> 4.1', '>= 4.1', false],
    ['~> 4.1', '>= 4.1, < 5.0', false],
    ['>= 4.1, < 5.0', '~> 4.1', false],
    ['>= 4.40', '>= 4.0', false],
    ['4.1.0', '>= 4.0', false],
    ['>= 4.0, != 4.1.0', '>= 4.0', false],
    ['> 1.2.3', '>= 1.2.4', true], // 1.2.3.1
    ['>= 1.0.0', '>= 1', false],
    ['>= 0', '>= 0.0.0', false],
  ]
  for (const [old, now, refuses] of cases) assert.equal(refusesMore(old, now), refuses, `${old}, now ${now}`)
})

test('a constraint admits what Terraform admits', () => {
  const cases: [constraint: string, version: string, fits: boolean][] = [
    ['~> 1.2', '1.9.0', true],
    ['~> 1.2', '2.0.0', false],
    ['~> 1.2.3', '1.2.9', true],
    ['~> 1.2.3', '1.3.0', false],
    ['~> 2', '3.0.0', false],
    ['>= 1.0, < 2.0, != 1.5.0', '1.5.0', false],
    ['1.2', '1.2.0', true],
    ['', '7.0.0', true],
  ]

  for (const [constraint, version, fits] of cases) {
    assert.equal(admits(constraint, parseVersion(version) ?? []), fits, `${constraint} ${version}`)
  }
  assert.equal(parseVersion('v1.0.0-rc1'), undefined)
})

test('a prerelease is chosen by its exact version only, and comes before its release', () => {
  const rc = ['v3.0.0-rc1', 'v2.0.0']
  const both = [...rc, 'v3.0.0']
  const cases: [constraint: string, versions: readonly string[], chosen: string | undefined][] = [
    ['3.0.0-rc1', both, 'v3.0.0-rc1'],
    ['=v3.0.0-rc1', rc, 'v3.0.0-rc1'],
    ['= 3.0.0-rc1, != 2.0.0', both, 'v3.0.0-rc1'],
    ['3.0.0-rc1+build.5', rc, 'v3.0.0-rc1'],
    ['3.0.0-rc1', ['3.0.0-rc1+build.5'], '3.0.0-rc1+build.5'],
    ['3.0.0rc1', ['3.0.0rc1', '3.0.0'], '3.0.0rc1'],
    ['3.0.0-rc2', both, undefined],
    ['3.0.0-rc1', ['v3.0.0'], undefined],
    ['3.0.0', rc, undefined],
    ['= 3.0.0-rc1, >= 2.0', rc, undefined],
    ['>= 3.0.0-rc1', rc, undefined],
    ['>= 3.0.0-rc1', both, 'v3.0.0'],
    ['> 3.0.0-rc1', both, 'v3.0.0'],
    ['~> 3.0.0-rc1', both, undefined],
    ['~> 3.0.0-rc1', rc, undefined],
    ['~> 3.0.0.0', both, undefined],
    ['~> 3.0.0.0', ['v3.0.0.2'], 'v3.0.0.2'],
    ['<= 3.0.0-rc1', both, 'v2.0.0'],
    ['< 3.0.0-rc1', both, 'v2.0.0'],
    ['!= 3.0.0-rc1', both, 'v3.0.0'],
    ['!= 3.0.0-rc1', rc, 'v2.0.0'],
    ['!= 3.0.0-rc1', ['v3.0.0-rc2'], undefined],
    ['>= 2.0', both, 'v3.0.0'],
    ['3.0.0', ['v3.0.0+build'], 'v3.0.0+build'],
    ['', both, 'v3.0.0'],
  ]

  for (const [constraint, versions, chosen] of cases)
    assert.equal(newestAdmitted(constraint, versions, String), chosen, `${constraint} of ${versions}`)
})

test('types compare by meaning, and differences are named by path', () => {
  const cases: [before: string, after: string, ...differences: string[]][] = [
    ['map( string )', 'map(string)'],
    ['list', 'list(any)'],
    ['list', 'list(string)'],
    ['object({ a = string, b = number })', 'object({\n b = number\n "a" = string\n})'],
    ['bool', 'string', 'widened x changed from bool to string'],
    ['string', 'bool', 'stated x changed from string to bool'],
    ['list(string)', 'list(number)', 'stated x[*] changed from string to number'],
    ['bool', 'number', 'narrowed x changed from bool to number'],
    [
      'map(string)',
      'object({ a = number, b = optional(string) })',
      'stated x changed from map(string) to object({…})',
    ],
    [
      'map(string)',
      'object({ a = list(string) })',
      'stated x changed from map(string) to object({…})',
      'narrowed x.a changed from string to list(string)',
    ],
    ['list(string)', 'set(string)', 'widened x changed from list(string) to set(string)'],
    ['map(string)', 'list(string)', 'narrowed x changed from map(string) to list(string)'],
    ['map(object({ a = string }))', 'map(object({ a = any }))', 'widened x[*].a changed from string to any'],
    ['any', 'string', 'stated x changed from any to string'],
    ['object({ a = string })', 'object({ a = optional(string) })', 'widened x.a became optional'],
    ['object({ a = optional(string) })', 'object({ a = string })', 'narrowed x.a became required'],
    ['object({ a = string })', 'object({})', 'narrowed x.a was removed'],
    ['object({})', 'object({ a = string })', 'narrowed x.a is new and required'],
    ['object({ a = string })', 'map(string)', 'widened x changed from an object to a map'],
    ['tuple([string, number])', 'tuple([string, any])', 'widened x[1] changed from number to any'],
    ['tuple([string])', 'tuple([string, string])', 'narrowed x has 2 elements instead of 1'],
    [
      'object({ a = optional(map(string), { b = "}" }) })',
      'object({ a = optional(map(string), {}) })',
      'widened x.a has { } as default',
    ],
    ['object({ a = optional(string) })', 'object({ a = optional(string, null) })'],
    ['not a type', 'not  a type'],
    ['not a type', 'string', 'narrowed x changed from notatype to string'],
  ]

  for (const [before, after, ...differences] of cases) {
    const found = compareTypes(parseType(before), parseType(after), 'x')
    assert.deepEqual(
      found.map(({ effect, path, what }) => `${effect} ${path} ${what}`),
      differences,
      `${before} -> ${after}`,
    )
  }
})
