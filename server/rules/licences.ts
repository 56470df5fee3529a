import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ToolFinding } from './tool-rules.ts'

/** Licences that require only a notice (toolchain, section 2). */
const FREE =
  /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|MPL-2\.0)\b/

interface Manifest {
  readonly name?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Finds a missing licence, and dependencies whose licence requires more than a notice. */
export async function licenceFindings(folder: string): Promise<readonly ToolFinding[]> {
  const own = await manifestOf(folder)
  if (own === undefined) return []
  const found = own.license ? [] : ['package.json states no licence']
  for (const name of Object.keys(own.dependencies ?? {})) {
    const manifest = await manifestOf(dependencyFolder(folder, name))
    if (manifest !== undefined && !FREE.test(manifest.license ?? '')) {
      found.push(`the dependency ${name} has the licence ${manifest.license ?? 'none'}`)
    }
  }
  return found.map((detail) => ({ rule: 'licence', tool: '', detail }))
}

function dependencyFolder(folder: string, name: string): string | undefined {
  const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? []
  return places.length === 0 ? undefined : join(places[0] ?? '', name)
}

async function manifestOf(folder: string | undefined): Promise<Manifest | undefined> {
  if (folder === undefined) return undefined
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Manifest) // every member is checked before use
}
