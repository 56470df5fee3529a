import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { mergeChunks } from './scripts/merge-chunks.ts'

const plugins = readdirSync('plugins').filter((name) => existsSync(`plugins/${name}/index.ts`))
/** Plugins that work in a thread of their own. */
const threads = plugins.filter((name) => existsSync(`plugins/${name}/analysis/thread.ts`))

/** What bundled CommonJS asks for and an ES module does not have. */
const COMMON_JS = [
  "import { createRequire as __satchelRequire } from 'node:module';",
  "import { fileURLToPath as __satchelPath } from 'node:url';",
  "import { dirname as __satchelDir } from 'node:path';",
  'const require = __satchelRequire(import.meta.url);',
  'const __filename = __satchelPath(import.meta.url);',
  'const __dirname = __satchelDir(__filename);',
].join('\n')

type Plugins = NonNullable<Options['esbuildPlugins']>

/** Leaves out what no verb uses and every start would compile, or every package carry. */
const PRUNED: Plugins = [
  // zod's namespace holds its messages in fifty languages, and a namespace cannot be shaken: English is what is said.
  {
    name: 'zod-english-only',
    setup(build) {
      build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
        contents: "export { default as en } from './en.js'",
        resolveDir: dirname(path),
      }))
    },
  },
  // The SDK's own ajv checks what a client answers to an elicitation by schema, which satchel never sends: 215 KB less
  // to compile at every start.
  {
    name: 'mcp-server-without-ajv',
    setup(build) {
      build.onLoad({ filter: /modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
        contents: [
          'export const { process } = globalThis', // as a module, it would ask each of its getters at every start: 5 ms
          'export class DefaultJsonSchemaValidator {',
          "  getValidator() { throw new TypeError('no client is asked for content by schema') }",
          '}',
        ].join('\n'),
      }))
    },
  },
  // Commands that are programs of their own, which no verb is: with it a start loads what opens sockets.
  {
    name: 'commander-without-programs',
    setup(build) {
      build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        /commander[\\/]lib/.test(importer) ? { path: 'child_process', namespace: 'unused' } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
    },
  },
  // What finds the id of the machine, by commands of its system, for a detector that satchel does not use.
  {
    name: 'opentelemetry-without-machine-id',
    setup(build) {
      build.onLoad({ filter: /opentelemetry[\\/]resources[\\/].*[\\/]getMachineId\.js$/ }, () => ({
        contents: 'export const getMachineId = async () => undefined',
      }))
    },
  },
  // The English model of vectra's text search, which no measurement asks for: 3.5 MB.
  {
    name: 'vectra-without-language-model',
    setup(build) {
      build.onLoad({ filter: /wink-eng-lite-web-model[\\/]/ }, () => ({ contents: 'module.exports = {}' }))
    },
  },
]

export default defineConfig(({ outDir = 'dist' }) => ({
  entry: {
    satchel: 'server/main.ts',
    'satchel-mcp': 'server/mcp-main.ts',
    ...(existsSync('lab/demo/main.ts') && { demo: 'lab/demo/main.ts' }),
    'server/plugin': 'server/plugin.ts',
    'server/client': 'server/client.ts',
    'test/harness/index': 'test/harness/index.ts',
    ...Object.fromEntries(plugins.map((name) => [`plugins/${name}/index`, `plugins/${name}/index.ts`])),
    ...Object.fromEntries(
      threads.map((name) => [`plugins/${name}/thread`, `plugins/${name}/analysis/thread.ts`]),
    ),
  },
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  splitting: true,
  clean: true,
  dts: false,
  onSuccess: () => mergeChunks(outDir),
  metafile: true,
  // Errors and warnings are still printed.
  silent: true,
  // Less text to compile at every start; names stay, so that a stack trace reads like the source.
  esbuildOptions(options) {
    options.minifyWhitespace = true
    options.minifySyntax = true
  },
  esbuildPlugins: PRUNED,
  // Everything is bundled but what must stay a package: a Go wasm and the optional peers.
  noExternal: [/^(?!@cdktf\/hcl2json|chromadb|@huggingface\/transformers|pg(?:$|\/))[^.]/],
  banner: { js: COMMON_JS },
  plugins: [
    {
      // Most chunks ask for none of it, and a start runs it in each of some sixty: 10 ms.
      name: 'common-js-where-needed',
      renderChunk(code, { map }) {
        const without = code.replace(COMMON_JS, '\n'.repeat(COMMON_JS.split('\n').length - 1))
        return /\b(?:require|__filename|__dirname)\b/.test(without)
          ? undefined
          : { code: without, map: map ?? null }
      },
    },
  ],
}))
