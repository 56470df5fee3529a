/** Finds the indexed module version that a `module` block calls. */
import { addTo } from '../../../server/plugin.ts'
import type { GivenBlock } from '../domain/check.ts'
import {
  canonicalRepository,
  type IndexedModule,
  isAddressOf,
  type ModuleSource,
  parseSource,
  type RegistryAliases,
  type Resolution,
  resolveSource,
} from '../domain/module-source.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { createLeftBehind } from './left-behind.ts'
import { groupVersions } from './versions.ts'

/** What a block calls; `record` only where it names an indexed version: that of another ref has other inputs. */
export interface ResolvedCall {
  readonly resolution: Resolution
  readonly record: IndexRecord | undefined
}

export type CallResolver = (block: GivenBlock) => ResolvedCall

/** Prepares an index for several blocks: each looks at the versions of one directory of its repositories only. */
export function createCallResolver(index: ModuleIndex, aliases: RegistryAliases = {}): CallResolver {
  const groups = new Map<string, KnownVersions[]>()
  const addresses = new Map<string, string>()
  const isLeftBehind = createLeftBehind(index)
  for (const { repository, path, versions, latest } of groupVersions(index, index.records)) {
    const address = addresses.get(repository) ?? canonicalRepository(repository)
    addresses.set(repository, address)
    const there = versions.filter((record) => !isLeftBehind(record))
    const known = there.map((record) => ({ ...record, latest: record.id === latest.id }))
    addTo(groups, path, { address, known })
  }
  const knownOf = (source: ModuleSource): KnownVersion[] =>
    source.kind === 'git' || source.kind === 'registry'
      ? (groups.get(source.path) ?? []).flatMap(({ address, known }) =>
          isAddressOf(source, address) ? known : [],
        )
      : []
  return ({ source: stated, version, isVersionLiteral }) => {
    if (stated === undefined) return { resolution: { kind: 'not_indexed' }, record: undefined }
    const source = parseSource(stated.text, aliases)
    const isOpen = version !== undefined && isVersionLiteral === false && source.kind === 'registry'
    if (stated.isComputed || isOpen) return { resolution: { kind: 'computed' }, record: undefined }
    const known = knownOf(source)
    const resolution = resolveSource(source, version, known)
    const isNamed = resolution.kind === 'found' || resolution.kind === 'short_commit'
    return {
      resolution,
      record: isNamed ? known.find(({ id }) => id === resolution.module.id) : undefined,
    }
  }
}

type KnownVersion = IndexedModule & IndexRecord

/** The versions of one directory of one repository. */
interface KnownVersions {
  readonly address: string
  readonly known: readonly KnownVersion[]
}
