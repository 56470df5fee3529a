const patterns = new Map<string, { readonly names: readonly string[]; readonly pattern: RegExp }>()

/**
 * Returns the decoded variables of `uri` under a template such as `module://{repository}/{ref}/{path}`, each one
 * percent-encoded segment; undefined if it does not match or a segment is badly encoded.
 */
export function matchUri(template: string, uri: string): Record<string, string> | undefined {
  const { names, pattern } = compiled(template)
  const found = pattern.exec(uri)
  if (!found) return undefined
  try {
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]))
  } catch {
    return undefined
  }
}

function compiled(template: string) {
  const known = patterns.get(template)
  if (known) return known
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const literal = template
    .split(/\{\w+\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/?#]+)')
  const made = { names, pattern: new RegExp(`^${literal}$`) }
  patterns.set(template, made)
  return made
}
