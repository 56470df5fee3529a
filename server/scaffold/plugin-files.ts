/** The names of a new plugin. */
export interface PluginNames {
  /** npm name: `satchel-word-count`. */
  readonly packageName: string
  /** Folder: the npm name without its scope. */
  readonly folder: string
  /** Plugin name and first word of its verbs: `word-count`. */
  readonly verb: string
  /** Prefix of its tools: `word_count`. */
  readonly tool: string
}

/** Maximum length of an npm name. */
const NAME_MAX_CHARS = 60
const NAME = /^(@[a-z0-9][a-z0-9-]*\/)?[a-z][a-z0-9-]*$/

/** Derives the names from an npm name; undefined if it is not a plain npm name. */
export function pluginNames(typed: string): PluginNames | undefined {
  if (typed.length > NAME_MAX_CHARS || !NAME.test(typed)) return undefined
  const folder = typed.slice(typed.indexOf('/') + 1)
  const verb = folder.replace(/^satchel-(?=[a-z])/, '').replace(/-+$/, '')
  return { packageName: typed, folder, verb, tool: verb.replaceAll('-', '_').slice(0, 36) }
}

/**
 * Returns all files of a new plugin, path -> text: one tool, its test and the files of a repository. Plain JavaScript with
 * types in comments, so that the first test passes without an installation or a build.
 */
export function pluginFiles(names: PluginNames, satchelVersion: string): Readonly<Record<string, string>> {
  return {
    'package.json': packageJson(names, satchelVersion),
    'plugin.js': pluginSource(names),
    [`tools/${names.tool.replaceAll('_', '-')}-count.js`]: toolSource(names),
    'plugin.test.js': testSource(names),
    'satchel.yaml': 'plugins:\n  ./plugin.js: { longest: true }\n',
    'jsconfig.json': `${JSON.stringify({ compilerOptions: { checkJs: true, module: 'nodenext', strict: true, skipLibCheck: true } }, undefined, 2)}\n`,
    '.gitignore': 'node_modules\n*.tgz\n',
    '.github/workflows/test.yml': workflow(),
    LICENSE: licence(names),
    'README.md': readme(names),
  }
}

function packageJson({ packageName }: PluginNames, satchelVersion: string): string {
  const content = {
    name: packageName,
    version: '0.1.0',
    description: 'A plugin for satchel',
    license: 'MIT',
    type: 'module',
    exports: { '.': { default: './plugin.js' } },
    files: ['plugin.js', 'tools'],
    engines: { node: '>=20.19' },
    scripts: { test: 'node --test plugin.test.js', check: 'satchel plugin check' },
    dependencies: { zod: '^4.0.0' },
    peerDependencies: { satchel: `>=${satchelVersion}` },
  }
  return `${JSON.stringify(content, undefined, 2)}\n`
}

function pluginSource({ verb, tool }: PluginNames): string {
  return `import { definePlugin } from 'satchel/plugin'
import * as z from 'zod'
import { countTool } from './tools/${tool.replaceAll('_', '-')}-count.js'

export default definePlugin({
  name: '${verb}',
  version: '0.1.0',
  apiVersion: 1,
  config: z.object({
    longest: z.boolean().default(true).describe('name the longest word'),
  }),
  // Only builds declarations: clients start a server twice and kill one, so nothing is opened here.
  async setup(_host, config) {
    return { tools: [countTool(config)] }
  },
})
`
}

function toolSource({ verb, tool }: PluginNames): string {
  return `import { defineRefusals, defineTool } from 'satchel/plugin'
import * as z from 'zod'

const refusals = defineRefusals({
  empty_text: { code: 'invalid', message: 'The text holds no word.', next: 'Pass at least one.' },
})

/**
 * One declaration: an MCP tool, a REST route and a verb.
 * @param {{ longest: boolean }} config
 */
export function countTool(config) {
  return defineTool({
    name: '${tool}_count',
    title: 'Count words',
    description:
      'Counts the words of a text. Use it when the length of a text matters. Returns the number of words and the longest one.',
    profile: 'standard',
    input: z.object({
      text: z.string().max(100_000).describe('the text to count'),
    }),
    output: z.object({
      words: z.int().describe('how many words the text has'),
      longest: z.string().optional().describe('the longest word'),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/${verb}/count' },
    cli: { verb: '${verb} count', positional: ['text'] },
    example: { text: 'one declaration, every door' },
    async handler(_ctx, { text }) {
      const words = text.split(/\\s+/).filter(Boolean)
      if (words.length === 0) throw refusals.empty_text()
      const longest = words.reduce((a, b) => (b.length > a.length ? b : a))
      return { words: words.length, ...(config.longest && { longest }) }
    },
    headline: ({ words, longest }) => \`\${words} words\${longest ? \`, the longest is "\${longest}"\` : ''}\`,
  })
}
`
}

function testSource({ tool }: PluginNames): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHost } from 'satchel/testing'
import plugin from './plugin.js'

test('a text is counted', async (t) => {
  const { call } = await openHost(t, { plugins: [plugin] })

  const counted = await call('${tool}_count', { text: 'one declaration, every door' })

  assert.deepEqual(counted, { words: 4, longest: 'declaration,' })
})

test('a text without a word is refused with a reason', async (t) => {
  const { call } = await openHost(t, { plugins: [plugin] })

  await assert.rejects(call('${tool}_count', { text: '  ' }), { code: 'invalid', reason: 'empty_text' })
})

test('a setting leaves the longest word out', async (t) => {
  const { call } = await openHost(t, { plugins: [{ plugin, settings: { longest: false } }] })

  assert.deepEqual(await call('${tool}_count', { text: 'a b' }), { words: 2 })
})
`
}

function workflow(): string {
  return `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [20, 22, 24]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: \${{ matrix.node }}
      - run: npm install
      - run: npm test
      - run: npx satchel plugin check
`
}

function licence({ packageName }: PluginNames): string {
  return `MIT License

Copyright (c) the authors of ${packageName}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
}

function readme({ packageName, verb, tool }: PluginNames): string {
  return `# ${packageName}

A plugin for [satchel](https://www.npmjs.com/package/satchel): one declaration of a tool is served over MCP, REST and the
command line.

## Try it

\`\`\`sh
npm test                                   # the tests, without a network
npx satchel ${verb} count "a text" --json   # at the command line; satchel.yaml names the plugin
npx satchel mcp                            # to an MCP client, as the tool ${tool}_count
npx satchel serve --port 8000              # POST /${verb}/count
npx satchel plugin check                   # what clients would trip over
\`\`\`

## Use it elsewhere

\`\`\`yaml
# satchel.yaml
plugins:
  ${packageName.startsWith('@') ? `"${packageName}"` : packageName}: { longest: true }
\`\`\`

## Add a tool

A file under \`tools/\` per tool, listed in \`plugin.js\`. The handler returns data; the doors format it. An error a caller can act
on is a row of the table of refusals: a code, a stable reason, a message and the next safe step.
`
}
