import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ASSET_SOURCES } from '../server/assets.ts'
import { withoutForeignLogo } from '../server/http/redoc-logo.ts'

/** Licences and notices that travel with the packaged files. */
const LICENCES: Readonly<Record<string, string>> = {
  'LICENSE.sql.js': 'sql.js/LICENSE',
  'LICENSE.swagger-ui': 'swagger-ui-dist/LICENSE',
  'NOTICE.swagger-ui': 'swagger-ui-dist/NOTICE',
  'LICENSES.swagger-ui-bundle': 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE.redoc': 'redoc/LICENSE',
  'LICENSES.redoc-bundle': 'redoc/bundles/redoc.standalone.js.LICENSE.txt',
}

const REDOC = 'redoc.standalone.js'
const SUMS = 'SHA256SUMS'

/**
 * Copies every packaged file and its licence into `folder` and lists their SHA-256 in `SHA256SUMS`. Only redoc's
 * program is changed on the way: its logo becomes a `data:` URI. Gives the names.
 * Throws when that logo is no longer found, because the page would then ask another host for something.
 */
export async function copyAssets(folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true })
  const files = { ...ASSET_SOURCES, ...LICENCES }
  for (const [name, source] of Object.entries(files)) await copyAsset(source, join(folder, name), name)
  const names = Object.keys(files).sort()
  const sums = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`))
  await writeFile(join(folder, SUMS), sums.join(''))
  return [...names, SUMS]
}

async function copyAsset(source: string, target: string, name: string): Promise<void> {
  const path = installedFile(source)
  if (name !== REDOC) return copyFile(path, target)
  const changed = withoutForeignLogo(await readFile(path, 'utf8'))
  if (changed === undefined)
    throw new Error(`${source} no longer holds the logo to replace; look at what it loads now`)
  return writeFile(target, changed)
}

/** A file of an installed package, found by the folder of the package: not every package exports its licence. */
function installedFile(source: string): string {
  const slash = source.indexOf('/')
  const require = createRequire(import.meta.url)
  for (const modules of require.resolve.paths(source) ?? []) {
    const path = join(modules, source)
    try {
      return require.resolve(path)
    } catch {
      // an upper folder may hold it
    }
  }
  throw new Error(`${source.slice(0, slash)} is not installed, or has no ${source.slice(slash + 1)}`)
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

const here = fileURLToPath(import.meta.url)
if (process.argv[1] === here) {
  const names = await copyAssets(join(dirname(dirname(here)), 'dist', 'assets'))
  console.log(`assets: ${names.length} files`)
}
