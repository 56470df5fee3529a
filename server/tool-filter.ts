import type { Profile } from './contract/tool.ts'

/** Selects the tools of the MCP door. `include` adds to the profile, `exclude` removes, `readOnly` overrides both. */
export interface ToolFilter {
  readonly profile: Profile
  readonly readOnly: boolean
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Tools that leave `standard`, because a plugin that needs its room in the list is served beside them. */
  readonly displaced?: readonly string[]
}

/** What the filter decides by. */
export interface ToolFacts {
  readonly name: string
  readonly profile: Profile
  readonly readOnly: boolean
}

const PROFILES: readonly Profile[] = ['core', 'standard', 'full']

/** Applies the filter (surface, section 5): profile, then `include`, then `exclude`, and `readOnly` last. */
export function isListed(tool: ToolFacts, filter: ToolFilter): boolean {
  if (filter.exclude.includes(tool.name) || (filter.readOnly && !tool.readOnly)) return false
  const isDisplaced = tool.profile === 'standard' && filter.displaced?.includes(tool.name) === true
  const profile = isDisplaced ? 'full' : tool.profile
  return filter.include.includes(tool.name) || PROFILES.indexOf(profile) <= PROFILES.indexOf(filter.profile)
}
