import type { CallContext } from '../context.ts'
import type { Capability } from './principal.ts'

/** The content of a resource. */
export interface ResourceContent {
  readonly mimeType: string
  readonly text: string
  /** True if the text was cut; reported to the client in `_meta`. */
  readonly truncated?: true
}

/** One listed URI of a template. */
export interface ResourceEntry {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** How long a client may cache the content. */
export interface CacheHint {
  readonly ttlMs: number
  readonly scope: 'public' | 'private'
}

/** One resource, or a template when `uri` holds `{variables}`; each variable is one percent-encoded segment. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly requires?: Capability
  readonly subscribable: boolean
  /** Absent: `{ ttlMs: 0, scope: 'private' }`. */
  readonly cache?: CacheHint
  /** `variables` are decoded. Errors: `not_found` for an unknown and for a forbidden URI. */
  read(ctx: CallContext, uri: string, variables: Readonly<Record<string, string>>): Promise<ResourceContent>
  /** For a resource that does not always exist: whether to list it now. Clients can subscribe to it before. */
  exists?(ctx: CallContext): Promise<boolean>
  /** For a template: existing URIs worth listing, newest first, at most 50. */
  list?(ctx: CallContext): Promise<readonly ResourceEntry[]>
  /** From memory, within 50 ms. */
  complete?(ctx: CallContext, variable: string, prefix: string): Promise<readonly string[]>
}

/** Returns the resource unchanged, for type inference. */
export function defineResource(resource: Resource): Resource {
  return resource
}
