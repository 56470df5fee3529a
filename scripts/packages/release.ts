import { readFileSync } from 'node:fs'

/** What every package says about satchel. Owner and addresses come from the environment of the release. */
export interface Release {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly keywords: readonly string[]
  /** The account that owns the repository; without it the formats that require one are left out. */
  readonly owner?: string
  /** `https://host/owner/name`. */
  readonly repository?: string
  readonly homepage?: string
  /** The name in the MCP registry: `io.github.OWNER/satchel`. */
  readonly mcpName?: string
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/ // the names of accounts that GitHub allows

/**
 * Reads the fixed facts from package.json, and owner and addresses from `SATCHEL_RELEASE_OWNER`,
 * `SATCHEL_RELEASE_REPOSITORY` and `SATCHEL_RELEASE_HOMEPAGE`.
 * Errors: a name that is not an account; an address that is not https.
 */
export function releaseOf(env: Readonly<Record<string, string | undefined>>): Release {
  const { name, version, description, license, keywords } = JSON.parse(readFileSync('package.json', 'utf8'))
  const owner = env['SATCHEL_RELEASE_OWNER'] || undefined
  if (owner !== undefined && !OWNER.test(owner))
    throw new Error(`SATCHEL_RELEASE_OWNER is not an account name: ${owner}`)
  const repository = httpsAddress('SATCHEL_RELEASE_REPOSITORY', env)
  const homepage =
    httpsAddress('SATCHEL_RELEASE_HOMEPAGE', env) ??
    (repository === undefined ? undefined : `${repository}#readme`)
  return {
    ...{ name, version, description, license, keywords },
    ...(owner === undefined ? {} : { owner, mcpName: `io.github.${owner}/${name}` }),
    ...(repository === undefined ? {} : { repository }),
    ...(homepage === undefined ? {} : { homepage }),
  }
}

function httpsAddress(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env[name]
  if (!value) return undefined
  if (!URL.canParse(value) || new URL(value).protocol !== 'https:')
    throw new Error(`${name} is not an https address: ${value}`)
  return value.replace(/\/$|\.git$/, '')
}
