import { ProtocolError } from '@modelcontextprotocol/server'
import { type CallLimits, limited } from '../call.ts'
import type { Resource, ResourceContent, ResourceEntry } from '../contract/advanced/resource.ts'
import type { CallContext } from '../contract/context.ts'
import { isSatchelError } from '../contract/errors.ts'
import { mayRead } from '../host.ts'
import { firstBytes } from '../platform/first-bytes.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cursorOf, numberIn } from '../platform/page-cursor.ts'
import { matchUri } from '../platform/uri-match.ts'
import { labelledLog } from '../plugin-log.ts'
import type { Owned } from '../registry.ts'
import { type Catalog, isTemplate } from './descriptors.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS, resourceNotFound } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { refusals } from './refusals.ts'

const PAGE_SIZE = 100 // mcp, section 3
const URI_MAX_BYTES = 2048 // mcp, section 5
const LIST_QUESTION = 'list'
/** The largest text of one resource: that of a body, so that a link can pass it on. */
const RESOURCE_MAX_BYTES = 4 * 1024 * 1024

/** Answers `resources/list`: existing fixed resources, then the listed URIs of templates, newest first. */
export async function listResources(exchange: Exchange, cursor: string | undefined): Promise<WireResult> {
  const { catalog } = exchange
  const absent = new Set<unknown>()
  const entries: unknown[] = []
  for (const owned of catalog.host.registry.resources) {
    // A list starts no session: the caller is the principal of the door, not of a plugin.
    if (!mayRead(owned, exchange.caller.principal)) continue
    const listed = await listedOf(owned, callContextOf(exchange), catalog.host.limits)
    if (listed === undefined) absent.add(owned.resource.uri)
    else entries.push(...listed)
  }
  const listed = [...catalog.fixedResources.filter(({ uri }) => !absent.has(uri)), ...entries]
  const { page, nextCursor } = pageOf(listed, cursor)
  return { resources: page, ...(nextCursor !== undefined && { nextCursor }) }
}

/**
 * Returns what a template lists now, nothing for a fixed resource, undefined for one that does not exist now. One that fails
 * to say lists nothing, which is logged: those of the other plugins are listed.
 */
async function listedOf(
  { resource, plugin }: Owned<'resource', Resource>,
  ctx: CallContext,
  limits: CallLimits,
): Promise<readonly ResourceEntry[] | undefined> {
  const { uri, mimeType } = resource
  const inTime = <T>(work: (ctx: CallContext) => Promise<T> | undefined) =>
    limited({ resource: uri }, ctx, limits, async (within) => work(within))
  try {
    if (!isTemplate(resource))
      return (await inTime((within) => resource.exists?.(within))) === false ? undefined : []
    const given: unknown = (await inTime((within) => resource.list?.(within))) ?? []
    if (!Array.isArray(given) || !given.every(isEntry))
      throw new TypeError('list gave no entries with uri and name')
    return given.map((entry) => ({ mimeType, ...entry }))
  } catch (error) {
    ctx.signal.throwIfAborted()
    ctx.log.error('a resource could not be listed', { plugin, uri, error })
    return []
  }
}

function isEntry(value: unknown): value is ResourceEntry {
  return isJsonObject(value) && typeof value['uri'] === 'string' && typeof value['name'] === 'string'
}

/** Returns one page of a list. Errors: -32602 for an unknown cursor. */
function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
): { readonly page: readonly T[]; readonly nextCursor?: string } {
  const from = cursor === undefined ? 0 : numberIn(cursor, LIST_QUESTION)
  if (from === undefined) throw new ProtocolError(INVALID_PARAMS, 'Invalid cursor')
  const to = from + PAGE_SIZE
  return {
    page: all.slice(from, to),
    ...(to < all.length && { nextCursor: cursorOf(LIST_QUESTION, [to]) }),
  }
}

/**
 * Answers `resources/read`. Errors: the same not-found error for unknown, foreign and forbidden resources;
 * `internal`/`resource_answer` naming the URI if the plugin gives no content; `too_large`/`resource_too_large` for a large
 * one other than plain text, which is cut; those of `limited`.
 */
export async function readResource(exchange: Exchange, uri: string): Promise<WireResult> {
  for (const raw of exchange.catalog.raw?.resources ?? []) {
    const found = await raw.read(uri)
    if (found) return found
  }
  const found = await findReadable(exchange.catalog, callContextOf(exchange), uri)
  const { resource } = found
  const content = bounded(await contentOf(found, uri, exchange.catalog.host.limits), uri)
  const hint = resource.cache ?? { ttlMs: 0, scope: 'private' as const }
  return {
    contents: [
      {
        uri,
        mimeType: content.mimeType,
        text: content.text,
        ...(content.truncated && { _meta: { 'satchel/truncated': true } }),
      },
    ],
    ...(exchange.era === 'modern' && { ttlMs: hint.ttlMs, cacheScope: hint.scope }),
  }
}

async function contentOf(
  { resource, plugin, ctx, variables }: Readable,
  uri: string,
  limits: CallLimits,
): Promise<ResourceContent> {
  const failed = (cause: unknown) => refusals.resource_answer({ uri, plugin }, { details: { uri }, cause })
  let content: unknown
  try {
    content = await limited({ resource: resource.uri }, ctx, limits, async (inTime) =>
      resource.read(inTime, uri, variables),
    )
  } catch (thrown) {
    if (isSatchelError(thrown) && NOT_FOUND_CODES.has(thrown.code)) throw resourceNotFound(uri)
    if (isSatchelError(thrown) || ctx.signal.aborted) throw thrown
    throw failed(thrown ?? String(thrown))
  }
  const { text, mimeType = resource.mimeType, truncated } = isJsonObject(content) ? content : {}
  if (typeof text !== 'string' || typeof mimeType !== 'string')
    throw failed(new TypeError('read gave no content: it must give { mimeType, text }, both texts'))
  return { text, mimeType, ...(truncated === true && { truncated }) }
}

/** Half of a text can be read, half of a JSON document cannot. */
function bounded(content: ResourceContent, uri: string): ResourceContent {
  const { text, cut } = firstBytes(content.text, RESOURCE_MAX_BYTES)
  if (!cut) return content
  if (content.mimeType.startsWith('text/')) return { ...content, text, truncated: true }
  throw refusals.resource_too_large({ uri, bytes: RESOURCE_MAX_BYTES }, { details: { uri } })
}

const NOT_FOUND_CODES: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'unauthorized'])

interface Readable {
  readonly resource: Resource
  readonly plugin: string
  readonly ctx: CallContext
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Finds the resource of a URI that the caller of `asked` may read, with decoded variables and the context for reading.
 * Errors: the not-found error.
 */
export async function findReadable(catalog: Catalog, asked: CallContext, uri: string): Promise<Readable> {
  if (Buffer.byteLength(uri) > URI_MAX_BYTES) throw resourceNotFound(uri)
  const { resources } = catalog.host.registry
  const fixed = resources.filter(({ resource }) => resource.uri === uri && !isTemplate(resource))
  for (const owned of [...fixed, ...resources.filter(({ resource }) => isTemplate(resource))]) {
    const variables = isTemplate(owned.resource) ? matchUri(owned.resource.uri, uri) : {}
    const ctx = variables && (await contextFor(catalog, asked, owned))
    if (ctx) return { ...owned, ctx, variables }
  }
  throw resourceNotFound(uri)
}

/** Returns the context of a caller that may read this resource; undefined for all others. */
export async function contextFor(
  catalog: Catalog,
  asked: CallContext,
  owned: Owned<'resource', Resource>,
): Promise<CallContext | undefined> {
  const { plugin, resource } = owned
  const principal = await catalog.host.principalFor({ plugin, requires: resource.requires }, asked)
  return mayRead(owned, principal)
    ? { ...asked, principal, log: labelledLog(asked.log, { plugin }) }
    : undefined
}
