import assert from 'node:assert/strict'
import { readHandwritten } from '../../plugins/handoff/domain/handwritten.ts'
import { readJson } from '../../plugins/handoff/domain/json-text.ts'
import { embeddedRecord } from '../../plugins/handoff/domain/markdown-import.ts'
import { findSecrets, redactText } from '../../plugins/handoff/domain/secrets.ts'
import { canonicalRepository, parseSource } from '../../plugins/modules/domain/module-source.ts'
import { parseExpression, parseTemplateText } from '../../plugins/modules/domain/parse-expression.ts'
import { parseDirectory } from '../../plugins/modules/git/directory.ts'
import { parseGlob } from '../../plugins/modules/git/glob.ts'
import { parseAskedRef } from '../../plugins/modules/git/ref-name.ts'
import { parseRemoteUrl } from '../../plugins/modules/git/url.ts'
import { splitList, splitObject } from '../../plugins/modules/hcl/collections.ts'
import { editCall } from '../../plugins/modules/hcl/edit-call.ts'
import { readingFileNames } from '../../plugins/modules/hcl/file-names.ts'
import { readingJsonFileNames } from '../../plugins/modules/hcl/json-file-names.ts'
import { readJsonModule } from '../../plugins/modules/hcl/json-module.ts'
import { readLiteral } from '../../plugins/modules/hcl/literals.ts'
import { readModuleBlocks } from '../../plugins/modules/hcl/module-blocks.ts'
import { codeOnly, readOutputUses } from '../../plugins/modules/hcl/output-uses.ts'
import { readHcl } from '../../plugins/modules/hcl/reader.ts'
import { markdownTree } from '../../plugins/workspace/analysis/markdown-tree.ts'
import { unifiedDiff } from '../../plugins/workspace/domain/difference.ts'
import { withPatch } from '../../plugins/workspace/domain/edit.ts'
import { findHeadings } from '../../plugins/workspace/domain/heading.ts'
import { parseJoinUri } from '../../plugins/workspace/domain/invitation.ts'
import { isSatchelError } from '../../server/contract/errors.ts'
import { excessOfJson } from '../../server/platform/json-bounds.ts'
import { parsedJson } from '../../server/platform/json-object.ts'
import { keyIn } from '../../server/platform/page-cursor.ts'
import { atOnce } from '../../server/platform/turns.ts'
import { hasHidden, showHidden, visibleLine } from '../../server/platform/visible-text.ts'
import { parseYaml } from '../../server/platform/yaml-document.ts'
import { type Wanted, withWanted } from '../../server/setup/config-edits.ts'
import { ConfigFault, type ConfigFormat } from '../../server/setup/config-format.ts'
import { jsonFormat } from '../../server/setup/json-format.ts'
import { tomlFormat } from '../../server/setup/toml-format.ts'
import { yamlFormat } from '../../server/setup/yaml-format.ts'
import { HCL_TOKENS, JSON_TOKENS, MARKDOWN_TOKENS, YAML_TOKENS } from './tokens.ts'

/** A reader of text that others wrote, with what must hold for every text. */
export interface Parser {
  readonly name: string
  /** Texts that inputs are made from; those that once failed stay here. */
  readonly seeds: readonly string[]
  /** What belongs into its texts, beside what every parser gets. */
  readonly tokens: readonly string[]
  /** Of the inputs in `npm test`, for a parser that takes milliseconds. Absent: all. */
  readonly share?: number
  /** Reads the text and asserts its laws. `other` is another input. Throws only a refusal. */
  check(text: string, other: string): void
}

const HCL_SEEDS = [
  'module "vpc" {\n  source = "git::https://example.com/vpc.git?ref=v1"\n  name = "a"\n  tags = { a = 1, "b" = [1, 2] }\n}\n',
  'variable "x" {\n  type = object({ a = optional(string, "b") })\n  default = <<-EOT\n    ${var.a}\n  EOT\n}\n',
  'locals { a = [for k, v in var.m : k => v... if v != null] }\n',
]

const SETUP_FORMATS: readonly (readonly [string, ConfigFormat, readonly string[], readonly string[]])[] = [
  [
    'JSON',
    jsonFormat,
    JSON_TOKENS,
    ['{\n  // a\n  "mcpServers": { "x": { "command": "y" }, },\n}\n', '['.repeat(3000)],
  ],
  [
    'TOML',
    tomlFormat,
    ['[', ']', '[[', '=', '"""', "'''", '#', '.', '{', '}', ',', '\n'],
    ['# c\n[mcp_servers.x]\ncommand = "y"\nargs = [ "a", ]\n', `a = ${'{ a = ['.repeat(1500)}`],
  ],
  [
    'YAML',
    yamlFormat,
    YAML_TOKENS,
    ['# c\nmcpServers:\n  - name: x\n    command: y\n', `${'? '.repeat(1600)}a\n`],
  ],
]

const WANTED_MEMBER: Wanted = { kind: 'member', place: ['servers', 'satchel'], value: { command: 'x' } }
const WANTED_ITEM: Wanted = {
  kind: 'item',
  list: ['servers'],
  value: { name: 'satchel' },
  ownIn: (item) =>
    (item as { name?: unknown } | null)?.name === 'satchel'
      ? { at: [], value: { name: 'satchel' } }
      : undefined,
}

/** Every reader of foreign text, by name. */
export const PARSERS: readonly Parser[] = [
  {
    name: 'HCL files',
    seeds: HCL_SEEDS,
    tokens: HCL_TOKENS,
    check(text) {
      for (const { line = 1 } of readHcl(text).blocks) assert.ok(line >= 1)
      readModuleBlocks(text)
    },
  },
  {
    name: 'HCL values',
    seeds: ['{ a = 1, b = ["x", null], "c" : true }', '[1, 2.5, "a${b}c", [[]], {}]', '"\\u00e9\\n${x}"'],
    tokens: HCL_TOKENS,
    check(text) {
      readLiteral(text)
      splitList(text)
      splitObject(text)
    },
  },
  {
    name: 'uses of outputs in HCL',
    seeds: ['output "x" { value = module.a.b[0].c }\n', ...HCL_SEEDS],
    tokens: [...HCL_TOKENS, 'module.', 'module.a.b'],
    check(text) {
      assert.equal(codeOnly(text).length, text.length)
      readOutputUses(text)
    },
  },
  {
    name: 'names in HCL',
    seeds: [
      'output "x" { value = [for a, b in module.a : "%{ if b.c }${b.d[*].e}%{ endif }" if try(a.0, f(b...))] }\n',
      ...HCL_SEEDS,
    ],
    tokens: [...HCL_TOKENS, 'for ', ' in ', ' : ', '...', '%{', '[*]', 'module.a'],
    check(text) {
      parseExpression(text)
      parseTemplateText(text)
      for (const { line } of atOnce(readingFileNames('a.tf', text)).reads) assert.ok(line >= 1)
    },
  },
  {
    name: 'edits of module calls',
    seeds: HCL_SEEDS,
    tokens: HCL_TOKENS,
    check(text) {
      editCall(text, 1, {
        replaced: new Map([['source', '"./other"']]),
        renamed: [{ from: 'name', to: 'title', note: 'was renamed' }],
        retired: [{ name: 'tags', note: 'was removed' }],
        added: [{ name: 'more', value: '1' }],
      })
    },
  },
  {
    name: 'modules in JSON',
    seeds: [
      '{"variable":{"x":{"type":"string","default":1}},"module":{"m":{"source":"./m"}}}',
      '{"output":[{"o":{"value":"${a.b}"}}]}',
    ],
    tokens: JSON_TOKENS,
    check(text) {
      readJsonModule(text)
      atOnce(readingJsonFileNames('a.tf.json', text))
    },
  },
  {
    name: 'records in JSON',
    seeds: [
      '{"id":"x","open_items":[{"id":"O-001","evidence_ids":[]}],"n":12345678901234567890}',
      '\ufeff{"a":{"a":1},"a":2}',
    ],
    tokens: JSON_TOKENS,
    check(text) {
      const reading = readJson(text)
      assert.equal(reading.kind === 'read', parsedJson(text.replace(/^\ufeff/, '')) !== undefined)
      if (reading.kind === 'broken') assert.ok(reading.fault.line >= 1 && reading.fault.column >= 1)
    },
  },
  {
    name: 'bounds of JSON',
    seeds: ['{"a":[1,2,{"b":"c\\"d"}]}', '[[[]]]'],
    tokens: JSON_TOKENS,
    check(text) {
      if (excessOfJson(text) === undefined && parsedJson(text) !== undefined)
        assert.ok(depthOf(JSON.parse(text)) <= 100)
    },
  },
  {
    name: 'YAML',
    share: 0.2,
    seeds: [
      'repositories:\n  - url: https://example.com/x.git\n    tags: [v1, "v2"]\n',
      'a: &x {b: 1}\nc: *x\n',
      'a: |\n  b\n',
    ],
    tokens: YAML_TOKENS,
    check(text) {
      const read = parseYaml(text)
      if (read.kind === 'problem') assert.ok(read.line >= 1 && read.column >= 1)
    },
  },
  {
    name: 'records in Markdown',
    seeds: [
      '# Handoff\n\n## Next\n- do this\n\n```json satchel\n{"id":"x"}\n```\n',
      '---\ntitle: x\n---\n# a\n',
    ],
    tokens: [...MARKDOWN_TOKENS, '```json satchel\n', '<!-- satchel'],
    check(text) {
      embeddedRecord(text)
    },
  },
  {
    name: 'handoffs by hand',
    seeds: [
      '# Handoff\n\n## Context\nx\n\n## What worked\n- a\n\n## Next steps\n1. [ ] b\n2. [x] c?\n\n## Gotchas\n- d\n',
    ],
    tokens: [...MARKDOWN_TOKENS, '## Next steps\n', '## Failed\n', '- [x] ', '?'],
    check(text) {
      readHandwritten(text)
    },
  },
  {
    name: 'secrets',
    seeds: [
      'password = "hunter2hunter2"',
      'AKIAIOSFODNN7EXAMPLE',
      'Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345',
      '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
    ],
    tokens: [
      '=',
      ': ',
      '"',
      'token',
      'password',
      'ghp_',
      'AKIA',
      'eyJ',
      '.',
      '-----BEGIN ',
      'KEY-----',
      '\n',
      'Bearer ',
      'x'.repeat(40),
      '0123456789abcdef',
    ],
    check(text) {
      const once = redactText(text)
      assert.equal(redactText(once), once)
      assert.deepEqual(findSecrets({ once }), [])
    },
  },
  {
    name: 'sources of modules',
    seeds: [
      'git::https://example.com/a/b.git//c?ref=v1&depth=1',
      'terraform-aws-modules/vpc/aws//modules/x',
      'git@github.com:a/b.git',
      './x',
      's3::https://x/y.zip',
      'app.terraform.io/a/b/c',
    ],
    tokens: [
      'git::',
      'https://',
      'ssh://',
      '//',
      '?ref=',
      '&',
      '@',
      ':',
      '.git',
      '..',
      '%',
      '#',
      '\\',
      '[',
      ']',
    ],
    check(text) {
      parseSource(text)
      canonicalRepository(text)
    },
  },
  {
    name: 'names for git',
    seeds: [
      'https://example.com/a/b.git',
      'ssh://git@example.com:22/a',
      'git@example.com:a/b',
      'file:///a/b',
      'refs/tags/v1',
      'modules/*/x',
      'a/b/../c',
    ],
    tokens: [
      'https://',
      'ssh://',
      'file://',
      '@',
      ':',
      '/',
      '..',
      '-',
      '--',
      '%',
      '*',
      '**',
      '[',
      '\\',
      '{',
      '^',
      '~',
      '.lock',
      '\n',
      ' ',
    ],
    check(text) {
      for (const read of [
        () => parseRemoteUrl(text, '/work'),
        () => parseAskedRef(text),
        () => parseDirectory(text),
        () => parseGlob(text),
      ]) {
        refusalOnly(read)
      }
    },
  },
  {
    name: 'headings of a document',
    seeds: ['# a\n\n## b\n```\n# no\n```\nc\n===\n<!--\n# no\n-->\n', '> # a\n- # b\n    # c\n'],
    tokens: MARKDOWN_TOKENS,
    check(text) {
      for (const { start } of findHeadings(text)) assert.ok(start >= 0 && start <= text.length)
    },
  },
  {
    name: 'Markdown of the page',
    share: 0.1,
    seeds: [
      '# a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] x ~~y~~ [^1]\n\n[^1]: z\n',
      '<b onclick=x>a</b> [a](javascript:x) ![b](c)',
    ],
    tokens: MARKDOWN_TOKENS,
    check(text) {
      assert.doesNotMatch(JSON.stringify(markdownTree(text)), /"(?:href|src)":"\s*javascript:/i)
    },
  },
  {
    name: 'patches',
    share: 0.3,
    seeds: [
      '@@ -11111111111111111111,2 +1,2 @@\n a\n-b\n+c\n',
      '@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
      '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n',
    ],
    tokens: [
      '@@ ',
      ' @@\n',
      '-1,1 ',
      '+1,1',
      '\n+',
      '\n-',
      '\n ',
      '--- ',
      '+++ ',
      '\\ No newline at end of file',
      'Index: ',
    ],
    check(text, other) {
      withPatch(other, text)
      const { diff, cut } = unifiedDiff(other, text, 1_000_000)
      if (cut || diff === '' || !other.endsWith('\n') || !text.endsWith('\n')) return
      const patched = withPatch(other, diff)
      assert.deepEqual(patched, { kind: 'edited', text })
    },
  },
  {
    name: 'invitations, cursors and visible text',
    seeds: [
      'satchel://join/abc#xyz',
      'http://127.0.0.1:1/#k=a',
      'eyJrIjpbMV19',
      '\u202ea\u200b\u3164\u{e0100}',
    ],
    tokens: [
      'satchel://join/',
      '#',
      '?',
      '%',
      '=',
      'eyJ',
      '\u202e',
      '\u200b',
      '\ufe0f',
      '\u{e0061}',
      '\u3164',
    ],
    check(text) {
      parseJoinUri(text)
      keyIn(text, 'question')
      assert.equal(hasHidden(showHidden(text)), false)
      assert.doesNotMatch(visibleLine(text), /[\n\r]/)
    },
  },
  ...SETUP_FORMATS.map(
    ([name, format, tokens, seeds]): Parser => ({
      name: `${name} of clients`,
      share: 0.2,
      seeds,
      tokens,
      check(text) {
        refusalOnly(() => {
          const wanted = [format === yamlFormat ? WANTED_ITEM : WANTED_MEMBER]
          const put = withWanted(format, text, wanted)
          assert.equal(withWanted(format, put, wanted), put)
        })
      },
    }),
  ),
]

function refusalOnly(read: () => unknown): void {
  try {
    read()
  } catch (thrown) {
    if (!isSatchelError(thrown) && !(thrown instanceof ConfigFault)) throw thrown
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
