import { resolve } from 'node:path'
import type { CallContext, Host } from '../../../server/plugin.ts'
import { latestVersions } from '../catalog/versions.ts'
import type { ModulesConfig } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { createIndexReader, type IndexRecord, type ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { refusals } from '../reasons.ts'
import { lastMade } from '../search/last-made.ts'
import type { ListRanking } from '../search/list-ranking.ts'
import type { SearchEnvironment, SearchSession } from '../search/search-session.ts'
import type { OpenVectors } from '../search/vector-update.ts'
import type { Freshness } from './freshness.ts'

/** What every tool of this plugin works with: the configuration, and read access to what was ingested. */
export interface ModuleService {
  readonly host: Host
  readonly config: ModulesConfig
  /** Base of relative paths in the configuration (modules design 1). */
  readonly workingDirectory: string
  readonly openVectors?: OpenVectors
  readonly freshness: Freshness
  /** The folder of summaries for this call. Errors: `forbidden`/`path_refused`. */
  outputDir(ctx: CallContext, given: string | undefined): Promise<string>
  /** The index, undefined before the first ingest. Errors: `conflict`/`index_damaged`. */
  findIndex(ctx: CallContext, outputDir: string): Promise<ModuleIndex | undefined>
  /** The index. Errors: also `not_found`/`no_index`, `unavailable`/`first_ingest_running`. */
  loadIndex(ctx: CallContext, outputDir: string): Promise<ModuleIndex>
  summary(outputDir: string, record: IndexRecord): Promise<ModuleSummary>
  listRanking(outputDir: string, index: ModuleIndex): Promise<ListRanking>
  /** The search session of the server's own configuration. */
  searchSession(): Promise<SearchSession>
  /** Closes the search session. */
  close(): Promise<void>
}

/** Makes the service; opens nothing. */
export function createModuleService(
  parts: Pick<ModuleService, 'host' | 'config' | 'workingDirectory' | 'freshness' | 'openVectors'>,
): ModuleService {
  const { host, config, workingDirectory, freshness } = parts
  const readIndex = createIndexReader()
  const ranking = lastMade<ListRanking>()
  const session = lastMade<SearchSession>()
  let opened: SearchSession | undefined
  const configured = resolve(workingDirectory, config.output_dir)
  const service: ModuleService = {
    ...parts,
    outputDir: async (ctx, given) =>
      given === undefined ? configured : await callerPath(service, ctx, given),
    async findIndex(ctx, outputDir) {
      const index = await readIndex(outputDir)
      if (outputDir === configured) await freshness.beforeCall(ctx, index)
      return index
    },
    async loadIndex(ctx, outputDir) {
      const index = await service.findIndex(ctx, outputDir)
      if (index) return index
      throw refusals.no_index()
    },
    summary: (outputDir, record) => loadSummary(outputDir, record.summary_file),
    listRanking: (outputDir, index) =>
      ranking([index], async () => {
        const { buildListRanking } = await import('../search/list-ranking.ts')
        return buildListRanking(latestVersions(index), (record) =>
          loadSummary(outputDir, record.summary_file),
        )
      }),
    searchSession: () =>
      session([], async () => {
        const { createSearchSession } = await import('../search/search-session.ts')
        const target = { outputDir: configured, embedding: config.embedding, configFile: host.configFile }
        opened = createSearchSession(searchEnvironment(service), target)
        return opened
      }),
    close: async () => opened?.close(),
  }
  return service
}

/** What a search needs of its surroundings. */
export function searchEnvironment({ host, workingDirectory }: ModuleService): SearchEnvironment {
  return { workingDirectory, env: host.env, now: () => host.now() }
}

/** Whether the operator's environment sets the output directory; it overrides every configuration, a caller's too. */
export function isOutputDirFixed({ host }: ModuleService): boolean {
  return Boolean(host.env['SERVICE_OUTPUT_DIR'])
}

/** Resolves a path that a caller names: at the command line against the working directory, otherwise as the door decides. */
export async function callerPath(service: ModuleService, ctx: CallContext, path: string): Promise<string> {
  return await ctx.resolvePath(ctx.door === 'cli' ? resolve(service.workingDirectory, path) : path)
}
