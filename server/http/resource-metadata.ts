import type { RunningHost } from '../host.ts'
import { LEVELS } from '../tokens/scopes.ts'
import type { Endpoint, HttpOptions } from './exchange.ts'
import { jsonAnswer } from './json-answer.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Where a client finds out which authorization server gives tokens for this server (RFC 9728). */
export function resourceMetadataUrl(resource: string): string {
  const { origin } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathOf(resource)}`
}

/** Returns the routes of the metadata: that of `http.oauth.resource`, and the one without its path. */
export function resourceMetadataEndpoints(host: RunningHost, { oauth }: HttpOptions): Endpoint[] {
  if (!oauth) return []
  const { resource, issuer } = oauth
  const paths = new Set<`/${string}`>([WELL_KNOWN, `${WELL_KNOWN}${pathOf(resource)}`])
  const plugins = host.registry.instances.map(({ plugin }) => plugin)
  const document = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [
      ...LEVELS,
      ...plugins.flatMap((plugin) => LEVELS.map((level) => `${plugin}:${level}`)),
    ],
    bearer_methods_supported: ['header'],
    resource_name: 'satchel',
  }
  return [...paths].map((path) => ({
    method: 'GET',
    path,
    guard: 'public',
    owner: 'host',
    summary: 'Which authorization server gives tokens for this server (RFC 9728)',
    serve: async () => jsonAnswer(document),
  }))
}

function pathOf(resource: string): string {
  return new URL(resource).pathname.replace(/\/$/, '')
}
