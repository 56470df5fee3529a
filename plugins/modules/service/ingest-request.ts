import type { CallContext } from '../../../server/plugin.ts'
import { changedUris } from '../catalog/changed-uris.ts'
import type { EmbeddingOptions, ModulesConfig, RepositoryEntry } from '../config.ts'
import type { Trust } from '../git/admission.ts'
import { type Ingested, ingest } from '../ingest/ingest.ts'
import { openModuleReader } from '../ingest/module-reader.ts'
import type { RunRequest } from '../ingest/run.ts'
import { emptyIndex } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import { parseRemote, remoteEndpoint } from '../registry/remote.ts'
import { loadLexicon } from '../search/lexicon-file.ts'
import { searchIndexSaver } from '../search/search-index-file.ts'
import { callerEmbedding } from './caller-embedding.ts'
import { loadConfigFile, parseConfigText } from './config-text.ts'
import { callerPath, isOutputDirFixed, type ModuleService, placeOf } from './module-service.ts'
import { operatorConfig, ownDirectories } from './operator-config.ts'

/** What a caller of any door asked for. */
export interface IngestRequest {
  /** A configuration file; absent together with `repositories` and `yaml`: the server's own configuration. */
  readonly config_file?: string | undefined
  readonly repositories?: readonly RepositoryEntry[] | undefined
  /** A whole configuration as text. */
  readonly yaml?: string | undefined
  readonly output_dir?: string | undefined
  readonly clone_dir?: string | undefined
  readonly recursive?: boolean | undefined
  readonly cleanup?: boolean | undefined
  readonly prune?: boolean | undefined
  readonly dry_run?: boolean | undefined
  /** Reads what the queue of the catalogue gives, until it is aborted. */
  readonly worker?: boolean | undefined
  readonly enable_embeddings?: boolean | undefined
  readonly embedding_strategy?: EmbeddingOptions['strategy'] | undefined
}

/**
 * Runs what a caller asked for: configuration, paths and hosts are checked first (deny before you touch).
 * Errors: those of `ingest`; `invalid`/`options_invalid`, `config_invalid`, `no_repositories`; `not_found`/`file_not_found`.
 */
export async function ingestForCaller(
  service: ModuleService,
  ctx: CallContext,
  request: IngestRequest,
): Promise<Ingested & { readonly outputDir: string }> {
  const { config, trust, vectorsOf } = await prepare(service, ctx, request)
  const ingested = await run(service, config, trust, { ...request, vectorsOf }, ctx)
  return { ...ingested, outputDir: config.output_dir }
}

/** A run of the operator's own configuration, or of `mcp.config_file`. */
export async function ingestForOperator(
  service: ModuleService,
  signal: AbortSignal,
  progress: CallContext['progress'],
): Promise<Ingested> {
  const config = await operatorConfig(service)
  requireRepositories(config.repositories)
  const resolved = { ...config, ...ownDirectories(service, config) }
  return await run(service, resolved, { kind: 'operator' }, {}, { signal, progress })
}

/** The directories of `config` are absolute. */
async function run(
  service: ModuleService,
  config: ModulesConfig,
  trust: Trust,
  given: IngestRequest & { readonly vectorsOf?: string },
  { signal, progress }: Pick<CallContext, 'signal' | 'progress'>,
): Promise<Ingested> {
  const { host } = service
  const embedding: EmbeddingOptions = {
    ...config.embedding,
    ...(given.enable_embeddings && { enabled: true }),
    ...(given.embedding_strategy && { strategy: given.embedding_strategy }),
  }
  const vectors = embedding.enabled ? await service.openVectors?.(embedding, trust.kind, signal) : undefined
  const reader = await openModuleReader()
  try {
    const request: RunRequest = {
      signal,
      progress,
      entries: config.repositories,
      outputDir: config.output_dir,
      cloneDir: config.clone_dir,
      recursive: given.recursive,
      cleanup: given.cleanup,
      prune: given.prune,
      replacesState: given.repositories === undefined,
      dryRun: given.dry_run,
      trust,
      workingDirectory: baseFor(service, trust),
      env: host.env,
      now: () => host.now(),
      log: host.log,
      reader,
      vectors,
      vectorsOf: given.vectorsOf,
      saveSearch: searchIndexSaver(() => loadLexicon(host.configFile)),
    }
    const ingested = await ingestedBy(service, request, given)
    for (const uri of changedUris(ingested.index, ingested.changed)) host.resourceChanged(uri)
    return ingested
  } finally {
    await reader.close()
  }
}

/** Reads into files, or with the workers of the catalogue that the output directory follows. */
async function ingestedBy(
  { shared }: ModuleService,
  request: RunRequest,
  { worker }: Pick<IngestRequest, 'worker'>,
): Promise<Ingested> {
  const isShared = shared?.outputDir === request.outputDir
  if (worker && !isShared) throw refusals.worker_without_queue()
  if (!shared || !isShared) return await ingest(request)
  const sharedRequest = { ...request, shared: await shared.run() }
  const { ingestShared, workQueue } = await import('../ingest/shared-ingest.ts')
  if (!worker) return await ingestShared(sharedRequest)
  const report = await workQueue(sharedRequest)
  return { report, touched: new Set(), changed: [], index: emptyIndex() }
}

/** The configuration of a request, its directories absolute, and what its repositories may reach. */
async function prepare(service: ModuleService, ctx: CallContext, request: IngestRequest) {
  const given = [request.config_file, request.repositories, request.yaml].filter(
    (source) => source !== undefined,
  )
  if (given.length > 1) throw refusals.two_sources()
  const { config, isOwn } = await configOf(service, ctx, request)
  requireRepositories(config.repositories)
  const isOperator = ctx.door === 'cli' || isOwn
  const trust: Trust = isOperator ? { kind: 'operator' } : callerTrust(service, ctx)
  const own = ownDirectories(service, config)
  // A directory that a caller names, itself or in a configuration of its own, is confined; the operator's is not.
  const isTheirs = !isOperator && request.repositories === undefined
  const confined = async (typed: string | undefined, configured: string, ownDir?: string): Promise<string> =>
    typed === undefined && ownDir !== undefined ? ownDir : await callerPath(service, ctx, typed ?? configured)
  const embedding = isTheirs ? await callerEmbedding(service, ctx, config.embedding) : config.embedding
  const ownOutput = isTheirs && !isOutputDirFixed(service) ? undefined : own.output_dir
  const output_dir = placeOf(service, await confined(request.output_dir, config.output_dir, ownOutput))
  const vectorsOf = placeOf(service, await confined(undefined, config.output_dir, ownOutput))
  const clone_dir = await confined(request.clone_dir, config.clone_dir, isTheirs ? undefined : own.clone_dir)
  return { config: { ...config, embedding, output_dir, clone_dir }, trust, vectorsOf }
}

async function configOf(
  service: ModuleService,
  ctx: CallContext,
  request: IngestRequest,
): Promise<{ config: ModulesConfig; isOwn: boolean }> {
  const { config, host } = service
  if (request.repositories)
    return { config: { ...config, repositories: [...request.repositories] }, isOwn: false }
  if (request.yaml !== undefined)
    return { config: await parseConfigText(request.yaml, host.env), isOwn: false }
  if (request.config_file === undefined) return { config: await operatorConfig(service), isOwn: true }
  const path = await callerPath(service, ctx, request.config_file)
  return { config: await loadConfigFile(path, host.env), isOwn: path === host.configFile }
}

/** Where relative repository paths start: like every path of a caller at the project root. */
export function baseFor({ host, workingDirectory }: ModuleService, trust: Trust): string {
  return trust.kind === 'operator' ? workingDirectory : host.projectRoot
}

/** What a caller of REST or MCP may reach: what the operator's configuration names, and public hosts. */
export function callerTrust(service: ModuleService, ctx: CallContext): Trust {
  const known = new Set<string>()
  for (const { url } of service.config.repositories) {
    try {
      const remote = parseRemote(url, service.workingDirectory)
      known.add(remote.url)
      const at = remoteEndpoint(remote)
      if (at !== undefined) known.add(at)
    } catch {
      // A bad URL of the configuration allows nothing; the run that uses it reports it.
    }
  }
  return { kind: 'caller', known, resolvePath: (path) => ctx.resolvePath(path) }
}

/** Errors: `invalid`/`no_repositories` for a run that would do nothing. */
function requireRepositories(entries: readonly RepositoryEntry[]): void {
  if (entries.length === 0) throw refusals.no_repositories()
}
