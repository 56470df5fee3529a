import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETUP_CLIENTS } from './clients.ts'
import { valueAt, type Wanted, withoutWanted, withWanted } from './config-edits.ts'
import { ConfigFault, type ConfigFormat, LayoutFault } from './config-format.ts'
import { hookEntry, serverEntry } from './entries.ts'
import { jsonFormat } from './json-format.ts'
import { linesFormat } from './lines-format.ts'
import { samplesOf } from './testing/corpus.ts'
import { tomlFormat } from './toml-format.ts'
import { wholeFormat } from './whole-format.ts'
import { yamlFormat } from './yaml-format.ts'

const FORMATS = {
  json: jsonFormat,
  toml: tomlFormat,
  yaml: yamlFormat,
  lines: linesFormat,
  whole: wholeFormat,
}
const SERVER = { command: '/a b/"node"', args: ["it's", 'mcp', 'C:\\x', '\u007f✓'] }

function entriesOf(name: string): { format: ConfigFormat; wanted: readonly Wanted[]; key: string } {
  const client = SETUP_CLIENTS.find((each) => each.name === name)
  assert.ok(client?.servers.user)
  const hook = hookEntry({ event: 'Stop', command: 'satchel x --harness y', mark: 'x --harness y' })
  const { format } = client.servers.user
  const wanted = [serverEntry(client, SERVER), ...(format === 'json' ? [hook] : [])]
  return { format: FORMATS[format], wanted, key: client.key }
}

for (const name of ['claude-code', 'opencode', 'codex', 'continue']) {
  const { format, wanted, key } = entriesOf(name)
  const [formatName = 'json'] = Object.entries(FORMATS).flatMap(([each, one]) =>
    one === format ? [each] : [],
  )
  for (const { name: sample, text: whole } of samplesOf(formatName as keyof typeof FORMATS, key)) {
    const text = whole.replace(/^\uFEFF/, '')

    test(`${name}, ${sample}: entries are put in once, and taken out without a trace in the values`, () => {
      const before = format.read(text)

      const put = withWanted(format, text, wanted)
      const back = withoutWanted(format, put, wanted, { value: before })

      assert.equal(withWanted(format, put, wanted), put)
      // A list in lines that is empty again is written as one.
      const expected = valueAt(before, [key]) === null ? { ...(before as object), [key]: [] } : before
      assert.deepEqual(structuredClone(format.read(back) ?? {}), structuredClone(expected ?? {}))
      assert.ok(isKept(text, put), 'text was removed or moved')
      assert.equal(put.includes('\r\n'), text.includes('\r\n'))
      if (text.includes('\r\n')) assert.doesNotMatch(put, /[^\r]\n/)
    })
  }
}

/** Whether `after` is `before` with insertions only. */
function isKept(before: string, after: string): boolean {
  let at = 0
  for (const char of before) {
    at = after.indexOf(char, at) + 1
    if (at === 0) return false
  }
  return true
}

test('members that a user added to the entry stay when it is renewed', () => {
  const { format, wanted } = entriesOf('claude-code')
  const text = '{ "mcpServers": { "satchel": { "command": "old", "env": { "A": "b" } } } }'

  const put = withWanted(format, text, wanted.slice(0, 1))

  assert.deepEqual(valueAt(structuredClone(format.read(put)), ['mcpServers', 'satchel']), {
    type: 'stdio',
    ...SERVER,
    env: { A: 'b' },
  })
})

test('of an item with several hooks only the one of satchel is taken', () => {
  const { format, wanted } = entriesOf('claude-code')
  const text =
    '{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mine"},{"type":"command","command":"/old/satchel x --harness y"}]}]}}'

  const renewed = withWanted(format, text, wanted.slice(1))
  const left = withoutWanted(format, renewed, wanted.slice(1), undefined)

  assert.match(renewed, /"satchel x --harness y"/)
  assert.deepEqual(JSON.parse(left), {
    hooks: { Stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'mine' }] }] },
  })
})

test('comments in an entry that is renewed stay, and it is undone to its bytes', () => {
  const texts: readonly (readonly [name: string, text: string])[] = [
    [
      'codex',
      [
        '[mcp_servers.satchel] # ours',
        '  # the one in the path',
        '  command = "old" # 1.0',
        '',
        '[mcp_servers.satchel.env]',
        '# of the proxy',
        'A = "b" # not c',
        '',
        '[mcp_servers.other]',
        'command = "o"',
        '',
      ].join('\n'),
    ],
    [
      'claude-code',
      '{\n  "mcpServers": {\n    "satchel": {\n      // mine\n      "command": "old",\n      "env": { "A": "b" /* not c */ }\n    }\n  }\n}\n',
    ],
  ]
  for (const [name, text] of texts) {
    const { format, wanted } = entriesOf(name)
    const server = wanted.slice(0, 1)

    const put = withWanted(format, text, server)

    for (const comment of text.match(/(#|\/[/*]).*/g) ?? []) assert.ok(put.includes(comment), comment)
    assert.equal(withWanted(format, put, server), put)
    assert.equal(withoutWanted(format, put, server, { value: format.read(text) }), text)
  }
})

const BROKEN: readonly (readonly [ConfigFormat, string, number])[] = [
  [jsonFormat, '{\n  "a": 1\n  "b": 2\n}\n', 3],
  [jsonFormat, '{\n  "a": [1, 2\n', 3],
  [jsonFormat, '{\n  "mcpServers": []\n}', 2],
  [jsonFormat, '[]', 1],
  [jsonFormat, `{"a": ${'['.repeat(200_000)}`, 1],
  [jsonFormat, '{ "mcpServers": { "satchel": {} }, "mcpServers": {} }', 1],
  [tomlFormat, 'a = 1\n[b\n', 3],
  [tomlFormat, 'a = 1\na = 2\n', 2],
  [tomlFormat, 'mcp_servers = 3\n', 1],
  [yamlFormat, 'a: 1\n  b: 2\n', 1],
  [yamlFormat, 'a: [\n', 2],
  [yamlFormat, 'mcpServers: no list\n', 1],
  [yamlFormat, '- a\n', 1],
  [yamlFormat, 'a: 1\n---\nb: 2\n', 2],
]

for (const [format, text, line] of BROKEN) {
  test(`text that cannot be edited is refused with its line: ${JSON.stringify(text.slice(0, 40))}`, () => {
    const { wanted } = entriesOf(
      format === jsonFormat ? 'claude-code' : format === tomlFormat ? 'codex' : 'continue',
    )

    assert.throws(
      () => withWanted(format, text, wanted),
      (thrown) => thrown instanceof ConfigFault && thrown.line === line && thrown.message.length > 10,
    )
  })
}

test('a text that nests deeper than 100 levels is refused with its line before it is parsed', () => {
  const times = (part: string, count: number): string => part.repeat(count)
  const deep: readonly (readonly [ConfigFormat, (levels: number) => string])[] = [
    [
      jsonFormat,
      (levels) => `// [[\n{\n"a[": "[\\"[", "b":\n${times('[', levels - 1)}${times(']', levels - 1)}}`,
    ],
    [tomlFormat, (levels) => `# [[\n"a[" = '[{' # [\nb =\u0020${times('[', levels)}${times(']', levels)}\n`],
    [tomlFormat, (levels) => `a = """\n[\\"""[ """\nb = ${times('{ c = ', levels)}1${times('}', levels)}\n`],
  ]
  for (const [format, textOf] of deep) {
    assert.ok(format.read(textOf(100)))
    for (const levels of [101, 100_000]) {
      assert.throws(
        () => format.read(textOf(levels)),
        (thrown) => {
          assert.ok(thrown instanceof ConfigFault)
          assert.deepEqual([thrown.message, thrown.line > 1], ['it nests deeper than 100 levels', true])
          return true
        },
      )
    }
  }
})

const INLINE = 'mcp_servers = { satchel = { command = "q" }, other = { command = "o" } }\n'
const TOML_FORMS: readonly (readonly [text: string, put: RegExp, back?: string])[] = [
  [INLINE, /^mcp_servers = \{ satchel = \{ command = ".*\] \}, other = \{ command = "o" \} \}\n$/],
  [
    'mcp_servers.satchel = { command = "q" } # mine\n',
    /^mcp_servers\.satchel = \{ command = .* \} # mine\n$/,
  ],
  ['[mcp_servers]\nsatchel = { command = "q" }\n', /^\[mcp_servers\]\nsatchel = \{ command = .* \}\n$/],
  [
    'mcp_servers.other = { command = "o" }\n',
    /^mcp_servers\.other = \{ command = "o" \}\n\n\[mcp_servers\.satchel\]\n/,
  ],
  ['[mcp_servers]\nother = { command = "o" }\n', /other = \{ command = "o" \}\n\n\[mcp_servers\.satchel\]\n/],
  [
    '[mcp_servers.other]\ntools = { a = { b = 1 } }\n',
    /tools = \{ a = \{ b = 1 \} \}\n\n\[mcp_servers\.satchel\]\n/,
  ],
  [
    'mcp_servers = { satchel.command = "q", satchel.env.A = "b", other.command = "o" }\n',
    /^mcp_servers = \{ other\.command = "o", satchel = \{ .*env = \{ A = "b" \}.* \} \}\n$/,
    'mcp_servers = { other.command = "o", satchel = { command = "q", env = { A = "b" } } }\n',
  ],
]

for (const [text, expected, back = text] of TOML_FORMS) {
  test(`TOML in the form ${JSON.stringify(text)} is edited in its place and undone`, () => {
    const { format, wanted } = entriesOf('codex')

    const put = withWanted(format, text, wanted)

    assert.match(put, expected)
    assert.deepEqual(
      valueAt(format.read(put), ['mcp_servers', 'other']),
      valueAt(format.read(text), ['mcp_servers', 'other']),
    )
    assert.equal(withWanted(format, put, wanted), put)
    assert.equal(withoutWanted(format, put, wanted, { value: format.read(text) }), back)
  })
}

const NOT_EDITABLE: readonly (readonly [name: string, text: string])[] = [
  ['codex', '[[mcp_servers]]\ncommand = "q"\n'],
  ['claude-code', '{ "mcpServers": { "satchel": {} }, "mcpServers": {} }'],
]

for (const [name, text] of NOT_EDITABLE) {
  test(`text that is valid but cannot be edited is told from a broken one: ${JSON.stringify(text)}`, () => {
    const { format, wanted } = entriesOf(name)

    assert.throws(() => withWanted(format, text, wanted.slice(0, 1)), LayoutFault)
  })
}
