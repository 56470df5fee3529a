/** Deepest nesting that is accepted (mcp, section 4): `JSON.stringify` overflows far above it. */
export const MAX_JSON_DEPTH = 100

/** Whether a parsed JSON value nests deeper than 100 objects and arrays. Never recurses deeper than that itself. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= MAX_JSON_DEPTH) return true
  for (const entry of Object.values(value)) if (isTooDeep(entry, depth + 1)) return true
  return false
}
