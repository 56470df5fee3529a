import { resolve } from 'node:path'
import type { CallContext } from '../../../server/plugin.ts'
import type { SearchTarget } from '../search/search-session.ts'
import { callerEmbedding } from './caller-embedding.ts'
import { loadConfigFile } from './config-text.ts'
import { callerPath, isOutputDirFixed, type ModuleService, placeOf } from './module-service.ts'

/**
 * The search target of a configuration that a caller names; its folders are confined too.
 * Errors: `forbidden`/`path_refused`, `host_refused`; `not_found`/`file_not_found`; `invalid`/`config_invalid`.
 */
export async function searchTargetOf(
  service: ModuleService,
  ctx: CallContext,
  configFile: string,
): Promise<SearchTarget> {
  const { host, workingDirectory } = service
  const file = await callerPath(service, ctx, configFile)
  const named = await loadConfigFile(file, host.env)
  if (ctx.door === 'cli' || file === host.configFile) {
    return {
      outputDir: placeOf(service, resolve(workingDirectory, named.output_dir)),
      embedding: named.embedding,
      configFile: file,
    }
  }
  return {
    outputDir: isOutputDirFixed(service)
      ? await service.outputDir(ctx, undefined)
      : placeOf(service, await callerPath(service, ctx, named.output_dir)),
    embedding: await callerEmbedding(service, ctx, named.embedding),
    configFile: file,
  }
}
