import { displacedTools } from './builtin-plugins.ts'
import type { Config } from './config.ts'
import type { ToolFilter } from './tool-filter.ts'

/** The tools that the MCP door lists with this configuration. */
export function configuredFilter(config: Pick<Config, 'tools' | 'mentions'>): ToolFilter {
  const { profile, read_only: readOnly, include, exclude } = config.tools
  return { profile, readOnly, include, exclude, displaced: displacedTools(config) }
}
