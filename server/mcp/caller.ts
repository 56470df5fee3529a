import type { ServerContext } from '@modelcontextprotocol/server'
import type { ClientInfo, Principal } from '../contract/advanced/principal.ts'
import { isJsonObject } from '../platform/json-object.ts'

/** The caller of a request, and whether it uses the pipe of this OS user. */
export interface Caller {
  readonly principal: Principal
  readonly localTransport?: 'stdio'
}

/** The caller over stdio: this OS user (mcp, section 9). */
export const LOCAL_CALLER: Caller = {
  principal: { id: 'local', kind: 'local', capabilities: [] },
  localTransport: 'stdio',
}

/** Returns the auth info that the SDK passes from the transport to a handler: the principal without its secret. */
export function authInfoOf(principal: Principal) {
  return {
    token: '',
    clientId: principal.id,
    scopes: [...principal.capabilities],
    extra: { principal },
  }
}

/** Reads the auth info that `authInfoOf` wrote. Errors: a `TypeError` if the transport set none. */
export function callerOf(ctx: ServerContext): Caller {
  const principal = ctx.http?.authInfo?.extra?.['principal']
  if (typeof principal !== 'object' || principal === null)
    throw new TypeError('a request without a principal')
  return { principal: principal as Principal } // only authInfoOf writes it
}

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** The extension whose declaration makes a request accept a task (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** Returns the client's name and version from the request, cut to a maximum length. */
export function clientInfoOf(envelope: unknown): ClientInfo | undefined {
  const client = fieldOf(envelope, CLIENT_INFO)
  const name = fieldOf(client, 'name')
  const version = fieldOf(client, 'version')
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { name: name.slice(0, 120), version: version.slice(0, 60) }
}

/** Returns the name that a client gives itself in a message: in `initialize`, or in the envelope of any request. */
export function clientNameIn(message: unknown): string | undefined {
  const params = fieldOf(message, 'params')
  const name = clientInfoOf(fieldOf(params, '_meta'))?.name ?? fieldOf(fieldOf(params, 'clientInfo'), 'name')
  return typeof name === 'string' ? name.slice(0, 120) : undefined
}

/** Reports whether this request declares the tasks extension. */
export function declaresTasks(envelope: unknown): boolean {
  return isJsonObject(fieldOf(fieldOf(fieldOf(envelope, CLIENT_CAPABILITIES), 'extensions'), TASKS_EXTENSION))
}

/** Reports whether this request declares form elicitation: by name, or by naming no mode. */
export function declaresElicitation(envelope: unknown): boolean {
  const modes = fieldOf(fieldOf(envelope, CLIENT_CAPABILITIES), 'elicitation')
  return isJsonObject(modes) && ('form' in modes || !('url' in modes))
}

function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined
}
