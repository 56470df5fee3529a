import { isJsonObject, parsedJson } from '../platform/json-object.ts'

/** A message that needs no host: what a client sends before its first call. */
export type FirstRequest =
  | { readonly kind: 'initialize'; readonly id: string | number; readonly revision: string }
  | { readonly kind: 'initialized' }
  | {
      readonly kind: 'ask'
      readonly era: 'legacy' | 'modern'
      readonly id: string | number
      readonly method: string
    }

type Fields = Readonly<Record<string, unknown>>

const MODERN = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const ENVELOPE = [`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]
const CLIENT_FIELDS = ['name', 'version', 'title', 'description', 'websiteUrl']
/** Capabilities whose members are objects of any content. */
const OPEN_CAPABILITIES = ['experimental', 'extensions']
const FLAGS = ['listChanged', 'applyDefaults']

/**
 * Recognizes a message only where every server would accept it; undefined for all others, which the host then judges.
 * Strict on purpose: what is answered here is not checked again.
 */
export function firstRequestIn(line: string): FirstRequest | undefined {
  const message = objectIn(line)
  if (message?.['jsonrpc'] !== '2.0' || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) {
    return undefined
  }
  const { id, method, params } = message
  if (typeof method !== 'string') return undefined
  if (method === 'notifications/initialized') {
    return id === undefined && isEmpty(params) ? { kind: 'initialized' } : undefined
  }
  if (!isId(id)) return undefined
  if (method === 'initialize') return initializeIn(id, params)
  if (isEmpty(params)) return { kind: 'ask', era: 'legacy', id, method }
  return isEnvelope(params) ? { kind: 'ask', era: 'modern', id, method } : undefined
}

function initializeIn(id: string | number, params: unknown): FirstRequest | undefined {
  if (!isJsonObject(params) || !hasOnly(params, ['protocolVersion', 'capabilities', 'clientInfo']))
    return undefined
  const { protocolVersion: revision, capabilities, clientInfo } = params
  if (typeof revision !== 'string' || !isCapabilities(capabilities) || !isClient(clientInfo)) return undefined
  return { kind: 'initialize', id, revision }
}

function isEnvelope(params: unknown): boolean {
  if (!isJsonObject(params) || !hasOnly(params, ['_meta'])) return false
  const { _meta: meta } = params
  if (!isJsonObject(meta) || !hasOnly(meta, ENVELOPE)) return false
  return (
    meta[`${META}protocolVersion`] === MODERN &&
    isClient(meta[`${META}clientInfo`]) &&
    isCapabilities(meta[`${META}clientCapabilities`])
  )
}

function isClient(value: unknown): boolean {
  if (!isJsonObject(value) || !hasOnly(value, CLIENT_FIELDS)) return false
  const isText = Object.values(value).every((field) => typeof field === 'string')
  return isText && 'name' in value && 'version' in value
}

function isCapabilities(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return Object.entries(value).every(([name, capability]) => {
    if (!isJsonObject(capability)) return false
    if (OPEN_CAPABILITIES.includes(name)) return Object.values(capability).every(isJsonObject)
    return Object.entries(capability).every(([member, content]) => isCapabilityMember(member, content))
  })
}

function isCapabilityMember(name: string, content: unknown): boolean {
  if (FLAGS.includes(name)) return typeof content === 'boolean'
  return (
    isJsonObject(content) &&
    Object.entries(content).every(([member, inner]) => isCapabilityMember(member, inner))
  )
}

function objectIn(line: string): Fields | undefined {
  const value = parsedJson(line)
  return isJsonObject(value) ? value : undefined
}

function isEmpty(params: unknown): boolean {
  return params === undefined || (isJsonObject(params) && Object.keys(params).length === 0)
}

function hasOnly(value: Fields, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name))
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= 200 : Number.isSafeInteger(id)
}
