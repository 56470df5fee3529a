import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The source of each packaged file in the development tree; `scripts/assets.ts` copies these files into `dist/assets`. */
export const ASSET_SOURCES: Readonly<Record<string, string>> = {
  'sql-wasm.wasm': 'sql.js/dist/sql-wasm.wasm',
  'swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'favicon-32x32.png': 'swagger-ui-dist/favicon-32x32.png',
  'redoc.standalone.js': 'redoc/bundles/redoc.standalone.js',
}

/** Returns the absolute path of a packaged file: in `dist/assets` of the package, otherwise in the development tree. */
export function assetPath(name: string): string {
  const built = builtAsset(name)
  if (built !== undefined) return built
  const source = ASSET_SOURCES[name]
  if (source === undefined) throw new TypeError(`no packaged file is called ${name}`)
  return createRequire(import.meta.url).resolve(source)
}

/** Finds `dist/assets` from bundled code in `dist` or one of its folders; the sources do not use it. */
function builtAsset(name: string): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url))
  for (const folder of [here, dirname(here)]) {
    const path = join(folder, 'assets', name)
    if (existsSync(path)) return path
  }
  return undefined
}
