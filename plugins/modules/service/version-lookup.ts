/** The module versions that one call names: those of the index, and those that have to be read for it. */
import { type CallContext, errorBody, errorFromBody, isSatchelError, once } from '../../../server/plugin.ts'
import {
  findModule,
  findRepository,
  isNamed,
  type ModuleName,
  mainPath,
  pathMissing,
  plainName,
  SHORTEST_PREFIX,
} from '../catalog/find.ts'
import { latestRead } from '../catalog/latest-read.ts'
import { createCallResolver, type ResolvedCall } from '../catalog/resolve-calls.ts'
import { groupVersions } from '../catalog/versions.ts'
import type { GivenBlock } from '../domain/check.ts'
import {
  type IndexedModule,
  isRepositoryOf,
  type ModuleSource,
  ofOwnAddress,
  parseSource,
} from '../domain/module-source.ts'
import { spellingsOf } from '../domain/nearest-names.ts'
import { parseRegistryAddress } from '../domain/registry-address.ts'
import { parseDirectory } from '../git/directory.ts'
import type { AskedName } from '../ingest/asked-repository.ts'
import type { ChosenRef } from '../ingest/choose-refs.ts'
import type { RepositoryPlan } from '../ingest/plan.ts'
import {
  emptyIndex,
  type IndexRecord,
  isDeleted,
  isRefDeleted,
  type ModuleIndex,
} from '../output/module-index.ts'
import { isReason, refusals } from '../reasons.ts'
import type { ModuleService } from './module-service.ts'

export interface VersionLookup {
  /**
   * The version with this name. Errors: those of `findModule`, with what reading the ref failed with.
   */
  module(name: ModuleName): Promise<IndexRecord>
  /**
   * What a block calls. A version that could not be read is `unknown_ref`, with the reason; a directory that a version
   * turned out not to have is `no_module`.
   */
  call(block: GivenBlock): Promise<ResolvedCall>
}

interface LookupPlace {
  readonly outputDir: string
  readonly index: ModuleIndex
  /** Absent: what one call of a client may take. */
  readonly reads?: ReadBounds
}

/** How many refs are read on demand, and how long that may take in all. */
interface ReadBounds {
  readonly count: number
  readonly ms: number
}

/** Clients give up on a call after a minute. */
const READS_OF_CALL: ReadBounds = { count: 10, ms: 20_000 }

/** Prepares a lookup for one call; its reads of refs are bounded. */
export function createVersionLookup(
  { asked, config }: Pick<ModuleService, 'asked' | 'config'>,
  { signal }: Pick<CallContext, 'signal'>,
  { outputDir, index, reads = READS_OF_CALL }: LookupPlace,
): VersionLookup {
  const spend = createBudget(signal, reads)
  const resolve = once(() => createCallResolver(index, config.registry_aliases))
  const read = async (plan: RepositoryPlan, name: AskedName, typedPath: string): Promise<IndexRecord> => {
    const path = parseDirectory(typedPath)
    const known = 'ref' in name ? knownRef(index, plan.remote.url, name.ref) : undefined
    return await asked.read(
      { outputDir, plan, path, name, known, pathMissing: (at) => pathMissing(index, at) },
      spend,
    )
  }
  /** `missing`: why the index does not have it. */
  const readNamed = async (
    { id, repository, ref, path }: ModuleName,
    missing: unknown,
  ): Promise<IndexRecord> => {
    if (id !== undefined) return onlyOf(await keptOf(asked, outputDir, id), missing)
    const plan = planNamed(await asked.configured(), index, repository)
    if (plan === undefined) throw missing
    const isLatest = ref === undefined || ref === 'latest'
    const at = parseDirectory(path ?? mainPathOf(index, plan))
    const wanted = isLatest ? latestRead(index, { repository: plan.remote.url, path: at }) : ref
    if (wanted === undefined) throw missing
    return await read(plan, { ref: wanted }, at).catch((why: unknown) => {
      // Of a directory that no ref was named for, the index knows more: which ones are like it.
      throw (isLatest || path === undefined) && isReason(why, 'module_not_found')
        ? missing
        : told(missing, why)
    })
  }
  const readCall = async (resolved: ResolvedCall, block: GivenBlock): Promise<ResolvedCall> => {
    const source = parseSource(block.source?.text ?? '', config.registry_aliases)
    if (source.kind === 'local' || source.kind === 'other') return resolved
    const plan = planOf(await asked.configured(), source)
    const name = plan && askedOf(index, plan, { source, version: block.version })
    if (name === undefined || plan === undefined) return resolved
    try {
      const record = await read(plan, name, source.path)
      return { record, resolution: { kind: 'found', module: { ...record, latest: false } } }
    } catch (thrown) {
      if (!isSatchelError(thrown) || thrown.code === 'cancelled') throw thrown
      return { record: undefined, resolution: unread(resolved, name, thrown) }
    }
  }
  return {
    async module(name) {
      try {
        return findModule(index, name, config.registry_aliases)
      } catch (thrown) {
        if (!isReason(thrown, 'module_not_found')) throw thrown
        return await readNamed(plainName(index, name, config.registry_aliases), thrown)
      }
    },
    async call(block) {
      const resolved = resolve()(block)
      const { resolution } = resolved
      if (resolution.kind === 'unknown_ref' || resolution.kind === 'not_indexed')
        return withDeletion(index, await readCall(resolved, block))
      if (resolution.kind !== 'found' || !isOfUnreadHead(index, resolution.module, block)) return resolved
      const head = await readCall(resolved, block)
      // Where it cannot be read, the newest that was read is the next best.
      return head.resolution.kind === 'unknown_ref' ? resolved : head
    },
  }
}

/** What a check looks up. Where nothing was ingested nothing is read either: every call but a local one is `not_indexed`. */
export function createCheckLookup(
  service: Pick<ModuleService, 'asked' | 'config'>,
  ctx: Pick<CallContext, 'signal'>,
  { index, ...place }: Omit<LookupPlace, 'index'> & { readonly index: ModuleIndex | undefined },
): Pick<VersionLookup, 'call'> {
  if (index !== undefined) return createVersionLookup(service, ctx, { ...place, index })
  const resolve = createCallResolver(emptyIndex(), service.config.registry_aliases)
  return { call: async (block) => resolve(block) }
}

/** Where nothing could be asked, the last ingest tells. */
function withDeletion(index: ModuleIndex, resolved: ResolvedCall): ResolvedCall {
  const { resolution } = resolved
  if (resolution.kind !== 'unknown_ref' || resolution.why !== undefined || resolution.latest === undefined)
    return resolved
  const { ref, latest } = resolution
  if (!isRefDeleted(index, { repository: latest.repository, ref })) return resolved
  const why = 'The last ingest found it deleted.'
  return { ...resolved, resolution: { ...resolution, why, isMissing: true } }
}

function createBudget(signal: AbortSignal, { count, ms }: ReadBounds): () => AbortSignal {
  let limited: AbortSignal | undefined
  let reads = 0
  return () => {
    reads += 1
    if (reads > count) throw refusals.asked_too_often({ count })
    limited ??= AbortSignal.any([signal, AbortSignal.timeout(ms)])
    return limited
  }
}

async function keptOf(
  asked: ModuleService['asked'],
  outputDir: string,
  id: string,
): Promise<readonly IndexRecord[]> {
  const prefix = id.toLowerCase()
  return prefix.length < SHORTEST_PREFIX ? [] : await asked.kept(outputDir, prefix)
}

function onlyOf(found: readonly IndexRecord[], otherwise: unknown): IndexRecord {
  const [only] = found.length === 1 ? found : []
  if (only === undefined) throw otherwise
  return only
}

/** The configured repository that a caller means: the one of the index with this name, or one that was never read. */
function planNamed(
  plans: readonly RepositoryPlan[],
  index: ModuleIndex,
  named: string | undefined,
): RepositoryPlan | undefined {
  if (named === undefined || named === '') return undefined
  let url: string | undefined
  try {
    url = findRepository(index, named)
  } catch (thrown) {
    if (!isReason(thrown, 'module_not_found')) throw thrown
  }
  const found = plans.filter(({ remote, entries }) =>
    url === undefined ? entries.some(({ name }) => isNamed(remote.url, name, named)) : remote.url === url,
  )
  return found.length === 1 ? found[0] : undefined
}

/** A ref as the last ingest saw it, in any directory. */
function knownRef(index: ModuleIndex, repository: string, ref: string): ChosenRef | undefined {
  const row = index.repositories.find((one) => one.repository === repository)
  const found = row?.readings.find((one) => one.ref === ref && !isDeleted(one))
  if (found === undefined) return undefined
  const { ref_kind: kind, commit } = found
  const fullName = ref.startsWith('refs/') ? ref : `refs/${kind === 'tag' ? 'tags' : 'heads'}/${ref}`
  return { ref, kind, fullName, commit }
}

/** What the configuration calls the module of a repository that has several, or that no ingest has read. */
function mainPathOf(index: ModuleIndex, { remote, entries }: RepositoryPlan): string {
  const own = index.records.filter(({ repository }) => repository === remote.url)
  const [first, ...more] = new Set(entries.map(({ path }) => path))
  return mainPath(groupVersions(index, own)) ?? (more.length === 0 ? first : undefined) ?? '.'
}

function latestName(index: ModuleIndex, { remote }: RepositoryPlan, path: string): AskedName | undefined {
  const ref = latestRead(index, { repository: remote.url, path })
  return ref === undefined ? undefined : { ref }
}

/** Whether a call without a ref, which means the default branch, was resolved to another ref. */
function isOfUnreadHead(
  index: ModuleIndex,
  { repository, ref }: IndexedModule,
  { source }: GivenBlock,
): boolean {
  const { kind, ref: stated } = { ref: undefined, ...parseSource(source?.text ?? '') }
  if (kind !== 'git' || stated !== undefined || parseRegistryAddress(repository) !== undefined) return false
  const head = headOf(index, repository)
  return head !== undefined && head !== ref
}

function headOf({ repositories }: ModuleIndex, repository: string): string | undefined {
  return repositories.find((row) => row.repository === repository)?.default_branch ?? undefined
}

function askedOf(
  index: ModuleIndex,
  plan: RepositoryPlan,
  stated: { readonly source: GitOrRegistry; readonly version: string | undefined },
): AskedName | undefined {
  const name = nameOf(index, plan, stated) ?? latestName(index, plan, stated.source.path)
  if (name === undefined || 'version' in name) return name
  return { ...name, isDeleted: isRefDeleted(index, { repository: plan.remote.url, ref: name.ref }) }
}

/** The version that a source names; undefined for one without: what it means then is the newest. */
function nameOf(
  index: ModuleIndex,
  { remote }: RepositoryPlan,
  { source, version }: { readonly source: GitOrRegistry; readonly version: string | undefined },
): AskedName | undefined {
  if (source.kind === 'git') {
    const ref = source.ref?.replace(/^tags\//, 'refs/tags/') ?? headOf(index, remote.url)
    return ref === undefined ? undefined : { ref, isExact: true }
  }
  const wanted = source.version ?? version
  return wanted === undefined ? undefined : { version: wanted }
}

type GitOrRegistry = ModuleSource & { readonly kind: 'git' | 'registry' }

function planOf(plans: readonly RepositoryPlan[], source: GitOrRegistry): RepositoryPlan | undefined {
  const fitting = plans.filter(({ remote }) => isRepositoryOf(source, remote.url))
  const found = ofOwnAddress(source, fitting, ({ remote }) => remote.url)
  return found.length === 1 ? found[0] : undefined
}

function unread(
  { resolution }: ResolvedCall,
  name: AskedName,
  error: Error & { readonly reason: string },
): ResolvedCall['resolution'] {
  const isMissing = 'isDeleted' in name && name.isDeleted === true
  const why = isMissing ? `The last ingest found it deleted. ${error.message}` : error.message
  // Terraform fetches submodules: the directory may be there.
  if (isReason(error, 'path_in_submodule')) return { kind: 'not_indexed' }
  if (isReason(error, 'module_not_found')) return { kind: 'no_module', why }
  const ref = 'ref' in name ? name.ref : name.version
  const latest = resolution.kind === 'unknown_ref' ? resolution.latest : undefined
  const near =
    isSatchelError(error) && isReason(error, 'ref_not_found') ? error.details?.['nearest'] : undefined
  const meant = spellingsOf(ref).find((spelling) => Array.isArray(near) && near.includes(spelling))
  return {
    kind: 'unknown_ref',
    ref,
    latest,
    meant,
    why,
    isMissing: isMissing || isReason(error, 'ref_not_found'),
  }
}

/** What the index lacks, and why it could not be read either. That a ref has no such directory says more. */
function told(missing: unknown, why: unknown): unknown {
  if (!isSatchelError(missing) || !isSatchelError(why) || why.code === 'cancelled') return why
  if (isReason(why, 'module_not_found')) return why
  const body = errorBody(missing)
  return errorFromBody({ ...body, message: `${body.message} ${why.message}` }, missing)
}
