/**
 * The hooks of `typescript.mjs`. Each type becomes spaces, so a line, a column and a count of coverage are those of the
 * source. What was stripped is kept in the folder of one run under a digest of the source.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

let folder

export function initialize(data) {
  folder = data.folder
}

/** Our imports name a file as it is called, so there is nothing to look for. */
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return next(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
}

export async function load(url, context, next) {
  if (!/^file:.*\.ts(?:\?|$)/.test(url)) return next(url, context)
  return { format: 'module', source: stripped(fileURLToPath(url)), responseURL: url, shortCircuit: true }
}

function stripped(filename) {
  const source = readFileSync(filename, 'utf8')
  const kept = folder && join(folder, createHash('sha256').update(source).digest('hex'))
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    const { transformSync } = require('@swc/wasm-typescript')
    const { code } = transformSync(source, { filename, mode: 'strip-only', module: true })
    if (kept) keep(kept, code)
    return code
  }
}

/** Another process may read the file at any moment, and another user cannot write here: then only time is lost. */
function keep(kept, code) {
  const own = `${kept}.${process.pid}`
  try {
    writeFileSync(own, code)
    renameSync(own, kept)
  } catch {}
}
