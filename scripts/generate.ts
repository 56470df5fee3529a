import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { build, transform } from 'esbuild'
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import type { ConceptGroup } from '../plugins/modules/search/concept-phrases.ts'
import type { WishedConcept } from '../plugins/modules/search/guessed-concepts.ts'
import { preparePhrases } from '../plugins/modules/search/prepared-phrases.ts'

/** Writes everything that is derived from `schemas/`; the same input gives the same bytes. */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DO_NOT_EDIT = 'Written by scripts/generate.ts; do not edit.'
const BANNER = `/** ${DO_NOT_EDIT} */`

interface Output {
  readonly path: string
  readonly content: string
}

/** One derivation: what it writes, by path below the repository root. */
interface Step {
  readonly name: string
  outputs(): Promise<readonly Output[]>
}

const STEPS: readonly Step[] = [
  { name: 'handoff record: types', outputs: handoffTypes },
  { name: 'handoff record: validator', outputs: handoffValidator },
  { name: 'handoff record: schema as a constant', outputs: handoffSchemaConstant },
  { name: 'the skills as constants', outputs: skillConstants },
  { name: 'room: the owner page', outputs: ownerPage },
  { name: 'modules: the stems of the lexicon', outputs: lexiconPhrases },
]

const SKILLS: Readonly<Record<string, string>> = {
  'plugins/handoff/skill.md': 'generated/handoff-skill.ts',
  'plugins/modules/skill.md': 'generated/modules-skill.ts',
  'plugins/workspace/skill.md': 'generated/skill.ts',
}

/** The text of each skill as a constant: bundled code reads no file of the source tree. */
async function skillConstants(): Promise<readonly Output[]> {
  return Promise.all(
    Object.entries(SKILLS).map(async ([source, path]) => {
      const text = await readFile(join(ROOT, source), 'utf8')
      return { path, content: `${BANNER}\nexport const SKILL = ${JSON.stringify(text)}\n` }
    }),
  )
}

/** What every search and every ingest would otherwise find out of the phrases of the lexicon. */
async function lexiconPhrases(): Promise<readonly Output[]> {
  const lexicon = await readFile(join(ROOT, 'plugins/modules/assets/lexicon.json'), 'utf8')
  const { groups } = JSON.parse(lexicon) as { readonly groups: readonly ConceptGroup[] } // our own file
  const wishes = await readFile(join(ROOT, 'plugins/modules/assets/wishes.json'), 'utf8')
  const { groups: wished } = JSON.parse(wishes) as { readonly groups: readonly WishedConcept[] } // ours too
  const { words, stems, associations } = preparePhrases(groups, wished)
  const content = [
    BANNER,
    `export const PREPARED_WORDS = ${JSON.stringify(words)}`,
    `export const PREPARED_STEMS = ${JSON.stringify(stems)}`,
    `export const PREPARED_ASSOCIATIONS = ${JSON.stringify(associations)}`,
    '',
  ].join('\n')
  return [{ path: 'generated/lexicon-phrases.ts', content }]
}

/** The owner page's program and style, each as the exact text in the page: its hash is in the policy. */
async function ownerPage(): Promise<readonly Output[]> {
  const folder = join(ROOT, 'plugins/workspace/owner/page')
  const bundled = await build({
    entryPoints: [join(folder, 'start.js')],
    bundle: true,
    // The page takes pure functions of `server/plugin.ts`; its other modules are dropped, with what they import of Node.
    external: ['node:*'],
    write: false,
    format: 'iife',
    target: 'es2022',
  })
  // Minified after the bundling: names then depend on what is in the page, not on the modules that were dropped.
  const minified = await transform(bundled.outputFiles[0]?.text ?? '', {
    target: 'es2022',
    minify: true,
    charset: 'ascii',
  })
  const script = minified.code.trim()
  const styles = ['page.css', 'controls.css', 'document.css'].map((name) =>
    readFile(join(folder, name), 'utf8'),
  )
  const style = (await Promise.all(styles)).join('')
  if (/<\/(script|style)/i.test(script + style)) throw new Error('the page would end its own element')
  if (script.includes('"node:')) throw new Error('the page would import a module of Node')
  const content = [
    BANNER,
    `export const PAGE_SCRIPT = ${JSON.stringify(script)}`,
    `export const PAGE_STYLE = ${JSON.stringify(style)}`,
    '',
  ].join('\n')
  return [{ path: 'generated/owner-page.ts', content }]
}

async function handoffTypes(): Promise<readonly Output[]> {
  const options = { bannerComment: BANNER, style: { singleQuote: true, semi: false, printWidth: 110 } }
  const wire = await readSchema('handoff.v0.1.json')
  const known = { ...closed(wire), title: 'HandoffKnown' }
  return [
    { path: 'generated/handoff.ts', content: await compile(asInput(wire), 'Handoff', options) },
    {
      path: 'generated/handoff-known.ts',
      // The option alone changes nothing while the schema itself says `true`.
      content: await compile(asInput(known), 'HandoffKnown', { ...options, additionalProperties: false }),
    },
  ]
}

/**
 * Ajv's standalone code, bundled: its ESM output calls `require` for a small runtime part, which does not
 * exist in an ES module.
 */
async function handoffValidator(): Promise<readonly Output[]> {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    messages: false,
    code: { source: true, esm: true },
  })
  // Any case, version and variant; no urn, braces or trailing newline (ajv-formats accepts `urn:uuid:`).
  ajv.addFormat('uuid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i)
  const schema = await readSchema('handoff.v0.1.json')
  const bundle = await build({
    stdin: { contents: standaloneCode(ajv, ajv.compile(schema)), resolveDir: ROOT, loader: 'js' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'node20',
    banner: { js: `// ${DO_NOT_EDIT}` },
  })
  const [file] = bundle.outputFiles
  if (!file) throw new Error('esbuild gave no output')
  return [
    { path: 'generated/handoff-validate.js', content: file.text },
    { path: 'generated/handoff-validate.d.ts', content: VALIDATOR_TYPES },
  ]
}

const VALIDATOR_TYPES = `${BANNER}

/** One broken rule of the schema, as ajv reports it (without a message). */
export interface SchemaError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** True when the value is a handoff record; otherwise \`errors\` says why, until the next call. */
export const validate: {
  (value: unknown): boolean
  errors?: readonly SchemaError[] | null
}
`

async function handoffSchemaConstant(): Promise<readonly Output[]> {
  const text = JSON.stringify(await readSchema('handoff.v0.1.json'), null, 2)
  const content = `${BANNER}\n\n/** JSON Schema (draft-07) of the handoff record. */\nexport const HANDOFF_SCHEMA = ${text} as const\n`
  return [{ path: 'generated/handoff-schema.ts', content }]
}

type Schema = Record<string, unknown>

async function readSchema(name: string): Promise<Schema> {
  return JSON.parse(await readFile(join(ROOT, 'schemas', name), 'utf8'))
}

/** A copy of a schema node in which no object takes extra properties. */
function closed<T>(node: T): T {
  if (Array.isArray(node)) return node.map(closed) as T // same shape, element by element
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([key]) => key !== 'additionalProperties')
  return Object.fromEntries(kept.map(([key, value]) => [key, closed(value)])) as T // same shape but one key
}

/** The compiler dereferences in place and cannot take a shared object. */
function asInput(schema: Schema): JSONSchema {
  return structuredClone(schema)
}

/** The package is CommonJS: its default export is the function in one loader and a namespace in another. */
function standaloneCode(ajv: Ajv, validate: ValidateFunction): string {
  const loaded: unknown = standalone
  const generate = typeof loaded === 'function' ? loaded : (loaded as { default: unknown }).default
  return (generate as (ajv: Ajv, validate: ValidateFunction) => string)(ajv, validate) // ajv's documented entry
}

for (const step of STEPS) {
  for (const { path, content } of await step.outputs()) {
    const target = join(ROOT, path)
    await mkdir(dirname(target), { recursive: true })
    const before = await readFile(target, 'utf8').catch(() => undefined)
    if (content !== before) await writeFile(target, content) // a file that stays as it is stays older than the build
    console.log(`${step.name}: ${path}`)
  }
}
