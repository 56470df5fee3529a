/** Finds the indexed module version that a `module` block calls. */
import type { GivenBlock } from '../domain/check.ts'
import {
  type IndexedModule,
  parseSource,
  type RegistryAliases,
  type Resolution,
  resolveSource,
} from '../domain/module-source.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { groupVersions } from './versions.ts'

/** What a block calls; `record` only where it names an indexed version: that of another ref has other inputs. */
export interface ResolvedCall {
  readonly resolution: Resolution
  readonly record: IndexRecord | undefined
}

export type CallResolver = (block: GivenBlock) => ResolvedCall

/** Prepares an index for several blocks. */
export function createCallResolver(index: ModuleIndex, aliases: RegistryAliases = {}): CallResolver {
  const known = groupVersions(index, index.records).flatMap(({ versions, latest }) =>
    versions.map((record): IndexedModule & IndexRecord => ({ ...record, latest: record.id === latest.id })),
  )
  const byId = new Map(known.map((module) => [module.id, module]))
  return ({ source, version }) => {
    const resolution: Resolution =
      source === undefined
        ? { kind: 'not_indexed' }
        : resolveSource(parseSource(source.text, aliases), version, known)
    const isNamed = resolution.kind === 'found' || resolution.kind === 'short_commit'
    return { resolution, record: isNamed ? byId.get(resolution.module.id) : undefined }
  }
}
