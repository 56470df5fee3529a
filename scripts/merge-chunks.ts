import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { rollup } from 'rollup'
import { MODULE_ONLY, SHEBANG, writeEntries } from './common-js.ts'

/** What the bundler says of its output, of which this needs a part. */
interface Metafile {
  readonly outputs: Record<string, Output>
}

interface Output {
  readonly bytes: number
  readonly entryPoint?: string
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
  readonly inputs: Record<string, { readonly bytesInOutput: number }>
}

/**
 * Files that a start loads together, by the sources that they are loaded for, in the order in which they are assigned: a
 * file of several groups belongs to the first, and a group imports earlier ones only.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  client: ['server/client.ts'],
  first: ['server/process-signals.ts', 'server/prepared/find-answers.ts', 'server/prepared/answer-first.ts'],
  kept: ['server/start-up-memory.ts', 'server/compiled-code.ts'],
  program: ['server/run.ts', 'server/cli/program.ts'],
  host: [
    'server/config.ts',
    'server/plugin-entries.ts',
    'server/host.ts',
    'server/configured-filter.ts',
    'server/project-root.ts',
  ],
  hook: ['plugins/handoff/hook-plugin.ts'],
  handoff: ['plugins/handoff/index.ts'],
  modules: ['plugins/modules/index.ts'],
  search: [
    'plugins/modules/search/search-session.ts',
    'plugins/modules/search/hybrid-ranking.ts',
    'plugins/modules/service/search-target.ts',
  ],
  workspace: ['plugins/workspace/index.ts'],
  finder: ['plugins/finder/index.ts'],
  verb: ['server/cli/plugin-verbs.ts', 'server/cli/verb-parser.ts', 'server/answer/terminal-text.ts'],
  mcp: ['server/mcp/stdio.ts'],
}
/** Files of the host that plugins share are in a group of their own. */
const SHARED = 'platform'

/**
 * Merges the chunks of a build that a start loads together: a start took as long to find, read and link eighty files of
 * an average of 10 KB as to compile them. Writes them as CommonJS, whose compiled code Node 20 can keep, with an ES module
 * for each entry. Rewrites the folder and its metafile.
 */
export async function mergeChunks(folder: string): Promise<void> {
  const metafilePath = join(folder, 'metafile-esm.json')
  const metafile: Metafile = JSON.parse(readFileSync(metafilePath, 'utf8'))
  const groupOf = assign(metafile)
  const entries = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'))
  const roots = rootsOf(entries)
  const build = await rollup({
    input: Object.fromEntries(roots.map((path) => [nameIn(folder, path), resolve(path)])),
    plugins: [MODULE_ONLY],
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    treeshake: false,
    preserveEntrySignatures: 'strict',
    onLog(level, log) {
      if (level === 'warn' && !HARMLESS.includes(log.code ?? ''))
        throw new Error(`${log.code}: ${log.message}`)
    },
  })
  const { output } = await build.generate({
    dir: folder,
    format: 'cjs',
    exports: 'named',
    esModule: false,
    interop: 'default',
    externalLiveBindings: false,
    freeze: false,
    generatedCode: { constBindings: true, objectShorthand: true },
    hoistTransitiveImports: false,
    // File systems differ in whether they tell a from A.
    hashCharacters: 'base36',
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name }) => `${name.replace(HASH, '')}-[hash].cjs`,
    // Without a group, a file would be merged with one that imports it.
    manualChunks: (id) => groupOf.get(relative('.', id)) ?? nameIn(folder, relative('.', id)),
  })
  await build.close()
  const shebangs = new Set(roots.filter((path) => readFileSync(path, 'utf8').startsWith(SHEBANG)))
  for (const [path] of entries) rmSync(path)
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
  const outputs: Record<string, Output> = {}
  for (const chunk of chunks) {
    chunk.code = chunk.code.replace(SHEBANG, '')
    if (Object.hasOwn(GROUPS, chunk.name.replace(HASH, ''))) requireAscii(chunk)
    const path = join(folder, chunk.fileName)
    writeFileSync(path, chunk.code)
    outputs[path] = mergedOutput(metafile, chunk.moduleIds, Buffer.byteLength(chunk.code))
  }
  await writeEntries(folder, chunks, shebangs)
  writeFileSync(metafilePath, JSON.stringify({ ...metafile, outputs }))
}

/**
 * One character beyond ASCII makes Node.js decode a file of 250 KB slowly and hold it twice as large for the parser. The
 * bundler escapes those in strings, not those in regular expressions.
 */
function requireAscii({ name, code }: { readonly name: string; readonly code: string }): void {
  const [found] = /.{0,30}[^\0-\x7f].{0,10}/.exec(code) ?? []
  if (found !== undefined) throw new Error(`${name}: write this with an escape: ${found}`)
}

/** That of the first build, in the name of a file that nothing outside names. */
const HASH = /-[A-Z0-9]{8}$/

/** What the first build wrote, and packages that it bundled, may do. */
const HARMLESS = ['CIRCULAR_DEPENDENCY', 'UNUSED_EXTERNAL_IMPORT']

/** What is reached from outside, by its name. */
function rootsOf(entries: readonly (readonly [string, Output])[]): readonly string[] {
  return entries.flatMap(([path, { entryPoint }]) =>
    entryPoint !== undefined && !HASH.test(path.replace(/\.js$/, '')) ? [path] : [],
  )
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path).replace(/\.js$/, '')
}

interface Entry {
  readonly entryPoint: string
  /** The files that it imports, and those that they import. */
  readonly reached: ReadonlySet<string>
}

/** The group of each file that has one. */
function assign({ outputs }: Metafile): ReadonlyMap<string, string> {
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]): Entry[] =>
    entryPoint ? [{ entryPoint, reached: closureOf(outputs, path) }] : [],
  )
  const groupOf = new Map<string, string>()
  for (const [group, sources] of Object.entries(GROUPS)) {
    const loaded = entries.filter(({ entryPoint }) => sources.includes(entryPoint))
    // A plugin may have been removed; what is there and loaded otherwise is a group that says nothing.
    const lost = sources.filter(
      (source) => existsSync(source) && !loaded.some((one) => one.entryPoint === source),
    )
    if (lost.length > 0)
      throw new Error(`the group ${group} names what nothing imports(): ${lost.join(', ')}`)
    for (const path of loaded.flatMap(({ reached }) => [...reached])) {
      if (groupOf.has(path)) continue
      if (isOwn(path, ownerOf(sources[0] ?? ''), { entries, outputs })) groupOf.set(path, group)
      else if (!isOfPlugin(outputs[path])) groupOf.set(path, SHARED)
    }
  }
  return groupOf
}

/** True if no other plugin or door loads the file. The host may: code of a plugin and of a door is theirs even so. */
function isOwn(
  path: string,
  owner: string,
  { entries, outputs }: { readonly entries: readonly Entry[]; readonly outputs: Metafile['outputs'] },
): boolean {
  if (owner === HOST) return true
  const mayLend = isOfPlugin(outputs[path]) || owner.startsWith('server/')
  return entries.every(({ entryPoint, reached }) => {
    const other = ownerOf(entryPoint)
    return other === owner || (mayLend && other === HOST) || !reached.has(path)
  })
}

const HOST = 'host'

/** The plugin or the door that an entry belongs to, or the host. */
function ownerOf(entryPoint: string): string {
  return /^(?:plugins\/[^/]+|server\/mcp|server\/cli)(?=\/)/.exec(entryPoint)?.[0] ?? HOST
}

function isOfPlugin(output: Output | undefined): boolean {
  return Object.keys(output?.inputs ?? {}).some((path) => /^(?:plugins|generated)\//.test(path))
}

/** The files that loading this one loads. */
function closureOf(outputs: Metafile['outputs'], root: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path) || !outputs[path]) return
    seen.add(path)
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') visit(next)
  }
  visit(root)
  return seen
}

function mergedOutput({ outputs }: Metafile, ids: readonly string[], bytes: number): Output {
  const parts = ids.flatMap((id) => outputs[relative('.', id)] ?? [])
  return {
    bytes,
    imports: parts.flatMap(({ imports }) => imports),
    inputs: Object.assign({}, ...parts.map(({ inputs }) => inputs)),
  }
}
