import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CallContext } from '../../../server/plugin.ts'
import { parseConfigText } from '../config-text.ts'
import { callerEmbedding } from '../embed/caller-options.ts'
import { refusal } from '../reasons.ts'
import { callerPath, isOutputDirFixed, type ModuleService } from '../service.ts'
import type { SearchPlace } from './search-stand.ts'

/**
 * The place of a configuration that a caller names, whose folders then are confined too.
 * Errors: `forbidden`/`path_refused`, `host_refused`; `not_found`/`file_not_found`; `invalid`/`config_invalid`.
 */
export async function placeOfFile(
  service: ModuleService,
  ctx: CallContext,
  configFile: string,
): Promise<SearchPlace> {
  const { host, workingDirectory } = service
  const file = await callerPath(service, ctx, configFile)
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw refusal('file_not_found', 'The configuration file does not exist or cannot be read.', { cause })
  })
  const named = parseConfigText(text, host.env)
  if (ctx.door === 'cli' || file === host.configFile) {
    return {
      outputDir: resolve(workingDirectory, named.output_dir),
      embedding: named.embedding,
      configFile: file,
    }
  }
  return {
    outputDir: isOutputDirFixed(service)
      ? await service.outputDir(ctx, undefined)
      : await callerPath(service, ctx, named.output_dir),
    embedding: await callerEmbedding(service, ctx, named.embedding),
    configFile: file,
  }
}
