/** The modules of directories on the disk, as calls with a local source mean them. */
import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isInside } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { openModuleReader } from '../ingest/module-reader.ts'
import { type CallDirectory, missing, readModuleDirectory } from './call-tree.ts'

/** A directory that was read as a module. */
export interface LocalModule {
  readonly directory: CallDirectory
  readonly summary: ModuleSummary
}

/** What a local source leads to. `empty`: a directory without code; `outside`: a place that is not looked at. */
export type LocalTarget =
  | { readonly kind: 'module'; readonly module: LocalModule }
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'outside' }

export interface LocalModules {
  /** The module that a source means in a directory. */
  at(from: string, source: string): Promise<LocalTarget>
  /** The module of a directory that was read. */
  of(directory: CallDirectory): Promise<LocalModule>
  close(): Promise<void>
}

/** Reads modules below the `roots`, each once. The caller closes it: a parser may run. */
export async function openLocalModules(
  directories: readonly CallDirectory[],
  roots: readonly string[],
): Promise<LocalModules> {
  const reader = await openModuleReader()
  const whole = directories.filter(({ isWhole }) => isWhole)
  const known = new Map(whole.map((directory) => [directory.place, directory]))
  const modules = new Map<string, Promise<LocalModule>>()
  const read = async (directory: CallDirectory): Promise<LocalModule> => {
    const files = await Promise.all(
      directory.files.map(async ({ name, text }) => {
        const own = name.slice(name.lastIndexOf('/') + 1)
        return { name: own, facts: await reader.parseFile(own, Buffer.from(text)) }
      }),
    )
    const { name } = directory
    const place = { repository: '', ref: '', refKind: 'branch', commit: '', path: name, name } as const
    const summary = reader.summarize({ ...place, kind: 'root', files })
    return { directory, summary }
  }
  const moduleOf = (directory: CallDirectory): Promise<LocalModule> => {
    const found = modules.get(directory.place) ?? read(directory)
    modules.set(directory.place, found)
    return found
  }
  return {
    of: moduleOf,
    async at(from, source) {
      const place = await realpath(resolve(from, source)).catch(missing)
      const at = place ?? resolve(from, source)
      if (!roots.some((root) => isInside(at, root))) return { kind: 'outside' }
      if (place === undefined) return { kind: 'missing' }
      const directory = known.get(place) ?? (await readModuleDirectory(place))
      if (directory === undefined) return { kind: (await stat(place)).isDirectory() ? 'empty' : 'missing' }
      return { kind: 'module', module: await moduleOf(directory) }
    },
    close: () => reader.close(),
  }
}
