import { ProtocolError } from '@modelcontextprotocol/server'
import type { Resource } from '../contract/advanced/resource.ts'
import type { CallContext } from '../contract/context.ts'
import { isSatchelError } from '../contract/errors.ts'
import { mayRead } from '../host.ts'
import { cursorOf, numberIn } from '../platform/page-cursor.ts'
import type { Owned } from '../registry.ts'
import { type Catalog, isTemplate } from './descriptors.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS, resourceNotFound } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { matchUri } from './uri-match.ts'

const PAGE_SIZE = 100 // mcp, section 3
const LIST_QUESTION = 'list'

/** Answers `resources/list`: existing fixed resources, then the listed URIs of templates, newest first. */
export async function listResources(exchange: Exchange, cursor: string | undefined): Promise<WireResult> {
  const { catalog } = exchange
  const absent = new Set<unknown>()
  const entries: unknown[] = []
  for (const owned of catalog.host.registry.resources) {
    const { resource } = owned
    // A list starts no session: the caller is the principal of the door, not of a plugin.
    if (!mayRead(owned, exchange.caller.principal)) continue
    const ctx = callContextOf(exchange)
    if (!isTemplate(resource)) {
      if ((await resource.exists?.(ctx)) === false) absent.add(resource.uri)
      continue
    }
    for (const entry of (await resource.list?.(ctx)) ?? []) {
      entries.push({ mimeType: resource.mimeType, ...entry })
    }
  }
  const listed = [...catalog.fixedResources.filter(({ uri }) => !absent.has(uri)), ...entries]
  const { page, nextCursor } = pageOf(listed, cursor)
  return { resources: page, ...(nextCursor !== undefined && { nextCursor }) }
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

/** Answers `resources/read`. Errors: the same not-found error for unknown, foreign and forbidden resources. */
export async function readResource(exchange: Exchange, uri: string): Promise<WireResult> {
  for (const raw of exchange.catalog.raw?.resources ?? []) {
    const found = await raw.read(uri)
    if (found) return found
  }
  const { resource, ctx, variables } = await findReadable(exchange.catalog, callContextOf(exchange), uri)
  const content = await resource.read(ctx, uri, variables).catch((thrown: unknown) => {
    if (isSatchelError(thrown) && NOT_FOUND_CODES.has(thrown.code)) throw resourceNotFound(uri)
    throw thrown
  })
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

const NOT_FOUND_CODES: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'unauthorized'])

interface Readable {
  readonly resource: Resource
  readonly ctx: CallContext
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Finds the resource of a URI that the caller of `asked` may read, with decoded variables and the context for reading.
 * Errors: the not-found error.
 */
export async function findReadable(catalog: Catalog, asked: CallContext, uri: string): Promise<Readable> {
  const { resources } = catalog.host.registry
  const fixed = resources.filter(({ resource }) => resource.uri === uri && !isTemplate(resource))
  for (const owned of [...fixed, ...resources.filter(({ resource }) => isTemplate(resource))]) {
    const variables = isTemplate(owned.resource) ? matchUri(owned.resource.uri, uri) : {}
    const ctx = variables && (await contextFor(catalog, asked, owned))
    if (ctx) return { resource: owned.resource, ctx, variables }
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
  return mayRead(owned, principal) ? { ...asked, principal } : undefined
}
