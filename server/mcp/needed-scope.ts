import type { Principal } from '../contract/advanced/principal.ts'
import type { RunningHost } from '../host.ts'
import { backgroundCall } from '../platform/background-call.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { matchUri } from '../platform/uri-match.ts'
import { hasScope, levelOf, requireScope } from '../tokens/scopes.ts'
import { clientInfoOf } from './caller.ts'
import type { Door } from './door.ts'

const NEVER = new AbortController().signal

/**
 * Refuses a body with a request that the scopes of the caller's token do not allow. The calls check it too; here the
 * answer is the status 403, with which a client can ask for a token that allows more.
 * Errors: `forbidden`/`scope_missing`.
 */
export async function requireScopes(door: Door, principal: Principal, body: unknown): Promise<void> {
  if (principal.scopes === undefined) return
  const { host } = await door.catalog()
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isJsonObject(message) || !isJsonObject(message['params'])) continue
    const { method, params } = message
    if (method === 'tools/call') await requireCall(door, host, principal, params)
    const plugin = readBy(method, params, host)
    if (plugin !== undefined) requireScope(principal, plugin, 'read')
  }
}

/** Makes a call that the scopes do not allow: it is refused before anything else, and recorded as every call is. */
async function requireCall(
  { log, resolvePath }: Door,
  host: RunningHost,
  principal: Principal,
  { name, arguments: args, _meta: meta }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const owned = host.registry.tool(String(name))
  if (!owned || !host.offers(owned) || hasScope(principal, owned.plugin, levelOf(owned.tool))) return
  const client = clientInfoOf(meta)
  const call = { principal, signal: NEVER, log, door: 'mcp', resolvePath, ...(client && { client }) } as const
  await host.call(owned, args, backgroundCall(call))
}

/** The plugin that a request reads from; undefined for one that reads from none. */
function readBy(
  method: unknown,
  params: Readonly<Record<string, unknown>>,
  { registry }: RunningHost,
): string | undefined {
  switch (method) {
    case 'prompts/get':
      return registry.prompts.find(({ prompt }) => prompt.name === params['name'])?.plugin
    case 'resources/read':
    case 'resources/subscribe':
      return registry.resources.find(
        ({ resource }) => matchUri(resource.uri, String(params['uri'])) !== undefined,
      )?.plugin
    case 'completion/complete':
      return isJsonObject(params['ref']) ? completedBy(params['ref'], registry) : undefined
    default:
      return undefined
  }
}

function completedBy(
  { type, name, uri }: Readonly<Record<string, unknown>>,
  { prompts, resources }: RunningHost['registry'],
): string | undefined {
  return type === 'ref/prompt'
    ? prompts.find(({ prompt }) => prompt.name === name)?.plugin
    : resources.find(({ resource }) => resource.uri === uri)?.plugin
}
