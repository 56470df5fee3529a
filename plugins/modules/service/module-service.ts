import { resolve } from 'node:path'
import type { CallContext, Host } from '../../../server/plugin.ts'
import type { ModulesConfig } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { loadRecordSummary } from '../output/asked-store.ts'
import { createIndexReader, loadIndexHead } from '../output/index-file.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import type { VectorPlace } from '../search/database-vectors.ts'
import { lastMade } from '../search/last-made.ts'
import type { Lexicon } from '../search/lexicon.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { SearchEnvironment, SearchSession } from '../search/search-session.ts'
import type { OpenVectors } from '../search/vector-update.ts'
import { type AskedVersions, createAskedVersions } from './asked-versions.ts'
import type { Freshness } from './freshness.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'

/** What every tool of this plugin works with: the configuration, and read access to what was ingested. */
export interface ModuleService {
  readonly host: Host
  readonly config: ModulesConfig
  /** Base of relative paths in the configuration (modules design 1). */
  readonly workingDirectory: string
  readonly openVectors?: OpenVectors
  /** Where the database keeps the configured catalogue; absent: it is files. */
  readonly shared?: SharedCatalogue
  readonly freshness: Freshness
  /** Versions that no ingest has read. */
  readonly asked: AskedVersions
  /** Brings a folder that follows a database up to date; does nothing for any other. Errors: those of the database. */
  followed(outputDir: string): Promise<void>
  /** The folder of summaries for this call. Errors: `forbidden`/`path_refused`. */
  outputDir(ctx: CallContext, given: string | undefined): Promise<string>
  /** The index, undefined before the first ingest. Errors: `conflict`/`index_damaged`. */
  findIndex(ctx: CallContext, outputDir: string): Promise<ModuleIndex | undefined>
  /** The index. Errors: also `not_found`/`no_index`, `unavailable`/`first_ingest_running`. */
  loadIndex(ctx: CallContext, outputDir: string): Promise<ModuleIndex>
  /** The index as it is stored; starts no ingest. Errors: `conflict`/`index_damaged`. */
  storedIndex(outputDir: string): Promise<ModuleIndex | undefined>
  summary(outputDir: string, record: IndexRecord): Promise<ModuleSummary>
  /** The search session of the server's own configuration. */
  searchSession(): Promise<SearchSession>
  /** The same for the summaries of another folder: the last one that was asked for is kept. */
  searchSessionOf(outputDir: string): Promise<SearchSession>
  /**
   * Runs a search over the index of a session; reads the module index only where that on disk is of another state.
   * Errors: `unavailable`/`first_ingest_running`, `conflict`/`index_damaged`, and those of the search.
   */
  searching<T>(
    ctx: CallContext,
    session: SearchSession,
    search: (index: SearchIndex, lexicon: Lexicon) => Promise<T>,
  ): Promise<T>
  /** Closes the search session. */
  close(): Promise<void>
}

/** Makes the service; opens nothing. */
export function createModuleService(
  parts: Pick<ModuleService, 'host' | 'config' | 'workingDirectory' | 'freshness' | 'openVectors' | 'shared'>,
): ModuleService {
  const { host, config, workingDirectory, freshness, shared } = parts
  const readIndex = createIndexReader()
  const session = lastMade<SearchSession>()
  const others = lastMade<SearchSession>()
  const opened = new Map<boolean, SearchSession>()
  const configured = resolve(workingDirectory, config.output_dir)
  const openSession = async (outputDir: string): Promise<SearchSession> => {
    const { createSearchSession } = await import('../search/search-session.ts')
    const isOwn = outputDir === configured
    await opened.get(isOwn)?.close()
    const target = { outputDir, embedding: config.embedding, configFile: host.configFile }
    const environment = searchEnvironment(service)
    const made = createSearchSession(
      isOwn ? { ...environment, place: vectorPlace(shared) } : environment,
      target,
    )
    opened.set(isOwn, made)
    return made
  }
  const service: ModuleService = {
    ...parts,
    asked: createAskedVersions(parts),
    async followed(outputDir) {
      if (outputDir === configured) await shared?.follow()
    },
    outputDir: async (ctx, given) =>
      given === undefined ? configured : placeOf(service, await callerPath(service, ctx, given)),
    async findIndex(ctx, outputDir) {
      await service.followed(outputDir)
      const index = await readIndex(outputDir)
      if (outputDir === configured) await freshness.beforeCall(ctx, index)
      return index
    },
    async loadIndex(ctx, outputDir) {
      const index = await service.findIndex(ctx, outputDir)
      if (index) return index
      throw refusals.no_index()
    },
    async storedIndex(outputDir) {
      await service.followed(outputDir)
      return await readIndex(outputDir)
    },
    summary: loadRecordSummary,
    searchSession: () => session([], () => openSession(configured)),
    searchSessionOf: (outputDir) =>
      outputDir === configured ? service.searchSession() : others([outputDir], () => openSession(outputDir)),
    async searching(ctx, session, search) {
      const { outputDir } = session.target
      await service.followed(outputDir)
      const head = loadIndexHead(outputDir)
      if (head && outputDir === configured) await freshness.beforeCall(ctx, head)
      return await session.withIndex(async () => {
        if (!head) return await service.findIndex(ctx, outputDir)
        ctx.progress(0, undefined, 'the search index is brought up to date')
        return await readIndex(outputDir)
      }, search)
    },
    async close() {
      await Promise.all([...opened.values()].map((one) => one.close()))
    },
  }
  return service
}

/** Where the summaries for this folder are: those of a database are in the folder that follows it. */
export function placeOf({ shared }: Pick<ModuleService, 'shared'>, directory: string): string {
  return shared?.placeOf(directory) ?? directory
}

/** Where the vectors of a catalogue go that are too many for one machine. */
export function vectorPlace(shared: SharedCatalogue | undefined): VectorPlace | undefined {
  return shared && { database: shared.database, catalogue: shared.name }
}

/** What a search needs of its surroundings. */
export function searchEnvironment({ host, workingDirectory }: ModuleService): SearchEnvironment {
  return { workingDirectory, env: host.env, log: host.log, now: () => host.now() }
}

/** Whether the operator's environment sets the output directory; it overrides every configuration, a caller's too. */
export function isOutputDirFixed({ host }: ModuleService): boolean {
  return Boolean(host.env['SERVICE_OUTPUT_DIR'])
}

/** Resolves a path that a caller names: at the command line against the working directory, otherwise as the door decides. */
export async function callerPath(service: ModuleService, ctx: CallContext, path: string): Promise<string> {
  return await ctx.resolvePath(ctx.door === 'cli' ? resolve(service.workingDirectory, path) : path)
}
