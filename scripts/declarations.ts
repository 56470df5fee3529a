/** Deletes from `dist` the declarations that no entry of the package's `exports` reaches. A part of the build. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const RELATIVE = /(?:from|import\(?)\s*["'](\.[^"']+)["']/g

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

const { exports }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]))
const reached = new Set(entries.map((path) => join(path)))
// A set is walked in the order of insertion, with what is added meanwhile.
for (const path of reached) {
  for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(RELATIVE))
    reached.add(join(dirname(path), specifier.replace(/\.(js|ts)$/, '.d.ts')))
}

const written = readdirSync('dist', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.d.ts'))
  .map((name) => join('dist', name))
for (const path of written) if (!reached.has(path)) rmSync(path)
