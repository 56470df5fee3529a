import { resolve } from 'node:path'
import { definePlugin, type Host } from '../../server/plugin.ts'
import { checkCommand } from './check-command.ts'
import { MODULES_ENV, type ModulesConfig, modulesConfig } from './config.ts'
import { initCommand } from './init.ts'
import { stateDir } from './output/module-index.ts'
import { modulePrompts } from './prompts.ts'
import { refusals } from './reasons.ts'
import { moduleResource } from './resources.ts'
import type { VectorPlace } from './search/database-vectors.ts'
import type { OpenVectors } from './search/vector-update.ts'
import { moduleSearcher } from './searcher.ts'
import { moduleEvidence } from './service/evidence.ts'
import { createFreshness } from './service/freshness.ts'
import { createIngestTasks } from './service/ingest-tasks.ts'
import { createModuleService, type ModuleService } from './service/module-service.ts'
import { catalogueStore, sharedCatalogue } from './service/shared-catalogue.ts'
import { analyzeRepositoryTool } from './tools/analyze-repository.ts'
import { getModuleTool } from './tools/get-module.ts'
import { ingestTool } from './tools/ingest.ts'
import { ingestFromYamlTool } from './tools/ingest-from-yaml.ts'
import { ingestModulesTool } from './tools/ingest-modules.ts'
import { ingestRepositoriesTool } from './tools/ingest-repositories.ts'
import { listModuleVersionsTool } from './tools/list-module-versions.ts'
import { listRepositoriesTool } from './tools/list-repositories.ts'
import { moduleCheckTool } from './tools/module-check.ts'
import { moduleDiffTool } from './tools/module-diff.ts'
import { moduleUpgradeTool } from './tools/module-upgrade.ts'
import { moduleUsageTool } from './tools/module-usage.ts'
import { modulesStatsTool } from './tools/modules-stats.ts'
import { createPartialAnswers } from './tools/partial-answers.ts'
import { rebuildModulesTool } from './tools/rebuild-modules.ts'
import { searchModulesTool } from './tools/search-modules.ts'
import { searchModulesVectorTool } from './tools/search-modules-vector.ts'
import { upgradeCommand } from './upgrade-command.ts'

const VERSION = '0.1.0'
const LOCKS = /(^|\/)\.locks(\/|$)|\.lock$/

/** Terraform/OpenTofu modules of git repositories: ingest, search, use (spec module-ingestion). */
export const plugin = definePlugin({
  name: 'modules',
  version: VERSION,
  apiVersion: 1,
  config: modulesConfig,
  env: MODULES_ENV,
  async setup(host, configured) {
    const { workingDirectory } = host
    const place = placeOfVectors(host, configured)
    const openVectors = lazyVectors(host, place)
    const shared = openShared(host, configured, { openVectors, place })
    // What the database keeps is read from the folder that follows it.
    const config = { ...configured, output_dir: shared?.outputDir ?? configured.output_dir }
    const freshness = createFreshness(host, config, async (signal, progress) => {
      const { ingestForOperator } = await import('./service/ingest-request.ts')
      return (await ingestForOperator(service, signal, progress)).report
    })
    const service: ModuleService = createModuleService({
      host,
      config,
      workingDirectory,
      freshness,
      openVectors,
      ...(shared && { shared }),
    })
    const outputDir = resolve(workingDirectory, config.output_dir)
    const { saying } = createPartialAnswers(service)
    const tasks = createIngestTasks(host, stateDir(outputDir))
    return {
      tools: [
        saying(listRepositoriesTool(service)),
        saying(searchModulesTool(service)),
        saying(searchModulesVectorTool(service)),
        saying(getModuleTool(service)),
        saying(listModuleVersionsTool(service)),
        saying(moduleUsageTool(service)),
        saying(moduleCheckTool(service)),
        saying(moduleDiffTool(service)),
        saying(moduleUpgradeTool(service)),
        ingestModulesTool(service, tasks),
        ingestTool(service),
        ingestRepositoriesTool(service),
        ingestFromYamlTool(service),
        analyzeRepositoryTool(service),
        saying(modulesStatsTool(service)),
        rebuildModulesTool(service),
      ],
      refusals,
      evidence: moduleEvidence(service),
      searchers: [moduleSearcher(service)],
      resources: [moduleResource(service)],
      prompts: modulePrompts(service),
      commands: [initCommand(workingDirectory), checkCommand(service, VERSION), upgradeCommand(service)],
      tasks,
      async doctor(signal) {
        const { diagnoseModules } = await import('./doctor.ts')
        return diagnoseModules(service, outputDir, signal)
      },
      async measurements() {
        const { moduleMeasurements } = await import('./measurements.ts')
        const measured = { outputDir, running: tasks.running(), now: host.now() }
        return moduleMeasurements({ ...measured, ...(shared && { lag: shared.lag }) })
      },
      ...(host.database && { database: catalogueStore(shared) }),
      stores: async () =>
        shared ? [] : [{ name: 'catalogue', parts: [{ name: 'output', path: outputDir, except: LOCKS }] }],
      async start() {
        freshness.onStart()
      },
      async stop() {
        await Promise.all([freshness.stop(), tasks.stop()])
        await service.close()
      },
    }
  },
})

/** The catalogue of the database, where one is named. What follows it makes what a search needs, as an ingest does. */
function openShared(host: Host, config: ModulesConfig, vectors: Vectors) {
  return sharedCatalogue(host, config, async (folder) => {
    const { afterFollow } = await import('./service/after-follow.ts')
    await afterFollow({ host, embedding: config.embedding, ...vectors }, folder)
  })
}

interface Vectors {
  readonly openVectors: OpenVectors
  readonly place: VectorPlace | undefined
}

/** Where the vectors of the catalogue go that are too many for one machine; undefined where it is files. */
function placeOfVectors({ database }: Host, { catalogue }: ModulesConfig): VectorPlace | undefined {
  return database && catalogue !== null ? { database, catalogue } : undefined
}

/** The vector step, loaded when a run first keeps vectors. */
function lazyVectors(host: Host, place: VectorPlace | undefined): OpenVectors {
  const { workingDirectory } = host
  return async (...args) => {
    const [{ vectorOpener }, { loadLexicon }] = await Promise.all([
      import('./search/vector-update.ts'),
      import('./search/lexicon-file.ts'),
    ])
    const parts = { workingDirectory, env: host.env, now: () => host.now(), place }
    return vectorOpener({ ...parts, loadLexicon: () => loadLexicon(host.configFile) })(...args)
  }
}
