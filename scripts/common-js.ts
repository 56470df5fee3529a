import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import type { OutputChunk, Plugin } from 'rollup'

/** Only the ES module of a program begins with it. */
export const SHEBANG = '#!/usr/bin/env node\n'

/** What an ES module has, and CommonJS that `server/built-files.ts` runs does not have. */
export const MODULE_ONLY: Plugin = {
  name: 'module-only',
  resolveImportMeta(property) {
    if (property === 'url') return "require('url').pathToFileURL(__filename).href"
    if (property === 'dirname') return '__dirname'
    throw new Error(`CommonJS has no import.meta.${property ?? ''}`)
  },
  renderDynamicImport({ targetChunk }) {
    if (targetChunk) return null // becomes `require`
    return { left: "(typeof builtFiles==='undefined'?id=>import(id):builtFiles.importModule)(", right: ')' }
  },
}

/**
 * Writes the ES module of each entry among the CommonJS files of a build, and what loads them. `programs` are the modules
 * that a shell may start.
 */
export async function writeEntries(
  folder: string,
  chunks: readonly OutputChunk[],
  programs: ReadonlySet<string>,
): Promise<void> {
  const digest = createHash('sha256')
  for (const { fileName, code } of chunks) digest.update(`${fileName}\n${code}\n`)
  const loader = await writeLoader(folder, digest.digest('hex').slice(0, 16))
  for (const chunk of chunks.filter(({ isEntry }) => isEntry)) {
    const path = join(folder, chunk.fileName.replace(/\.cjs$/, '.js'))
    writeFileSync(
      path,
      `${programs.has(path) ? SHEBANG : ''}${entryOf(chunk, relative(dirname(path), loader))}`,
    )
  }
}

/** Bundles what loads the other files; it is told which build it belongs to. */
async function writeLoader(folder: string, digest: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['server/built-files.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    define: { BUILD: JSON.stringify(digest) },
  })
  const text = outputFiles[0]?.text ?? ''
  const path = join(folder, `built-files-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`)
  writeFileSync(path, text)
  return path
}

/** The ES module of an entry: it exports what the CommonJS file does, and waits for a program to end. */
function entryOf({ fileName, exports }: OutputChunk, loader: string): string {
  const from = JSON.stringify(loader.startsWith('.') ? loader : `./${loader}`)
  const names = exports.filter((name) => name !== 'default')
  return [
    `import { load } from ${from}`,
    `const loaded = load(${JSON.stringify(fileName)})`,
    ...(names.length > 0 ? [`export const { ${names.join(', ')} } = loaded`] : []),
    ...(exports.includes('ended') ? ['await loaded.ended'] : []),
    ...(exports.includes('default') ? ['export default loaded.default'] : []),
    '',
  ].join('\n')
}
