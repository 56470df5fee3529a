import { HOSTILE_NAMES, HOSTILE_PATHS, HOSTILE_REFS, hostileUrls } from '../../hostile/module-values.ts'

/** Input for one tool, which every door that has the tool must survive. */
export interface ValueCase {
  readonly name: string
  readonly tool: string
  input(): Readonly<Record<string, unknown>>
}

function value(name: string, tool: string, input: () => Readonly<Record<string, unknown>>): ValueCase {
  return { name: `${tool}: ${name}`, tool, input }
}

/** A text for each field that is parsed or matched. */
function text(
  tool: string,
  field: string,
  texts: readonly (readonly [name: string, make: () => string])[],
): ValueCase[] {
  return texts.map(([name, make]) => value(name, tool, () => ({ [field]: make() })))
}

const times = (part: string, count: number) => () => part.repeat(count)
const distinct = (count: number, line: (at: number) => string) => () =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

const YAML = text('ingest_from_yaml', 'yaml', [
  ['open braces', times('{', 20_000)],
  ['open brackets', times('[', 20_000)],
  ['colons', times(': ', 20_000)],
  ['dashes', times('- ', 20_000)],
  ['tabs', times('\t', 20_000)],
  ['question marks', times('? ', 5000)],
  ['quotes', times('"', 20_001)],
  ['20,000 distinct keys', distinct(20_000, (at) => `key${at}: ${at}`)],
  ['20,000 equal keys', distinct(20_000, () => 'key: 1')],
  ['deep indentation', distinct(2000, (at) => `${' '.repeat(at)}a:`)],
  [
    'aliases of aliases',
    () =>
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefghij'
          .split('')
          .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`),
      ].join('\n'),
  ],
  ['an alias of itself', () => 'a: &a [*a]'],
  ['merged aliases', () => `a: &a {x: 1}\nb: {<<: [${Array(5000).fill('*a').join(',')}]}`],
  ['tags', () => '!!js/function "x"\n--- !!binary |\n  aGk=\n--- !<tag:x> y'],
  ['documents', times('---\n', 20_000)],
  ['a block text of 1 MiB', () => `a: |\n${'  x\n'.repeat(260_000)}`],
  ['a comment of 1 MiB', () => `# ${'x'.repeat(2 ** 20)}`],
  [
    'numbers of 10,000 digits',
    () => `a: ${'9'.repeat(10_000)}\nb: 0x${'f'.repeat(10_000)}\nc: 1:${'1:'.repeat(5000)}1`,
  ],
  ['prototype keys', () => '__proto__: {x: 1}\nconstructor: {y: 2}\nrepositories: [{__proto__: {url: x}}]'],
  ['control characters', () => 'a: "\\0\\x01"\n\u0001: \u0002\n\ufeff: 1'],
])

const HCL_TEXTS = [
  ['open braces', times('{', 20_000)],
  ['open blocks', times('a {\n', 20_000)],
  ['open brackets in a value', () => `a = ${'['.repeat(20_000)}`],
  ['open templates', () => `a = "${'${"'.repeat(10_000)}`],
  ['open heredocs', times('a = <<EOT\n', 10_000)],
  ['an open comment', () => `/*${'*'.repeat(100_000)}`],
  ['operators', () => `a = ${'!'.repeat(50_000)}1`],
  ['conditions', () => `a = ${'x ? y : '.repeat(20_000)}1`],
  ['20,000 modules', distinct(20_000, (at) => `module "m${at}" {\n  source = "./m"\n}`)],
  [
    '50,000 arguments',
    () => `module "m" {\n  source = "./m"\n${distinct(50_000, (at) => `a${at} = ${at}`)()}\n}`,
  ],
  ['a line of 1 MiB', () => `a = "${'x'.repeat(2 ** 20)}"`],
  ['labels', () => `module ${'"a" '.repeat(20_000)} {}`],
  ['prototype names', () => 'module "__proto__" {\n source = "constructor"\n __proto__ = 1\n}'],
  ['bytes that no text has', () => 'module "\u0000\ud800\u202e" {\n source = "\u0000"\n}'],
  [
    'sources',
    () =>
      [...hostileUrls('/dev/null/x'), ...HOSTILE_PATHS]
        .map((each, at) => `module "m${at}" {\n  source = ${JSON.stringify(each)}\n}`)
        .join('\n'),
  ],
  [
    'refs',
    () =>
      HOSTILE_REFS.map(
        (ref, at) =>
          `module "m${at}" {\n  source = ${JSON.stringify(`git::https://example.com/x.git?ref=${ref}`)}\n}`,
      ).join('\n'),
  ],
] as const
const HCL = [...text('module_check', 'hcl', HCL_TEXTS), ...text('module_upgrade', 'hcl', HCL_TEXTS)]

const MARKDOWN_TEXTS = [
  ['quotes', times('>', 60_000)],
  ['open links', times('[a](', 50_000)],
  ['open images', times('![', 50_000)],
  ['stars', times('*a ', 50_000)],
  ['underscores', times('_', 100_000)],
  ['backticks', distinct(1500, (at) => '`'.repeat(at % 700))],
  ['nested lists', distinct(1000, (at) => `${' '.repeat(at)}- a`)],
  ['headings', times('# h\n', 20_000)],
  ['references', distinct(20_000, (at) => `[a${at}]: <`)],
  ['tables', times('|a', 50_000)],
  ['HTML', times('<a b="', 50_000)],
  ['entities', times('&amp', 50_000)],
  ['an open front matter', () => `---\n${'a: [\n'.repeat(5000)}`],
  ['an open fence with a record', () => `\`\`\`json satchel\n${'{"a":'.repeat(20_000)}`],
  ['one line of 1 MiB', times('a', 2 ** 20)],
  ['lines of nothing', times('\n', 500_000)],
] as const
const IMPORTS = text('handoff_import', 'content', [
  ...MARKDOWN_TEXTS,
  ['300,000 lines of {}', times('{}\n', 300_000)],
  ['lines of records', distinct(5000, (at) => `{"id":"${at}","__proto__":{}}`)],
  ['open lists', times('[', 50_000)],
])

const record = (more: Readonly<Record<string, unknown>>) => () => ({ record: more })
const nested = (levels: number): unknown => {
  let made: unknown = 1
  for (let level = 0; level < levels; level++) made = { a: made }
  return made
}
const RECORDS: readonly ValueCase[] = [
  ['41 levels', record({ extra: nested(41) })],
  ['99 levels', record({ extra: nested(90) })],
  ['20,000 members', record(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at])))],
  ['5,000 items with one id', record({ open_items: Array.from({ length: 5000 }, () => ({ id: 'O-001' })) })],
  [
    '5,000 items that need each other',
    record({
      open_items: Array.from({ length: 5000 }, (_, at) => ({ id: `O-${at}`, evidence_ids: [`O-${at + 1}`] })),
    }),
  ],
  ['a text of 3 MiB', record({ objective: 'x'.repeat(3 * 2 ** 20) })],
  [
    'prototype members',
    () => ({
      record: JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{}},"toString":1}') as unknown,
    }),
  ],
  ['halves of pairs', record({ objective: '\ud800', title: 'a\udc00' })],
  ['strange numbers', record({ schema_version: 1e308, origin: -0, created_at: 9e15 })],
  ['dates', record({ created_at: `${'9'.repeat(1000)}-01-01T00:00:00Z` })],
].map(([name, input]) => value(name as string, 'handoff_validate', input as ValueCase['input']))

const PATTERNS = [
  '(a+)+$',
  '^(.*)*$',
  '['.repeat(5000),
  '*'.repeat(10_000),
  '?'.repeat(10_000),
  '**/'.repeat(2000),
  '{a,'.repeat(2000),
  '!'.repeat(10_000),
  'a\u0000b',
  '../'.repeat(1000),
]
const SEARCHES: readonly ValueCase[] = [
  ...PATTERNS,
  'a '.repeat(1000),
  '\ud800',
  '\u202e\u200b',
  '"'.repeat(2000),
  'OR '.repeat(600),
  ...HOSTILE_NAMES,
].flatMap((query, at) => [
  value(`query ${at}`, 'search_modules', () => ({ query })),
  value(`query ${at}`, 'search_modules_vector', () => ({ query })),
  value(`query ${at}`, 'satchel_find', () => ({ query })),
  value(`plan ${at}`, 'handoff_check_plan', () => ({ plan: query })),
])

const PLACES: readonly ValueCase[] = [
  ...HOSTILE_PATHS,
  '/proc/self/mem',
  '/dev/zero',
  '/dev/stdin',
  '.',
  '/',
].flatMap((path, at) => [
  value(`path ${at}`, 'handoff_import', () => ({ path })),
  value(`project ${at}`, 'handoff_list', () => ({ project: path })),
  value(`output_dir ${at}`, 'search_modules', () => ({ output_dir: path })),
])

const SOURCES: readonly ValueCase[] = [
  ...hostileUrls('/dev/null/x').map((url, at) =>
    value(`URL ${at}`, 'analyze_repository', () => ({ repository_url: url })),
  ),
  ...HOSTILE_REFS.map((ref, at) =>
    value(`ref ${at}`, 'analyze_repository', () => ({
      repository_url: 'file:///dev/null/x',
      branches: [ref],
    })),
  ),
]

const WORK: readonly ValueCase[] = [
  value('scope patterns', 'handoff_create', () => ({
    title: 't',
    objective: 'o',
    current_state: 'c',
    scope: PATTERNS,
  })),
  value('paths', 'handoff_create', () => ({
    title: 't',
    objective: 'o',
    current_state: 'c',
    artifacts: HOSTILE_PATHS.map((path) => ({ path, role: 'read' })),
  })),
  value('5,000 decisions', 'handoff_create', () => ({
    title: 't',
    objective: 'o',
    current_state: 'c',
    decisions: Array.from({ length: 5000 }, () => ({ decision: 'd', rationale: 'r' })),
  })),
  value('a text for secrets', 'handoff_redact', () => ({ text: 'ghp_'.repeat(50_000) })),
  value('a text of keys', 'handoff_redact', () => ({ text: 'password='.repeat(50_000) })),
  value('pointers', 'handoff_redact', () => ({
    text: 'x',
    fields: ['/'.repeat(1000), '/__proto__', '/~', '/~2', 'x'],
  })),
]

/** Every case for a tool, in no order. */
export const VALUE_CASES: readonly ValueCase[] = [
  ...YAML,
  ...HCL,
  ...IMPORTS,
  ...RECORDS,
  ...SEARCHES,
  ...PLACES,
  ...SOURCES,
  ...WORK,
]
