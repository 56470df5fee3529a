import { readRegularFile } from '../../../server/plugin.ts'
import { CONFIG_MAX_BYTES, type ModulesConfig } from '../config.ts'
import { refusals } from '../reasons.ts'
import { parseConfigText } from './config-text.ts'

/**
 * The module service's part of a configuration file, with the environment over it. `path` is absolute and already
 * confined to what the caller may read.
 * Errors: `not_found`/`file_not_found`, also for a folder, pipe or device; those of `parseConfigText`.
 */
export async function loadConfigFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ModulesConfig> {
  const read = await readRegularFile(path, CONFIG_MAX_BYTES).catch((cause: unknown) => {
    throw refusals.file_not_found({ cause })
  })
  if (read.kind === 'text') return parseConfigText(read.text, env)
  throw read.kind === 'too large' ? refusals.config_too_large() : refusals.file_not_regular()
}
