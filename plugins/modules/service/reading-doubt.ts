import { isSameRepository, type ModuleFacts } from '../catalog/module-evidence.ts'
import { loadRunState } from '../output/run-state.ts'
import { parseRemote } from '../registry/remote.ts'
import type { ModuleService } from './module-service.ts'

/**
 * Why newer versions of a module may exist that were not read here: its repository is not configured, or the last run
 * could not read it. Undefined where nothing speaks for that.
 */
export async function doubtOf(
  { config, workingDirectory }: Pick<ModuleService, 'config' | 'workingDirectory'>,
  { repository, path }: Pick<ModuleFacts, 'repository' | 'path'>,
  outputDir: string,
): Promise<string | undefined> {
  const isIt = (url: string): boolean => isSameRepository(url, repository)
  // A configuration without repositories, or with another file for them, has its modules ingested by hand.
  const isListed = config.repositories.length > 0 && typeof config.mcp.config_file !== 'string'
  if (isListed && !config.repositories.some(({ url }) => isIt(plainUrl(url, workingDirectory))))
    return `${repository} is not configured here: its newer versions are not read`
  const run = await loadRunState(outputDir)
  const failed = run?.failed.find(
    (one) => isIt(one.repository) && (one.path === undefined || one.path === path),
  )
  if (failed)
    return `the last ingest could not read ${repository} (${failed.reason}): newer versions may exist`
  const isLeft = run?.isRunning === false && run.waiting.some((one) => isIt(one.repository))
  return isLeft ? `the last ingest ended before it read ${repository}: newer versions may exist` : undefined
}

/** The URL as the index names it. */
function plainUrl(url: string, workingDirectory: string): string {
  try {
    return parseRemote(url, workingDirectory).url
  } catch {
    return url // a bad URL of the configuration is that of no module
  }
}
