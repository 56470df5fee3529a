import type { CallContext } from '../context.ts'
import type { Capability } from './principal.ts'

/** What reading a resource gives. */
export interface ResourceContent {
  readonly mimeType: string
  readonly text: string
  /** The text was cut; said to the client in `_meta`. */
  readonly truncated?: true
}

/** One existing URI of a template, as it is listed. */
export interface ResourceEntry {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** How long a client may keep what it read. */
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
  /** `variables` are decoded. Errors: `not_found` for what is unknown and what is forbidden alike. */
  read(ctx: CallContext, uri: string, variables: Readonly<Record<string, string>>): Promise<ResourceContent>
  /** For one resource that is not always there: whether to list it now. It can be watched before. */
  exists?(ctx: CallContext): Promise<boolean>
  /** For a template: existing URIs worth listing, newest first, at most 50. */
  list?(ctx: CallContext): Promise<readonly ResourceEntry[]>
  /** From memory, within 50 ms. */
  complete?(ctx: CallContext, variable: string, prefix: string): Promise<readonly string[]>
}

/** The identity, for inference. */
export function defineResource(resource: Resource): Resource {
  return resource
}
