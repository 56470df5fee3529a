import { readRegularFile } from '../../../server/plugin.ts'
import type { ModulesConfig } from '../config.ts'
import { refusal } from '../reasons.ts'
import { MAX_CONFIG_BYTES, parseConfigText } from './config-text.ts'

/**
 * The module service's part of a configuration file, with the environment over it. `path` is absolute and already
 * confined to what the caller may read.
 * Errors: `not_found`/`file_not_found`, also for a folder, pipe or device; those of `parseConfigText`.
 */
export async function loadConfigFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ModulesConfig> {
  const read = await readRegularFile(path, MAX_CONFIG_BYTES).catch((cause: unknown) => {
    throw refusal('file_not_found', 'The configuration file does not exist or cannot be read.', { cause })
  })
  if (read.kind === 'text') return parseConfigText(read.text, env)
  throw read.kind === 'too large'
    ? refusal('config_invalid', 'The configuration file is larger than 1 MiB.')
    : refusal('file_not_found', 'The configuration file is a folder, pipe or device. Name a regular file.')
}
