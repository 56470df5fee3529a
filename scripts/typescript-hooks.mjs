/** The hooks of `typescript.mjs`: a `.ts` file is transpiled alone, as `isolatedModules` promises that it can be. */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'
import { transform, version } from 'esbuild'

/** Where transpiled files are kept, named by a hash of what they were made of; undefined: nowhere. */
let kept

export function initialize({ folder }) {
  kept = folder
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.ts(?:\?|$)/.test(url) || url.includes('/node_modules/'))
    return next(url, context)
  const path = fileURLToPath(url)
  const source = readFileSync(path, 'utf8')
  return { format: 'module', shortCircuit: true, source: await transpiled(path, source) }
}

async function transpiled(path, source) {
  const name = basename(path)
  const at = kept && join(kept, createHash('sha256').update(`${version} ${name}\n${source}`).digest('hex'))
  const known = at && readKept(at)
  if (known) return known
  const { code } = await transform(source, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    supported: { 'import-attributes': true },
    sourcefile: name,
    sourcemap: 'inline',
    sourcesContent: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  if (at) keep(at, code)
  return code
}

function readKept(at) {
  try {
    return readFileSync(at, 'utf8')
  } catch {
    return undefined
  }
}

/** Another process may read it at any moment, and another user may not be allowed to write here: it is only time that is lost. */
function keep(at, code) {
  const own = `${at}.${process.pid}-${threadId}`
  try {
    writeFileSync(own, code)
    renameSync(own, at)
  } catch {}
}
