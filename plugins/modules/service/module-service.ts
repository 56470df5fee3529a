import { resolve } from 'node:path'
import type { CallContext, Host } from '../../../server/plugin.ts'
import { groupVersions } from '../catalog/versions.ts'
import type { ModulesConfig } from '../config.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { createIndexReader, type IndexRecord, type ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { refusal } from '../reasons.ts'
import { lastMade } from '../search/last-made.ts'
import type { KeywordSearch } from '../search/list-ranking.ts'
import type { SearchStand, SearchWorld } from '../search/search-session.ts'
import type { OpenVectors } from '../search/vector-step.ts'
import type { Freshness } from './freshness.ts'

/** What every tool of this plugin works with: the configuration, and read access to what was ingested. */
export interface ModuleService {
  readonly host: Host
  readonly config: ModulesConfig
  /** Where relative paths of the configuration start (modules design 1). */
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
  keywordSearch(outputDir: string, index: ModuleIndex): Promise<KeywordSearch>
  /** What searches of the own configuration stand on; kept between them. */
  searchStand(): Promise<SearchStand>
  /** Gives back what is kept. */
  close(): Promise<void>
}

/** Makes the service; opens nothing. */
export function createModuleService(
  parts: Pick<ModuleService, 'host' | 'config' | 'workingDirectory' | 'freshness' | 'openVectors'>,
): ModuleService {
  const { config, workingDirectory, freshness } = parts
  const readIndex = createIndexReader()
  const keyword = lastMade<KeywordSearch>()
  const stand = lastMade<SearchStand>()
  let standing: SearchStand | undefined
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
      throw refusal(
        'no_index',
        'Nothing has been ingested yet. Run `satchel ingest`, or call ingest_modules.',
        {
          next: { tool: 'list_repositories', args: {} },
        },
      )
    },
    summary: (outputDir, record) => loadSummary(outputDir, record.summary_file),
    keywordSearch: (outputDir, index) =>
      keyword([index], async () => {
        const { buildKeywordSearch } = await import('../search/list-ranking.ts')
        const latest = groupVersions(index, index.records).map((group) => group.latest)
        return buildKeywordSearch(latest, (record) => loadSummary(outputDir, record.summary_file))
      }),
    searchStand: () =>
      stand([], async () => {
        const { createSearchStand } = await import('../search/search-session.ts')
        const { configFile } = parts.host
        standing = createSearchStand(searchWorld(service), {
          outputDir: configured,
          embedding: config.embedding,
          configFile,
        })
        return standing
      }),
    close: async () => standing?.close(),
  }
  return service
}

/** What a search needs of its surroundings. */
export function searchWorld({ host, workingDirectory }: ModuleService): SearchWorld {
  return { workingDirectory, env: host.env, now: () => host.now() }
}

/** Whether the operator's environment says where summaries lie; it counts for every configuration, also a caller's. */
export function isOutputDirFixed({ host }: ModuleService): boolean {
  return Boolean(host.env['SERVICE_OUTPUT_DIR'])
}

/** A path a caller names. At the command line it starts at the working directory, elsewhere where the door says. */
export async function callerPath(service: ModuleService, ctx: CallContext, path: string): Promise<string> {
  return await ctx.resolvePath(ctx.door === 'cli' ? resolve(service.workingDirectory, path) : path)
}
