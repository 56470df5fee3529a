import { dirname, resolve } from 'node:path'
import type { Host } from '../../../server/plugin.ts'
import type { ModulesConfig } from '../config.ts'
import { loadConfigFile } from './config-text.ts'

/** What a server was started with. */
export interface Configured {
  readonly host: Host
  readonly config: ModulesConfig
  /** Base of relative paths in the configuration. */
  readonly workingDirectory: string
}

/** The operator's configuration: the server's own, or the one that `mcp.config_file` names. */
export async function operatorConfig({ config, host, workingDirectory }: Configured): Promise<ModulesConfig> {
  const named = config.mcp.config_file
  if (typeof named !== 'string') return config
  const base = host.configFile === undefined ? workingDirectory : dirname(host.configFile)
  const other = await loadConfigFile(resolve(base, named), host.env)
  return { ...other, output_dir: config.output_dir }
}

/** The directories of a configuration of the operator, absolute. */
export function ownDirectories(
  { workingDirectory }: Pick<Configured, 'workingDirectory'>,
  config: Pick<ModulesConfig, 'output_dir' | 'clone_dir'>,
) {
  return {
    output_dir: resolve(workingDirectory, config.output_dir),
    clone_dir: resolve(workingDirectory, config.clone_dir),
  }
}
