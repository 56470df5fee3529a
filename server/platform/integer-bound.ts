/** Whether a keyword of a JSON Schema is the bound that zod writes for every integer; it says nothing to a reader. */
export function isBoundOfAnyInteger(keyword: string, value: unknown): boolean {
  if (keyword === 'minimum') return value === Number.MIN_SAFE_INTEGER
  return keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER
}
