import { resolve } from 'node:path'
import { definePlugin } from '../../server/plugin.ts'
import { MODULES_ENV, modulesConfig } from './config.ts'
import { stateDir } from './index/module-index.ts'
import { initCommand } from './init.ts'
import { modulePrompts } from './prompts.ts'
import { moduleResource } from './resources.ts'
import { createFreshness } from './schedule.ts'
import { createModuleService, type ModuleService } from './service.ts'
import { createIngestTasks } from './tasks.ts'
import { analyzeRepositoryTool } from './tools/analyze-repository.ts'
import { getModuleTool } from './tools/get-module.ts'
import { ingestFromYamlTool } from './tools/ingest-from-yaml.ts'
import { ingestModulesTool } from './tools/ingest-modules.ts'
import { ingestRepositoriesTool } from './tools/ingest-repositories.ts'
import { listModuleVersionsTool } from './tools/list-module-versions.ts'
import { listRepositoriesTool } from './tools/list-repositories.ts'
import { modulesStatsTool } from './tools/modules-stats.ts'
import { rebuildModulesTool } from './tools/rebuild-modules.ts'
import { searchModulesTool } from './tools/search-modules.ts'

/** Terraform/OpenTofu modules of git repositories: ingest, search, use (spec module-ingestion). */
export const plugin = definePlugin({
  name: 'modules',
  version: '0.1.0',
  apiVersion: 1,
  config: modulesConfig,
  env: MODULES_ENV,
  async setup(host, config) {
    const { workingDirectory } = host
    const freshness = createFreshness(host, config, async (signal, progress) => {
      const { ingestForOperator } = await import('./run-ingest.ts')
      return (await ingestForOperator(service, signal, progress)).report
    })
    const service: ModuleService = createModuleService({ host, config, workingDirectory, freshness })
    const tasks = createIngestTasks(host, stateDir(resolve(workingDirectory, config.output_dir)))
    return {
      tools: [
        listRepositoriesTool(service),
        searchModulesTool(service),
        getModuleTool(service),
        listModuleVersionsTool(service),
        ingestModulesTool(service, tasks),
        ingestRepositoriesTool(service),
        ingestFromYamlTool(service),
        analyzeRepositoryTool(service),
        modulesStatsTool(service),
        rebuildModulesTool(service),
      ],
      resources: [moduleResource(service)],
      prompts: modulePrompts(service),
      commands: [initCommand(workingDirectory)],
      tasks,
      async start() {
        freshness.onStart()
      },
      async stop() {
        await Promise.all([freshness.stop(), tasks.stop()])
      },
    }
  },
})
