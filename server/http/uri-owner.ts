import type { Resource } from '../contract/advanced/resource.ts'
import type { Owned, Registry } from '../registry.ts'

/** Returns the fixed or template resource of a URI. */
export function createUriOwner(registry: Registry): (uri: string) => Owned<'resource', Resource> | undefined {
  const patterns = registry.resources.map((owned) => ({ owned, pattern: patternOf(owned.resource.uri) }))
  return (uri) => patterns.find(({ pattern }) => pattern.test(uri))?.owned
}

/** Each variable is one percent-encoded segment (contract, `Resource.uri`). */
function patternOf(template: string): RegExp {
  const literal = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/\{[^}]*\}/g, '[^/]+')}$`)
}
