import type { ServerContext } from '@modelcontextprotocol/server'
import type { ClientInfo, Principal } from '../contract/advanced/principal.ts'
import { isJsonObject } from '../platform/json-object.ts'

/** Who made a request, and whether it came over this user's own pipe. */
export interface Caller {
  readonly principal: Principal
  readonly localTransport?: 'stdio'
}

/** This OS user on the other end of the pipe (mcp, section 9). */
export const LOCAL_CALLER: Caller = {
  principal: { id: 'local', kind: 'local', capabilities: [] },
  localTransport: 'stdio',
}

/** What the SDK carries from the transport to a handler: who is calling, without the secret that proved it. */
export function authInfoOf(principal: Principal) {
  return {
    token: '',
    clientId: principal.id,
    scopes: [...principal.capabilities],
    extra: { principal },
  }
}

/** The one reader of what `authInfoOf` wrote. Errors: a `TypeError` when a transport forgot to say who is calling. */
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

/** The client's name and version as the request itself says, cut to sane lengths. */
export function clientInfoOf(envelope: unknown): ClientInfo | undefined {
  const client = fieldOf(envelope, CLIENT_INFO)
  const name = fieldOf(client, 'name')
  const version = fieldOf(client, 'version')
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { name: name.slice(0, 120), version: version.slice(0, 60) }
}

/** Whether this very request declares the tasks extension. */
export function declaresTasks(envelope: unknown): boolean {
  return isJsonObject(fieldOf(fieldOf(fieldOf(envelope, CLIENT_CAPABILITIES), 'extensions'), TASKS_EXTENSION))
}

/** Whether this very request declares that its client can ask its user (form elicitation). */
export function declaresElicitation(envelope: unknown): boolean {
  return isJsonObject(fieldOf(fieldOf(envelope, CLIENT_CAPABILITIES), 'elicitation'))
}

function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined
}
