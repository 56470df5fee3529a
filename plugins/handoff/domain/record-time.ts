/** Parses timestamps, which are free text in records. */

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?$/

/** Milliseconds since 1970; undefined for text that is not a time. A time without a zone counts as UTC. */
export function timeOf(text: string): number | undefined {
  if (!RFC3339.test(text)) return undefined
  const ms = Date.parse(hasZone(text) ? text : `${text}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** True for a time with a zone. */
export function hasZone(text: string): boolean {
  return /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(text)
}
