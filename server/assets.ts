import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where each packaged file comes from when the sources run; `scripts/assets.ts` copies the same files into `dist/assets`. */
export const ASSET_SOURCES: Readonly<Record<string, string>> = {
  'sql-wasm.wasm': 'sql.js/dist/sql-wasm.wasm',
  'swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'favicon-32x32.png': 'swagger-ui-dist/favicon-32x32.png',
  'redoc.standalone.js': 'redoc/bundles/redoc.standalone.js',
}

/** The absolute path of a packaged file: in `dist/assets` of the package, else in the development tree. */
export function assetPath(name: string): string {
  const built = builtAsset(name)
  if (built !== undefined) return built
  const source = ASSET_SOURCES[name]
  if (source === undefined) throw new TypeError(`no packaged file is called ${name}`)
  return createRequire(import.meta.url).resolve(source)
}

/** Bundled code stands in `dist` or a folder of it; the sources never see `dist/assets`. */
function builtAsset(name: string): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url))
  for (const folder of [here, dirname(here)]) {
    const path = join(folder, 'assets', name)
    if (existsSync(path)) return path
  }
  return undefined
}
