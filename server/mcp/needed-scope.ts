import type { Principal } from '../contract/advanced/principal.ts'
import type { RunningHost } from '../host.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { levelOf, requireScope } from '../tokens/scopes.ts'
import type { Door } from './door.ts'
import { matchUri } from './uri-match.ts'

/**
 * Refuses a body with a request that the scopes of the caller's token do not allow. The calls check it too; here the
 * answer is the status 403, with which a client can ask for a token that allows more.
 * Errors: `forbidden`/`scope_missing`.
 */
export async function requireScopes(door: Door, principal: Principal, body: unknown): Promise<void> {
  if (principal.scopes === undefined) return
  const { host } = await door.catalog()
  for (const message of Array.isArray(body) ? body : [body]) {
    const needed = neededBy(message, host)
    if (needed) requireScope(principal, needed.plugin, needed.level)
  }
}

function neededBy(message: unknown, host: RunningHost) {
  if (!isJsonObject(message) || !isJsonObject(message['params'])) return undefined
  const { method, params } = message
  const { registry } = host
  switch (method) {
    case 'tools/call': {
      const owned = registry.tool(String(params['name']))
      return owned && host.offers(owned) ? { plugin: owned.plugin, level: levelOf(owned.tool) } : undefined
    }
    case 'prompts/get':
      return reading(registry.prompts.find(({ prompt }) => prompt.name === params['name']))
    case 'resources/read':
    case 'resources/subscribe':
      return reading(
        registry.resources.find(
          ({ resource }) => matchUri(resource.uri, String(params['uri'])) !== undefined,
        ),
      )
    default:
      return undefined
  }
}

function reading(owned: { readonly plugin: string } | undefined) {
  return owned && { plugin: owned.plugin, level: 'read' as const }
}
